"""Recordings from disk: the one a person means, and its parts as they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from whyjit.model.failure import Failure
from whyjit.model.program import Program
from whyjit.model.recording import Recording, Row
from whyjit.store import contents
from whyjit.store.errors import StoreError
from whyjit.store.runs import files, find_run


def load(path: Path) -> Recording:
    """The recording in a run's folder, in the newest run of a folder of runs, or in a file. Its rows are left out."""
    return contents.load(main_file(path))


def load_all(path: Path) -> list[Recording]:
    """The recordings of all processes of a run: the one that `load` gives first, the others by their start."""
    first = main_file(path)
    others = [contents.load(file) for file in files(find_run(path)) if file != first]
    return [contents.load(first), *sorted(others, key=lambda recording: recording.environment.started)]


def rows(path: Path, function: int) -> Iterator[Row]:
    """The ledger rows of one function, by its id in the recording that `load` gives for this path."""
    return contents.rows(main_file(path), function)


def program(path: Path, key: str) -> Program | None:
    """A staged program by its key, where it was kept."""
    return contents.program(main_file(path), key)


def uncaught(path: Path) -> Failure | None:
    """The failure that ended the program, if one did and it was understood."""
    return contents.uncaught(main_file(path))


def main_file(path: Path) -> Path:
    """The file that stands for a run: of the process started by hand, or of a child if only children used JAX.

    Of processes that `jax.distributed` has numbered it is that of the first.
    """
    run = find_run(path)
    found = files(run)
    if not found:
        raise StoreError(f"{run} holds no recording; name another run")
    if len(found) == 1:
        return found[0]
    headings: list[contents.Heading] = []
    damaged: list[StoreError] = []
    for file in found:
        try:
            headings.append(contents.heading(file))
        except StoreError as fault:
            damaged.append(fault)
    if not headings:
        raise damaged[0]
    return min(headings, key=lambda head: (head.functions == 0, head.parent != 0, head.process, head.started)).path


__all__ = ["find_run", "load", "load_all", "main_file", "program", "rows", "uncaught"]
