"""Importing what whyjit needs in the midst of a program that may hold modules of the same names."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Generator, Sequence
from pathlib import Path

# Packages outside the standard library that whyjit imports in a recorded process.
_PACKAGES = ("msgspec", "typing_extensions")


@contextlib.contextmanager
def own_imports(path: Sequence[str]) -> Generator[None]:
    """Import by the path that Python began with, as if the program's own folders were not there.

    Afterwards the program gets its own modules again, those it has imported and those that it may import later.
    """
    current, before = list(sys.path), set(sys.modules)
    folders = [folder or os.curdir for folder in current if folder not in path]
    theirs = {name: sys.modules[name] for name in before if _is_wanted(name) and _comes_from(name, folders)}
    for name in theirs:
        del sys.modules[name]
    sys.path[:] = path
    try:
        yield
    finally:
        sys.path[:] = current
        for name in [name for name in sys.modules if name not in before or name in theirs]:
            if _is_wanted(name) and _is_hidden(name.partition(".")[0], folders):
                del sys.modules[name]
        sys.modules.update(theirs)


def _is_wanted(name: str) -> bool:
    """Whether whyjit may import it from elsewhere than the program's folders."""
    top = name.partition(".")[0]
    return top in sys.stdlib_module_names or top in _PACKAGES


def _comes_from(name: str, folders: Sequence[str]) -> bool:
    file = getattr(sys.modules[name], "__file__", None)
    return isinstance(file, str) and any(Path(file).is_relative_to(folder) for folder in folders)


def _is_hidden(top: str, folders: Sequence[str]) -> bool:
    """Whether a file of the program's own would be imported by this name."""
    return any(Path(folder, top, "__init__.py").is_file() or Path(folder, f"{top}.py").is_file() for folder in folders)
