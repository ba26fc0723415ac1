"""What is to be run: checked as far as that goes without running any of it."""

from __future__ import annotations

import difflib
import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import NamedTuple

from whyjit.errors import WhyjitError


class Target(NamedTuple):
    """A program as Python takes it: the arguments after `python`, and a name for its recordings."""

    arguments: tuple[str, ...]
    label: str


def script(path: str, arguments: Sequence[str]) -> Target:
    """A script, or a folder or zip file with a `__main__.py`. "-" is a program on standard input."""
    if path == "-":
        return Target((path, *arguments), "stdin")
    place = Path(path)
    if not place.exists():
        raise WhyjitError(
            f"there is no script {path} in {Path.cwd()}{_similar(place)}; give its path, {_instead(path)}"
        )
    if place.is_dir() and not (place / "__main__.py").exists():
        raise WhyjitError(f"the folder {path} has no __main__.py to run; name a script in it")
    if not os.access(place, os.R_OK):
        raise WhyjitError(f"the script {path} may not be read; change its permissions (chmod +r)")
    # A name that begins with a dash would be an option of Python's.
    shown = f"./{path}" if path.startswith("-") else path
    return Target((shown, *arguments), place.resolve().name if place.is_dir() else place.stem)


def module(name: str, arguments: Sequence[str]) -> Target:
    """A module, as after `python -m`."""
    if reason := _why_not_runnable(name):
        if Path(name).is_file():
            raise WhyjitError(f"{reason}; to run the script {name}, leave -m out")
        raise WhyjitError(f"{reason}; run it where it is installed, or from the folder that holds it")
    return Target(("-m", name, *arguments), name)


def _similar(place: Path) -> str:
    try:
        names = [path.name for path in place.parent.iterdir()]
    except OSError:
        return ""
    near = difflib.get_close_matches(place.name, names, 1, 0.7)
    return f" (did you mean {place.with_name(near[0])}?)" if near else ""


def _instead(path: str) -> str:
    name = path.removesuffix(".py").replace("/", ".")
    return f"or run the module with: -m {name}" if not _why_not_runnable(name) else "or a module's name after -m"


def _why_not_runnable(name: str) -> str:
    """Why Python would find no module to run. The packages it lies in are looked up without importing them.

    Where a package makes its own path, only running it can tell, and nothing is said against it.
    """
    parts = name.split(".")
    if not all(parts):
        return f"{name!r} is no module's name"
    spec = _find(parts[0], None)
    for depth in range(1, len(parts) + 1):
        known = ".".join(parts[:depth])
        if spec is None:
            return f"there is no module {known}"
        if depth < len(parts):
            if spec.submodule_search_locations is None:
                return f"there is no module {name}: {known} is a module, not a package"
            following = _find(parts[depth], spec, prefix=known)
            if following is None and _makes_its_path(spec):
                return ""
            spec = following
    if (
        spec is not None
        and spec.submodule_search_locations is not None
        and _find("__main__", spec, prefix=name) is None
    ):
        return "" if _makes_its_path(spec) else f"the package {name} has no __main__.py to run"
    return ""


def _find(name: str, parent: ModuleSpec | None, prefix: str = "") -> ModuleSpec | None:
    if parent is not None:
        return PathFinder.find_spec(f"{prefix}.{name}", list(parent.submodule_search_locations or ()))
    here = None if sys.flags.safe_path else PathFinder.find_spec(name, [str(Path.cwd())])
    if here is not None:
        return here
    try:
        return importlib.util.find_spec(name)
    except ValueError:  # loaded without a spec, as `__main__` is
        return None


def _makes_its_path(package: ModuleSpec) -> bool:
    if not package.origin or not package.origin.endswith(".py"):
        return False
    return "__path__" in Path(package.origin).read_text(errors="replace")
