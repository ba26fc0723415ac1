"""File names as they compare between machines: relative to where a program ran, and short for installed packages."""

from __future__ import annotations

import re

_PACKAGES = re.compile(r"^.*[/\\](?:site|dist)-packages[/\\]")
_LIBRARY = re.compile(r"^.*[/\\]lib[/\\]python3\.\d+t?[/\\]")


def relative(file: str, directory: str) -> str:
    """The path relative to `directory` when it lies below it, else as it is."""
    base = directory.rstrip("/\\")
    if base and len(file) > len(base) + 1 and file.startswith(base) and file[len(base)] in "/\\":
        return file[len(base) + 1 :]
    return file


def short(file: str, directory: str) -> str:
    """The path for reading: relative, without the folders above an installed package or the standard library."""
    inside = _PACKAGES.sub("", file)
    if inside != file:
        return inside
    below = relative(file, directory)
    return below if below != file else _LIBRARY.sub("", file)


def is_installed(file: str) -> bool:
    """Whether a file belongs to an installed package or to the standard library."""
    return bool(_PACKAGES.match(file) or _LIBRARY.match(file))
