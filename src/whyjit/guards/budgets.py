"""Budgets from TOML: `[tool.whyjit.budget]` of a pyproject.toml, or a file of their own."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Any

from whyjit.errors import WhyjitError
from whyjit.model.budget import Budget, Limits

_FORM = (
    "write for example [tool.whyjit.budget] with max_compiles = 20, and"
    ' [tool.whyjit.budget.functions."train_*"] with max_traces = 2'
)
_KEYS = tuple(Limits.__struct_fields__)
_SECONDS = frozenset({"max_compile_s"})


def find(file: Path | None) -> tuple[Budget, Path] | None:
    """The budget in a file that was named, or in the nearest pyproject.toml; None where that has none.

    Raises:
      WhyjitError: the file cannot be read, or says something that no budget says; the message names the key.
    """
    if file is not None:
        table = _table(file)
        if table is None:
            raise WhyjitError(f"{file} holds no budget; {_FORM}")
        return _budget(table, file), file
    folder = Path.cwd()
    for parent in (folder, *folder.parents):
        project = parent / "pyproject.toml"
        if project.is_file():
            table = _table(project)
            return None if table is None else (_budget(table, project), project)
    return None


def _table(file: Path) -> dict[str, Any] | None:
    """The budget's table: below `tool.whyjit`, or the file itself where there is no `tool`."""
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as fault:
        raise WhyjitError(f"cannot read the budget in {file}: {fault.strerror}; name a file that is there") from fault
    except ValueError as fault:
        raise WhyjitError(f"cannot read the budget in {file}: {fault}; mend the file") from fault
    if "tool" not in content and file.name != "pyproject.toml":
        return content or None
    found: Any = content
    for name in ("tool", "whyjit", "budget"):
        found = found.get(name) if isinstance(found, dict) else None
    if found is not None and not isinstance(found, dict):
        raise WhyjitError(f"tool.whyjit.budget in {file} is no table; {_FORM}")
    return found


def _budget(table: dict[str, Any], file: Path) -> Budget:
    functions = table.get("functions", {})
    if not isinstance(functions, dict) or not all(isinstance(limits, dict) for limits in functions.values()):
        raise WhyjitError(f'functions in the budget of {file} is no table of tables; write [...functions."train_*"]')
    totals = {key: value for key, value in table.items() if key != "functions"}
    if "warm_after_call" in totals:
        raise WhyjitError(f'warm_after_call in the budget of {file} is for functions: put it below functions."pattern"')
    return Budget(
        _limits(totals, "the budget", file),
        tuple((pattern, _limits(limits, f'functions."{pattern}"', file)) for pattern, limits in functions.items()),
    )


def _limits(table: dict[str, Any], where: str, file: Path) -> Limits:
    for key, value in table.items():
        if key not in _KEYS:
            near = difflib.get_close_matches(key, [*_KEYS, "functions"], 1, 0.5)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise WhyjitError(f"{where} in {file} has no limit {key!r}{hint}; valid: {', '.join(_KEYS)}")
        number = isinstance(value, (int, float)) if key in _SECONDS else isinstance(value, int)
        if isinstance(value, bool) or not number or not value >= 0:
            kind = "seconds from 0 on" if key in _SECONDS else "a whole number from 0 on"
            raise WhyjitError(f"{key} = {value!r} in {where} of {file} is not valid; valid: {kind}")
    return Limits(**table)
