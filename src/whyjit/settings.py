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
    """How whyjit records and prints, where no option and no argument says otherwise; `KINDS` says what each is for."""

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
    """A setting: what it does, its values as a person writes them, and how text in the environment is read."""

    what: str
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
    try:
        return int(text)
    except ValueError:
        return None


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _switched(what: str) -> _Kind:
    return _Kind(what, "true, false", _is_switch, _switch)


def _sized(what: str, values: str = "a whole number above 0") -> _Kind:
    return _Kind(what, values, _is_size, _size)


# `docs/reference/settings.md` is written from here.
KINDS = {
    "out": _Kind("the folder of runs", "a folder's path", _is_path, str),
    "calls": _switched("record calls on JAX's fast path, too"),
    "redact": _switched("hide the values of static arguments"),
    "quiet": _switched("print no summary after a run"),
    "color": _Kind("colours in what is printed", ", ".join(_COLORS), _COLORS.__contains__, str.lower),
    "keep_arguments": _switched("keep a copy of the arguments of calls beside the recording"),
    "keep_limit_mb": _sized("how much of these copies is kept at most", "a whole number of megabytes above 0"),
    "max_specializations": _sized("how many specializations of a process are kept one by one; the rest is counted"),
    "max_rows": _sized("how many rows of the call ledger are kept in a file; the rest is counted"),
}


# What else stands there, in tables of their own.
_TABLES = ("budget",)


def load(folder: Path | None = None, environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings that hold in a folder (the working directory if none is named)."""
    return Settings(**{**_from_project(folder or _here()), **_from_environment(environment)})


def _here() -> Path:
    """The working directory; where somebody has removed it, a place with no settings."""
    try:
        return Path.cwd()
    except OSError:
        return Path(os.sep)


def _from_project(folder: Path) -> dict[str, Any]:
    project = next((path for path in _candidates(folder) if path.is_file()), None)
    if project is None:
        return {}
    try:
        content = tomllib.loads(project.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise WhyjitError(f"cannot read the settings in {project}: {fault}; mend the file") from fault
    tool = content.get("tool", {})
    table = tool.get("whyjit", {}) if isinstance(tool, dict) else None
    if not isinstance(table, dict):
        raise WhyjitError(f"tool.whyjit in {project} is no table; write it as [tool.whyjit]")
    found: dict[str, Any] = {}
    for name, value in cast("dict[str, Any]", table).items():
        if name in _TABLES:
            continue
        if name not in KINDS:
            raise WhyjitError(f"[tool.whyjit] in {project} has no setting {name!r}{_near(name)}; valid: {_names()}")
        found[name] = _checked(name, value, f"in [tool.whyjit] of {project}")
    if "out" in found:
        # A path in a file is meant from that file.
        found["out"] = _short(project.parent / found["out"])
    return found


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, kind in KINDS.items():
        text = environment.get(f"WHYJIT_{name.upper()}", "").strip()
        if text:
            value = kind.from_text(text)
            found[name] = _checked(
                name, text if value is None else value, f"in the environment (WHYJIT_{name.upper()})"
            )
    if "out" in found:
        found["out"] = Path(found["out"])
    return found


def _checked(name: str, value: Any, where: str) -> Any:
    kind = KINDS[name]
    if not kind.accepts(value):
        raise WhyjitError(f"{name} = {value!r} {where} is not valid; valid: {kind.values}")
    return value


def _candidates(folder: Path) -> list[Path]:
    return [parent / "pyproject.toml" for parent in (folder, *folder.parents)]


def _near(name: str) -> str:
    near = difflib.get_close_matches(name, (*KINDS, *_TABLES), 1)
    return f" (did you mean {near[0]}?)" if near else ""


def _names() -> str:
    return ", ".join(KINDS)


def _short(path: Path) -> Path:
    """The path from the working directory, where it lies below."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
