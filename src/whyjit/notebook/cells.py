"""Cells by the numbers that people see: a cell's code has the name of a temporary file, and is known as `In[5]`."""

from __future__ import annotations

import linecache
import os
import re
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from whyjit.model.recording import Environment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Value = TypeVar("Value")
# What Jupyter starts; its arguments are its own, and tell a reader nothing.
_KERNEL = "ipykernel_launcher.py"


def cell_numbers() -> dict[str, int]:
    """The number of each cell that was run, by the name that its code has; nothing outside IPython."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return dict(getattr(getattr(shell, "compile", None), "_filename_map", {}))


def source(file: str, line: int) -> str:
    """A line of a cell by the cell's name, or of a file."""
    files = {f"In[{number}]": name for name, number in cell_numbers().items()}
    return linecache.getline(files.get(file, file), line)


def named(value: Value, files: Mapping[str, str] | None = None) -> Value:
    """A report, or a part of one, in which cells have their names instead of files."""
    known = {file: f"In[{number}]" for file, number in cell_numbers().items()} if files is None else files
    if not known:
        return value
    # In texts a file stands by its own name, without its folder.
    known = {**{os.path.basename(file): name for file, name in known.items()}, **known}  # noqa: PTH119 - text
    pattern = re.compile("|".join(re.escape(file) for file in sorted(known, key=len, reverse=True)))
    return _named(value, partial(pattern.sub, lambda match: known[match[0]]))


def _named(value: Value, rename: Callable[[str], str]) -> Value:
    """The value itself where no cell is named in it, so that what specializations share stays shared."""
    if isinstance(value, str):
        new = rename(value)
        return value if new == value else cast("Value", new)
    if isinstance(value, tuple):
        parts = tuple(_named(each, rename) for each in value)
        return cast("Value", parts) if any(new is not old for new, old in zip(parts, value, strict=True)) else value
    if isinstance(value, Environment) and os.path.basename((*value.argv, "")[0]) == _KERNEL:  # noqa: PTH119 - text
        return cast("Value", msgspec.structs.replace(value, argv=("notebook",)))
    if isinstance(value, msgspec.Struct):
        changed: dict[str, Any] = {}
        for name in value.__struct_fields__:
            old = getattr(value, name)
            # A signature holds types and values, which are many, and no places.
            new = old if name == "signature" else _named(old, rename)
            if new is not old:
                changed[name] = new
        return cast("Value", msgspec.structs.replace(value, **changed)) if changed else value
    return value
