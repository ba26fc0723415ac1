"""Advice kept beside a run for the next command, since trying it takes a while: valid until any source file changes."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from whyjit.model.advice import Advice

if TYPE_CHECKING:
    from whyjit.rewrite.advisers import Advised, Context

_FILE = "advice.msgpack"
_MOST_FILES = 50_000


class _Kept(msgspec.Struct, frozen=True):
    """Advice with what it rests on besides the source: versions of the packages, the wish, and the limits."""

    basis: tuple[str, ...]
    items: tuple[Advice, ...]
    faults: tuple[str, ...]


def recall(context: Context) -> tuple[tuple[Advice, ...], tuple[str, ...]] | None:
    """The advice found earlier and its faults, where everything that it rests on is as it was."""
    file = context.run / _FILE
    try:
        written = file.stat().st_mtime
        kept = msgspec.msgpack.decode(file.read_bytes(), type=_Kept)
    except (OSError, msgspec.MsgspecError):
        return None
    if kept.basis != _basis(context) or not all(changed < written for changed in _changes(context)):
        return None
    return kept.items, kept.faults


def keep(context: Context, found: Advised) -> None:
    """Keep advice for `recall`. What cannot be written is found anew the next time."""
    kept = _Kept(_basis(context), found.items, found.faults)
    try:
        (context.run / _FILE).write_bytes(msgspec.msgpack.encode(kept))
    except OSError:
        return


def _basis(context: Context) -> tuple[str, ...]:
    packages = [f"{name} {_version(name)}" for name in ("whyjit", "jax", "jaxlib", "numpy", "libcst")]
    return (
        *packages,
        platform.python_version(),
        str(context.file.resolve()),
        str(context.directory.resolve()),
        context.only,
        repr(context.limits),
    )


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _changes(context: Context) -> Iterator[float]:
    """When each source file was written: those below the working directory, and those of recorded functions."""
    count = 0
    for folder, folders, files in os.walk(context.directory):
        folders[:] = [
            name for name in folders if not name.startswith(".") and name not in ("node_modules", "__pycache__")
        ]
        for name in files:
            if name.endswith(".py"):
                count += 1
                yield _written(Path(folder) / name)
        if count > _MOST_FILES:
            yield float("inf")
    for report in context.report.functions:
        if report.function.origin == "user":
            yield _written(Path(context.report.environment.directory) / report.function.file)


def _written(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0
