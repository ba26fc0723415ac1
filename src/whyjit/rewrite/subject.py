"""The function that a verification runs: where its source is, and how it is had without running the whole program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from whyjit.errors import WhyjitError
from whyjit.rewrite import sources
from whyjit.rewrite.kept import Unavailable

if TYPE_CHECKING:
    from whyjit.model.arguments import KeptCall
    from whyjit.model.recording import Function
    from whyjit.rewrite.advisers import Context


class Subject(msgspec.Struct, frozen=True):
    """A function as a process of its own can load it: by its name, or from what was kept of it with each call.

    `main` tells that the module was the program itself. `path` are folders to import from. `digest` is the SHA-256 of
    the file's bytes. `context` is JAX's configuration at the calls, as recorded.
    """

    file: str
    source: str
    digest: str
    module: str
    main: bool
    qualname: str
    line: int
    path: tuple[str, ...]
    directory: str = ""
    context: tuple[tuple[str, str], ...] = ()


def subject_of(context: Context, function: Function) -> Subject | Unavailable:
    """The function as it can be loaded, or why it cannot."""
    reason = _unkept(context, function)
    if reason:
        return Unavailable(reason)
    file = Path(context.report.environment.directory) / function.file
    try:
        source = sources.read(file)
    except WhyjitError as fault:
        return Unavailable(fault.message)
    if changed_since(context, file):
        return Unavailable(f"{file.name} has changed since the recording; record the program again")
    environment = context.report.environment
    program = environment.argv[0] if environment.argv else ""
    main = bool(program) and _same(Path(environment.directory) / program, file)
    folders = _folders(file, main=main, directory=environment.directory, program=program)
    return Subject(
        str(file),
        source.text,
        source.digest,
        module_name(file),
        main,
        function.qualname,
        function.line,
        folders,
        environment.directory,
        _settings(context, function),
    )


def _unkept(context: Context, function: Function) -> str:
    """Why a function cannot be had that its module does not have by name; "" if it can, or need not."""
    kept = _first_kept(context, function)
    carried = kept.carried if kept is not None else None
    if carried is not None:
        return f"what `{function.name}` carries could not be kept: {carried.missing}" if carried.missing else ""
    outer = function.qualname.rpartition(".<locals>.")[0]
    if not outer and "<lambda>" not in function.qualname:
        return ""
    where = f"`{function.name}` is made inside `{outer}`" if outer else "it is a lambda"
    return f"{where}, and was not kept with what it closes over; record with: whyjit run --keep-arguments"


def _first_kept(context: Context, function: Function) -> KeptCall | None:
    for report in context.report.functions:
        if report.function.id == function.id:
            calls = (context.kept.of(function.id, one.specialization.number) for one in report.specializations)
            return next((call for call in calls if call is not None), None)
    return None


def changed_since(context: Context, file: Path) -> bool:
    """Whether a file is another one than was recorded: by its digest, else by when it was written."""
    noted = context.digests.get(str(file))
    try:
        if noted is not None:
            return sources.digest_of(file.read_bytes()) != noted
        return file.stat().st_mtime > context.report.environment.started > 0
    except OSError:
        return True


def module_name(file: Path) -> str:
    """The dotted name of a file's module within the outermost package it lies in."""
    parts = [] if file.stem == "__init__" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts) or file.parent.name


def _folders(file: Path, *, main: bool, directory: str, program: str) -> tuple[str, ...]:
    """Where the program could import from: beside the script and the outermost package, and where it was started."""
    top = file.parent
    while (top / "__init__.py").is_file():
        top = top.parent
    beside = [] if main or not program else [str((Path(directory) / program).parent)]
    return tuple(dict.fromkeys([*beside, str(top), *([directory] if directory else [])]))


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _settings(context: Context, function: Function) -> tuple[tuple[str, str], ...]:
    for report in context.report.functions:
        if report.function.id == function.id and report.specializations:
            return report.specializations[0].specialization.signature.context
    return ()
