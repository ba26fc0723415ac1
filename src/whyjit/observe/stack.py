"""The frames an exception came through, innermost first, and the user's own among them as neutral points."""

from __future__ import annotations

import dis
import inspect
from typing import TYPE_CHECKING, NamedTuple

from whyjit.model.scene import Instruction, Point, Span
from whyjit.observe.places import kind_of_file

if TYPE_CHECKING:
    from types import CodeType, FrameType

_DEPTH = 20_000
_BEFORE = 8
_COMPREHENSIONS = (".<locals>.<listcomp>", ".<locals>.<setcomp>", ".<locals>.<dictcomp>", ".<locals>.<genexpr>")
WHYJIT = (
    kind_of_file.__code__.co_filename.removesuffix("places.py").removesuffix("/observe/").removesuffix("\\observe\\")
)


class Level(NamedTuple):
    """One frame, the instruction it stands at, and whose code it is: "user", "jax", "library" or "whyjit"."""

    frame: FrameType
    instruction: int
    line: int
    kind: str


def levels_of(exception: BaseException) -> list[Level]:
    """The frames an exception came through, also those that JAX removed from its traceback.

    Frames keep their callers after they have ended, so the innermost frame leads to all of them. A generator's frame
    does not: there the walk goes on with the traceback's next frame outwards. A traceback also knows where its frames
    stood; a frame that handled the exception has moved on since.
    """
    places: dict[FrameType, tuple[int, int]] = {}
    traceback = exception.__traceback__
    while traceback is not None:
        places[traceback.tb_frame] = (traceback.tb_lasti, traceback.tb_lineno)
        traceback = traceback.tb_next
    return _walk(places)


def levels_from(frame: FrameType) -> list[Level]:
    """The frames from one outwards, while it is running."""
    return _walk({frame: (frame.f_lasti, frame.f_lineno or 0)})


def _walk(places: dict[FrameType, tuple[int, int]]) -> list[Level]:
    found: list[Level] = []
    seen: set[FrameType] = set()
    waiting = list(places)
    while waiting and len(found) < _DEPTH:
        frame: FrameType | None = waiting.pop()
        while frame is not None and frame not in seen and len(found) < _DEPTH:
            seen.add(frame)
            instruction, line = places.get(frame, (frame.f_lasti, frame.f_lineno or 0))
            found.append(Level(frame, instruction, line, _kind(frame.f_code.co_filename)))
            frame = frame.f_back
    return found


def is_whole(levels: list[Level]) -> bool:
    """Whether the frames reach all the way out; a walk that ended at a generator may have missed some."""
    generators = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    broken = (level.frame for level in levels if level.frame.f_back is None)
    return bool(levels) and not any(frame.f_code.co_flags & generators for frame in broken)


def _kind(file: str) -> str:
    kind = kind_of_file(file)
    return "whyjit" if kind == "library" and file.startswith(WHYJIT) else kind


def function_of(code: CodeType) -> str:
    """The function a code object belongs to; a comprehension belongs to the function it stands in."""
    name = code.co_qualname
    while name.endswith(_COMPREHENSIONS):
        name = name.rpartition(".<locals>.")[0]
    return name


def point_of(level: Level, *, direct: bool) -> Point:
    """A frame as a neutral value."""
    code = level.frame.f_code
    return Point(
        code.co_filename,
        function_of(code),
        level.line,
        code.co_firstlineno,
        _instructions(code, level.instruction),
        direct,
    )


def _instructions(code: CodeType, at: int) -> tuple[Instruction, ...]:
    """The instruction at an offset and those before it, newest first, with their source."""
    before = [one for one in dis.get_instructions(code) if one.offset <= at]
    positions = list(code.co_positions())
    found: list[Instruction] = []
    for one in reversed(before[-_BEFORE:]):
        line, end_line, column, end_column = positions[one.offset // 2]
        span = None
        if line is not None and end_line is not None and column is not None and end_column is not None:
            span = Span(line, end_line, column, end_column)
        found.append(Instruction(one.opname, one.argrepr, span))
    return tuple(found)
