"""Baseline files: small TOML that people commit, read and review."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from whyjit.errors import WhyjitError
from whyjit.model.budget import Known

_FORMAT = "whyjit-baseline"
_VERSION = 1
_COUNTS = ("traces", "compiles", "needless_retraces")


def read(file: Path) -> tuple[Known, ...]:
    """The functions in a baseline.

    Raises:
      WhyjitError: the file is not there, or is no baseline; the message says what in it is wrong.
    """
    update = f"write it with: whyjit check --baseline {file} --update"
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as fault:
        raise WhyjitError(f"cannot read the baseline {file}: {fault.strerror}; {update}") from fault
    except ValueError as fault:
        raise WhyjitError(f"cannot read the baseline {file}: {fault}; {update}") from fault
    if content.get("format") != _FORMAT:
        raise WhyjitError(f"{file} is no baseline (it lacks format = {_FORMAT!r}); {update}")
    if content.get("version") != _VERSION:
        raise WhyjitError(f"{file} is of version {content.get('version')!r}, {_VERSION} is known; {update}")
    functions = content.get("functions", {})
    if not isinstance(functions, dict):
        raise WhyjitError(f"functions in {file} is no table; {update}")
    return tuple(_known(name, entry, file) for name, entry in functions.items())


def _known(name: str, entry: Any, file: Path) -> Known:
    if not isinstance(entry, dict) or not entry.keys() <= set(_COUNTS) or not {"traces", "compiles"} <= entry.keys():
        raise WhyjitError(f"functions.{name!r} in {file} needs traces and compiles, and may have needless_retraces")
    for key, value in entry.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise WhyjitError(f"{key} = {value!r} of functions.{name!r} in {file} is no count")
    return Known(name, **entry)


def text(known: Iterable[Known], file: Path) -> str:
    """A baseline as it stands in its file."""
    lines = [
        f"# How often each function is traced and compiled. Made by: whyjit check --baseline {file.name} --update",
        f'format = "{_FORMAT}"',
        f"version = {_VERSION}",
        "",
        "[functions]",
    ]
    for one in known:
        needless = f", needless_retraces = {one.needless_retraces}" if one.needless_retraces else ""
        lines.append(f"{_quoted(one.name)} = {{ traces = {one.traces}, compiles = {one.compiles}{needless} }}")
    return "\n".join(lines) + "\n"


def _quoted(name: str) -> str:
    """A name as a key of TOML, which has JSON's escapes but for characters in two halves."""
    text = name.encode("utf-8", "backslashreplace").decode()
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
