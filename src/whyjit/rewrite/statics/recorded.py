"""Whether a function, as it was loaded to be tried, is staged as the program that was recorded.

A global it reads may have another value than at the recorded call, a setting may be missing: then whatever is found out
about it here is no evidence for what was recorded.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from whyjit.jaxlink.programs import Capturer, Tokens
from whyjit.observe import signatures
from whyjit.observe.fingerprint import fingerprint
from whyjit.observe.looks import Describer
from whyjit.observe.programs import Builder

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


def difference(
    function: Callable[..., Any], calls: Sequence[Call], statics: Sequence[str], wanted: Sequence[str]
) -> Callable[[Sequence[Any]], str]:
    """What takes the programs of the calls and says where one is not the recorded one; "" if none differs."""

    def unlike(programs: Sequence[Any]) -> str:
        for call, closed, before in zip(calls, programs, wanted, strict=True):
            if before and whole(function, call, statics, closed) != before:
                return (
                    "as it was loaded, the function gives another program than the recorded one: a global it reads, or"
                    " a setting, had another value then"
                )
        return ""

    return unlike
