"""Whether a function, as it was loaded to be tried, is staged as the program that was recorded.

A global it reads may have another value than at the recorded call, a setting may be missing: then whatever is found out
about it here is no evidence for what was recorded.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from whyjit.jaxlink.freezing import baked
from whyjit.jaxlink.programs import Capturer, Tokens
from whyjit.observe import signatures
from whyjit.observe.fingerprint import fingerprint
from whyjit.observe.looks import Describer
from whyjit.observe.programs import Builder

_LARGEST = 1 << 34

Call = tuple[tuple[Any, ...], dict[str, Any]]


def whole(function: Callable[..., Any], call: Call, statics: Sequence[str], closed: Any) -> str:
    """The fingerprint, names forgotten, of a program that was staged for a call; inputs numbered as when recording."""
    tokens = Tokens()
    args, kwargs = call
    signature = inspect.signature(function)
    built = signatures.build(signatures.Call(signature, args, kwargs, (), tuple(statics)), Describer(tokens), None, ())
    order = built.order
    if order is not None and len(order) > len(closed.jaxpr.invars):
        order = None
    return fingerprint(Builder().program(Capturer(tokens).capture(closed, order))).whole


class Wanted(NamedTuple):
    """A recorded program: its fingerprint, and the digest of the arrays that it closed over; "" where not known."""

    fingerprint: str
    constants: str


OTHER = (
    "as it was loaded, the function gives another program than the recorded one: a global it reads, or a setting, had"
    " another value then"
)
OTHER_ARRAYS = (
    "as it was loaded, the function closes over other arrays than the recorded ones: one that it reads from outside was"
    " another then, or had other contents"
)
CHANGED_ARRAYS = (
    "an array that it reads from outside was another one, or had other contents, at a later call: traced less often, it"
    " would go on with the old one"
)


class Compared:
    """The programs of some calls, as loaded, beside the recorded ones: called with them, it says where one is another.

    `rebound` tells what the function closed over at the first call and not at another: it must not matter. `other`
    tells that arrays closed over have other contents than at the recorded calls, the same ones at each of these.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        calls: Sequence[Call],
        statics: Sequence[str],
        wanted: Sequence[Wanted],
        rebound: str = "",
    ) -> None:
        self._function = function
        self._calls = calls
        self._statics = statics
        self._wanted = wanted
        self._rebound = rebound
        self.other = False

    def __call__(self, programs: Sequence[Any]) -> str:
        """Where a program is not the recorded one; "" if none differs."""
        recorded_as: dict[str, str] = {}
        for call, closed, before in zip(self._calls, programs, self._wanted, strict=True):
            if before.fingerprint and whole(self._function, call, self._statics, closed) != before.fingerprint:
                return self._rebound or OTHER
            now = baked(closed, _LARGEST)
            if self._rebound and not (before.fingerprint and now and now == before.constants):
                return self._rebound
            if now and before.constants:
                self.other = self.other or now != before.constants
                if recorded_as.setdefault(now, before.constants) != before.constants:
                    return CHANGED_ARRAYS
        return ""


def other_arrays(closed: Any, constants: str) -> bool:
    """Whether a program has closed over other arrays than the recorded one had, by the digest of these."""
    return bool(constants) and baked(closed, _LARGEST) not in {"", constants}
