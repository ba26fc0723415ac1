"""Settings: `[tool.whyjit]` in pyproject.toml, then `WHYJIT_*` in the environment, then what a command's flags say."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import msgspec

from whyjit.errors import WhyjitError
from whyjit.model.bounds import Bounds

Color = Literal["auto", "always", "never"]


class Settings(msgspec.Struct, frozen=True):
    """How whyjit records and prints, where neither a flag nor an argument says otherwise.

    `out` is the folder of runs. `calls` records calls on JAX's fast path, too. `redact` hides static values. `quiet`
    leaves the summary out after a run. `color` is for terminals. `keep_arguments` keeps the arguments of calls beside
    the recording, at most `keep_limit_mb` megabytes of them. `max_specializations` and `max_rows` bound what is kept
    one by one in a process: what is beyond is counted.
    """

    out: Path = Path(".whyjit")
    calls: bool = True
    redact: bool = False
    quiet: bool = False
    color: Color = "auto"
    keep_arguments: bool = False
    keep_limit_mb: int = 256
    max_specializations: int = Bounds().specializations
    max_rows: int = Bounds().rows

    @property
    def bounds(self) -> Bounds:
        """The bounds of a recording."""
        return Bounds(self.max_specializations, self.max_rows)


class _Kind(NamedTuple):
    """What a setting may be: its values as a person writes them, and how text in the environment is read."""

    values: str
    accepts: Callable[[Any], bool]
    from_text: Callable[[str], Any]


_SWITCHES = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_COLORS = ("auto", "always", "never")


def _switch(text: str) -> bool | None:
    return _SWITCHES.get(text.lower())


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def _size(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and value != ""


_SWITCH = _Kind("true, false", _is_switch, _switch)
_KINDS = {
    "out": _Kind("a folder's path", _is_path, str),
    "calls": _SWITCH,
    "redact": _SWITCH,
    "quiet": _SWITCH,
    "color": _Kind(", ".join(_COLORS), _COLORS.__contains__, str.lower),
    "keep_arguments": _SWITCH,
    "keep_limit_mb": _Kind("a whole number of megabytes above 0", _is_size, _size),
    "max_specializations": _Kind("a whole number above 0", _is_size, _size),
    "max_rows": _Kind("a whole number above 0", _is_size, _size),
}


def load(folder: Path | None = None, environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings that hold in a folder (the working directory if none is named)."""
    return Settings(**{**_from_project(folder or Path.cwd()), **_from_environment(environment)})


def _from_project(folder: Path) -> dict[str, Any]:
    project = next((path for path in _candidates(folder) if path.is_file()), None)
    if project is None:
        return {}
    try:
        content = tomllib.loads(project.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise WhyjitError(f"cannot read the settings in {project}: {fault}; mend the file") from fault
    tool = cast("dict[str, Any]", content.get("tool", {}))
    table = tool.get("whyjit", {})
    if not isinstance(table, dict):
        raise WhyjitError(f"tool.whyjit in {project} is no table; write it as [tool.whyjit]")
    found: dict[str, Any] = {}
    for name, value in cast("dict[str, Any]", table).items():
        if isinstance(value, dict):  # a table of its own, such as that of the budgets
            continue
        if name not in _KINDS:
            raise WhyjitError(f"[tool.whyjit] in {project} has no setting {name!r}{_near(name)}; valid: {_names()}")
        found[name] = _checked(name, value, f"in [tool.whyjit] of {project}")
    if "out" in found:
        # A path in a file is meant from that file.
        found["out"] = _short(project.parent / found["out"])
    return found


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, kind in _KINDS.items():
        text = environment.get(f"WHYJIT_{name.upper()}", "")
        if text:
            value = kind.from_text(text)
            found[name] = _checked(
                name, text if value is None else value, f"in the environment (WHYJIT_{name.upper()})"
            )
    if "out" in found:
        found["out"] = Path(found["out"])
    return found


def _checked(name: str, value: Any, where: str) -> Any:
    kind = _KINDS[name]
    if not kind.accepts(value):
        raise WhyjitError(f"{name} = {value!r} {where} is not valid; valid: {kind.values}")
    return value


def _candidates(folder: Path) -> list[Path]:
    return [parent / "pyproject.toml" for parent in (folder, *folder.parents)]


def _near(name: str) -> str:
    near = difflib.get_close_matches(name, _KINDS, 1)
    return f" (did you mean {near[0]}?)" if near else ""


def _names() -> str:
    return ", ".join(_KINDS)


def _short(path: Path) -> Path:
    """The path from the working directory, where it lies below."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
