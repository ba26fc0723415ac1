"""The Python scalars that functions were called with: values that are known at a call without reading any array.

They are noted where a call reaches JAX's door, which is once for each trace, miss and failure; a cached call is not
looked at. What is kept is text, and little of it.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whyjit.jaxlink import arrays
from whyjit.model.failure import Given
from whyjit.observe.functions import identify
from whyjit.observe.looks import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Iterable

SCALARS = frozenset({bool, int, float, complex})
_FUNCTIONS = 500
_PATHS = 100
MOST = 64
_SHOWN = 8
_TEXT = 40


def text_of(value: Any) -> str:
    """A Python scalar as text, cut where it is long."""
    try:
        text = repr(value)
    except ValueError:  # an int with more digits than Python writes
        return "a very long int"
    return text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"


class _Path:
    __slots__ = ("calls", "values")

    def __init__(self) -> None:
        self.calls = 0
        self.values: dict[str, None] = {}

    def note(self, text: str) -> None:
        self.calls += 1
        if len(self.values) < MOST:
            self.values[text] = None


class GivenValues:
    """What each function's leaves were in the calls that were looked at."""

    def __init__(self) -> None:
        self._functions: dict[Any, dict[str, _Path]] = {}
        self._lock = threading.RLock()  # a finalizer or a signal's handler may call a function while it is held

    def renew_lock(self) -> None:
        """In a forked child: nobody lets go what another thread held."""
        self._lock = threading.RLock()

    def note(self, key: Any, scalars: Iterable[tuple[str, Any]]) -> None:
        """One call of the function group with this key."""
        with self._lock:
            paths = self._functions.get(key)
            if paths is None:
                if len(self._functions) >= _FUNCTIONS:
                    return
                paths = self._functions[key] = {}
            for path, value in scalars:
                if path in paths or len(paths) < _PATHS:
                    paths.setdefault(path, _Path()).note(text_of(value))

    def before(self, key: Any, path: str) -> tuple[list[str], int]:
        """The distinct values of a leaf in earlier calls, at most `MOST` of them, and the number of those calls."""
        with self._lock:
            known = self._functions.get(key, {}).get(path)
            return ([], 0) if known is None else (list(known.values), known.calls)


class Eyes(NamedTuple):
    """How arguments are looked at: with the memory of a recording, if there is one; `redact` hides values."""

    memory: GivenValues | None = None
    redact: bool = False

    def look(self, function: Any, path: str, value: Any) -> Given | None:
        """What was passed for one leaf. Nothing is read from an array."""
        if type(value) not in SCALARS:
            if isinstance(value, (np.ndarray, np.generic)):
                return Given(path, "numpy", type(value).__name__)
            return Given(path, "jax", "Array") if arrays.is_array(value) and not arrays.is_tracer(value) else None
        texts: list[str] = []
        calls = 0
        if self.memory is not None and function is not None:
            texts, calls = self.memory.before(identify(function).key, path)
        text = text_of(value)
        if text not in texts:
            texts.append(text)
        shown = texts[:_SHOWN] if text in texts[:_SHOWN] else [*texts[: _SHOWN - 1], text]
        kind, number = type(value).__name__, len(texts)
        if self.redact:
            return Given(path, "python", kind, HIDDEN, (), number, calls + 1)
        return Given(path, "python", kind, text, tuple(shown), number, calls + 1)
