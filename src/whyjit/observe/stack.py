"""The frames an exception came through, innermost first, and the user's own among them as neutral points."""

from __future__ import annotations

import dis
import inspect
import itertools
import sys
from typing import TYPE_CHECKING, NamedTuple

from whyjit.model.scene import ASKS_TRUTH, TWO_NAMES, Instruction, Point, Span
from whyjit.observe.places import kind_of_file

if TYPE_CHECKING:
    from types import CodeType, FrameType

_DEPTH = 20_000
_BEFORE = 8
_CACHE = dis.opmap.get("CACHE", 0)
_TRUTH = 16  # the bit in a comparison's argument by which it asks its answer for its truth
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
    """The instruction at an offset and those before it, newest first, with their source.

    Every instruction takes two bytes, and the room behind it that the interpreter caches in reads as `CACHE`, so code
    can be read backwards. Only the arguments of those that load two names at once, or that compare, are of use.
    """
    raw = code.co_code
    offsets: list[int] = []
    for offset in range(min(at, len(raw) - 2), -1, -2):
        if raw[offset] != _CACHE:
            offsets.append(offset)
        if len(offsets) == _BEFORE:
            break
    if not offsets:
        return ()
    first = offsets[-1] // 2
    positions = list(itertools.islice(code.co_positions(), first, offsets[0] // 2 + 1))
    return tuple(_instruction(code, raw, offset, positions[offset // 2 - first]) for offset in offsets)


def _instruction(
    code: CodeType, raw: bytes, offset: int, position: tuple[int | None, int | None, int | None, int | None]
) -> Instruction:
    line, end_line, column, end_column = position
    span = None
    if line is not None and end_line is not None and column is not None and end_column is not None:
        span = Span(line, end_line, column, end_column)
    name = dis.opname[raw[offset]]
    argument = ""
    if name in TWO_NAMES:
        places = (raw[offset + 1] >> 4, raw[offset + 1] & 15)
        argument = ", ".join(code.co_varnames[place] for place in places if place < len(code.co_varnames))
    elif name == "COMPARE_OP" and sys.version_info >= (3, 13) and raw[offset + 1] & _TRUTH:
        argument = ASKS_TRUTH
    return Instruction(name, argument, span)
