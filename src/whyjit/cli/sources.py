"""The user's source as it is now, for programs that were recorded earlier."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from whyjit.model.program import Program
    from whyjit.model.recording import Environment


def lines(*programs: Program) -> dict[tuple[str, int], str]:
    """The text of every line that equations of the programs came from, or that led to them."""
    return texts(place for program in programs for place in _places(program, set()))


def texts(places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """The text of each line."""
    return {place: linecache.getline(*place) for place in dict.fromkeys(places)}


def _places(program: Program, seen: set[int]) -> Iterator[tuple[str, int]]:
    if id(program) in seen:
        return
    seen.add(id(program))
    for place in program.places:
        yield place.file, place.line
    for equation in program.equations:
        if equation.file:
            yield equation.file, equation.line
        for _, inner in equation.programs:
            yield from _places(inner, seen)


def changed(source: dict[tuple[str, int], str], environment: Environment) -> list[str]:
    """A note for each file that was written after the recording began: its lines may be others than those traced."""
    from whyjit.analyse.paths import short

    notes: list[str] = []
    for file in sorted({file for file, _ in source}):
        try:
            written = Path(file).stat().st_mtime
        except OSError:
            continue
        if environment.started and written > environment.started:
            name = short(file, environment.directory)
            notes.append(f"{name} has changed since it was recorded: its lines are shown as they are now")
    return notes
