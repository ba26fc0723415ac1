"""In the process of an experiment: the function that is meant."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pickle
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from whyjit.errors import WhyjitError
from whyjit.experiment.apart_child import last_line
from whyjit.experiment.jobs import Target

# How multiprocessing calls a program's own file when it imports it again, so that guards written for it hold here.
_MAIN = "__mp_main__"


class Reached(BaseException):
    """The program, imported for an experiment, has come to the line that asked for one; what it needs is defined."""


def module_of(target: Target) -> ModuleType:
    """The module that a target is in, imported."""
    if target.kind == "module":
        return _imported(target)
    path = Path(target.directory, target.place).resolve()
    if not path.is_file():
        raise WhyjitError(f"there is no file {target.place}; name the function as FILE.py:FUNCTION or MODULE:FUNCTION")
    sys.path.insert(0, str(path.parent))
    sys.argv = [str(path)]
    package = () if target.main else _package_of(path)
    if package:
        sys.path.insert(0, str(path.parents[len(package)]))
        name = ".".join((*package, path.stem)) if path.stem != "__init__" else ".".join(package)
        return _imported(msgspec.structs.replace(target, kind="module", place=name, directory=""))
    name = _MAIN if target.main else path.stem
    if name in sys.modules:
        name = f"{name}_under_experiment"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise WhyjitError(f"{target.place} is no Python file; name the function as FILE.py:FUNCTION")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if target.main:
        sys.modules["__main__"] = module
    try:
        spec.loader.exec_module(module)
    except Reached:
        pass
    except (Exception, SystemExit) as raised:
        hint = "; name it as a module: PACKAGE.MODULE:FUNCTION" if "relative import" in str(raised) else ""
        raise WhyjitError(f"{target.place} cannot be imported: {last_line(raised)}{hint}") from raised
    return module


def _package_of(path: Path) -> tuple[str, ...]:
    """The names of the packages that a file lies in, the outermost first."""
    names: list[str] = []
    folder = path.parent
    while folder.name.isidentifier() and (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return tuple(names)


def _imported(target: Target) -> ModuleType:
    if target.directory:
        sys.path.insert(0, target.directory)
    try:
        module = importlib.import_module(target.place)
    except Reached as raised:
        raise WhyjitError(
            f"the module {target.place} starts an experiment when it is imported; put that under "
            'if __name__ == "__main__":'
        ) from raised
    except (Exception, SystemExit) as raised:
        hint = f"; for a file: {target.place}.py:{target.name}" if os.sep in target.place else ""
        raise WhyjitError(f"the module {target.place} cannot be imported: {last_line(raised)}{hint}") from raised
    if target.main:
        sys.modules["__main__"] = module
    return module


def find(module: ModuleType, name: str) -> Any:
    """The callable of that dotted name in a module."""
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise WhyjitError(f"{_shown(module)} has no {name}{_near(found, part)}")
        found = getattr(found, part)
    if not callable(found):
        raise WhyjitError(f"{name} in {_shown(module)} is {type(found).__name__} and cannot be called; name a function")
    return found


def _shown(module: ModuleType) -> str:
    file = getattr(module, "__file__", None)
    return Path(file).name if file else module.__name__


def _near(holder: Any, name: str) -> str:
    import difflib

    names = [known for known in vars(holder) if callable(getattr(holder, known, None)) and not known.startswith("_")]
    near = difflib.get_close_matches(name, names, 3)
    return f"; did you mean {', '.join(near)}?" if near else ""


def kept_values(kept: bytes) -> Any:
    """The values that came with the job."""
    try:
        return pickle.loads(kept)  # noqa: S301 - they were pickled by the process that asked
    except Exception as raised:
        raise WhyjitError(
            f"the call cannot be made again in a process of its own: {last_line(raised)}; define the function and the "
            "classes of its arguments in a module"
        ) from raised
