"""In a process of its own: what a function does while it is traced, besides computing.

Its own source is looked at by `doing`; what the functions do that it calls is seen by tracing it once and looking at
what changed. An effect that leaves no mark here (a message to another process, say) is not seen.
"""

from __future__ import annotations

import contextlib
import functools
import io
import logging
import sys
import types
from collections.abc import Generator, Sequence
from typing import Any

from whyjit.jaxlink import freezing, trials
from whyjit.observe.places import kind_of_file
from whyjit.rewrite.control import outside

_LARGEST = 1 << 30


def effect(module: types.ModuleType, function: Any, call: tuple[Any, Any], statics: Sequence[str]) -> str:
    """What tracing the function for a call does, as the end of "it ..."; "" if nothing is seen."""
    before = _state(module), freezing.carry(function, _LARGEST)[0]
    with _listening() as heard, contextlib.suppress(Exception):  # that it cannot be traced is told by the trial
        trials.has_effects(function, trials.Arguments(*call), statics)
    if heard:
        return f"{heard[0]} while it is traced"
    if name := outside.changed(before[0], _state(module)):
        return f"changes `{name}` while it is traced"
    after = freezing.carry(function, _LARGEST)[0]
    if before[1] is not None and after is not None and before[1].digest != after.digest:
        return "changes what it closes over while it is traced"
    return ""


def _state(module: types.ModuleType) -> dict[str, str]:
    """The variables of the program's modules."""
    found: dict[str, str] = {}
    for name, one in list(sys.modules.items()):
        if one is module or kind_of_file(getattr(one, "__file__", None) or "<string>") == "user":
            inner = outside.state(one, ())
            found.update(inner if one is module else {f"{name}.{key}": value for key, value in inner.items()})
    return found


class _Counting(io.TextIOBase):
    """Takes what is printed and keeps only that it was."""

    def __init__(self, heard: list[str]) -> None:
        self._heard = heard

    def write(self, text: str) -> int:
        self._heard.append("prints")
        return len(text)


@contextlib.contextmanager
def _listening() -> Generator[list[str]]:
    """What is printed, logged or written to files meanwhile, a word for each."""
    heard: list[str] = []
    factory = logging.getLogRecordFactory()

    def record(*args: Any, **kwargs: Any) -> logging.LogRecord:
        made = factory(*args, **kwargs)
        if kind_of_file(made.pathname) == "user":
            heard.append("logs")
        return made

    files = _files()
    files.heard = heard
    logging.setLogRecordFactory(record)
    try:
        with contextlib.redirect_stdout(_Counting(heard)), contextlib.redirect_stderr(_Counting(heard)):
            yield heard
    finally:
        logging.setLogRecordFactory(factory)
        files.heard = None


class _Files:
    """Told by Python of files that are opened. Such a hook cannot be removed: there is one, and it is mostly idle."""

    def __init__(self) -> None:
        self.heard: list[str] | None = None
        sys.addaudithook(self.told)

    def told(self, event: str, arguments: tuple[Any, ...]) -> None:
        """An event of Python's."""
        if self.heard is not None and event == "open":
            mode = arguments[1]
            if isinstance(mode, str) and set(mode) & set("wax+"):
                self.heard.append("writes to a file")


@functools.cache
def _files() -> _Files:
    return _Files()
