"""The user's lines behind an equation: each frame of its traceback that is not JAX's own, and the loop it stands in.

A traceback holds code objects and the offset of the instruction in each; equations made by one and the same call have
equal tracebacks. That a line lies in a loop is read from the bytecode, for the source may have changed since.
"""

from __future__ import annotations

import bisect
import dis
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from types import CodeType

_CODES = 2000
_BACKWARD = "JUMP_BACKWARD"
_WAITS = "NO_INTERRUPT"  # jumps back in `await` and `yield from`, which are no loops of the source


class Loop(NamedTuple):
    """A `for`, a `while`, or a comprehension: the offsets of its instructions, and its line."""

    start: int
    end: int
    line: int


class Frame(NamedTuple):
    """A frame at an instruction. `first` is the line its code object begins at, `loop` the innermost loop around."""

    file: str
    line: int
    function: str
    first: int
    offset: int
    loop: Loop | None


class Frames:
    """Reads tracebacks; what it learns about a code object it learns once."""

    def __init__(self) -> None:
        # Keyed by `id`, since hashing a code object means hashing its bytecode; the code is held for the id's sake.
        self._codes: dict[int, tuple[CodeType, _Code]] = {}
        self._frames: dict[tuple[int, int], Frame] = {}

    def of(self, traceback: Any) -> tuple[Frame, ...]:
        """The frames of user code in a traceback, from the innermost outwards. "User" is what JAX takes for it."""
        if traceback is None:
            return ()
        from jax._src import source_info_util

        codes, offsets = traceback.raw_frames()
        return tuple(
            self._frame(code, offset)
            for code, offset in zip(codes, offsets, strict=True)
            if source_info_util.is_user_filename(code.co_filename)
        )

    def repeats_inside(self, traceback: Any, loop: Frame) -> bool:
        """Whether code that a frame of the user's called stands in a loop of its own, as in `jax.tree.map`.

        What such a loop made is not made by the rounds of the loop around `loop`.
        """
        codes, offsets = traceback.raw_frames()
        for code, offset in zip(codes, offsets, strict=True):
            if (code.co_filename, code.co_firstlineno, offset) == (loop.file, loop.first, loop.offset):
                return False
            if self._code(code).at(offset)[1] is not None:
                return True
        return False

    def _frame(self, code: CodeType, offset: int) -> Frame:
        key = (id(code), offset)
        known = self._frames.get(key)
        if known is None:
            line, loop = self._code(code).at(offset)
            known = self._frames[key] = Frame(
                code.co_filename, line, code.co_qualname, code.co_firstlineno, offset, loop
            )
        return known

    def _code(self, code: CodeType) -> _Code:
        held = self._codes.get(id(code))
        if held is None:
            if len(self._codes) > _CODES:  # a program with ever new code must not fill the memory
                self._codes.clear()
                self._frames.clear()
            held = self._codes[id(code)] = (code, _Code(code))
        return held[1]


class _Code:
    """The lines and loops of one code object."""

    def __init__(self, code: CodeType) -> None:
        spans = [(start, line or 0) for start, _, line in code.co_lines()]
        self._starts = [start for start, _ in spans]
        self._lines = [line for _, line in spans]
        self._first = code.co_firstlineno
        self._offsets: list[int] = []
        self._loops = self._find(code)

    def at(self, offset: int) -> tuple[int, Loop | None]:
        """The line of an instruction, and the innermost loop around it."""
        if not self._loops:
            return self._line(offset), None
        place = bisect.bisect_right(self._offsets, offset) - 1
        around = [(len(body), loop) for loop, body in self._loops if place in body]
        return self._line(offset), min(around)[1] if around else None

    def _line(self, offset: int) -> int:
        place = bisect.bisect_right(self._starts, offset) - 1
        return (self._lines[place] if place >= 0 else 0) or self._first

    def _find(self, code: CodeType) -> list[tuple[Loop, frozenset[int]]]:
        """Each loop with its instructions: those from which the jump back to its first one can be reached.

        What stands between the two and leaves the loop (`return`, `break`) runs once, and is no part of it.
        """
        instructions = list(dis.get_instructions(code))
        backward = [at for at, each in enumerate(instructions) if _jumps_back(each)]
        if not backward:
            return []
        self._offsets = [each.offset for each in instructions]
        places = {offset: at for at, offset in enumerate(self._offsets)}
        before: list[list[int]] = [[] for _ in instructions]
        for at, each in enumerate(instructions):
            if each.opcode in _JUMPS and each.argval in places:
                before[places[each.argval]].append(at)
            if each.opname not in _ENDS and at + 1 < len(instructions):
                before[at + 1].append(at)
        bodies: dict[int, set[int]] = {}
        for at in backward:
            start = places.get(instructions[at].argval, at)
            bodies.setdefault(start, {start}).update(_reaching(at, start, before))
        return [(self._loop(instructions, start, body), frozenset(body)) for start, body in bodies.items()]

    def _loop(self, instructions: list[dis.Instruction], start: int, body: set[int]) -> Loop:
        first, last = instructions[start].offset, instructions[max(body)].offset
        # A `while` tests once more where its body ends, and the jump from there goes to the body: the test's line is
        # the smaller one. `while True` has no test; its line is that of its body.
        is_for = instructions[start].opname == "FOR_ITER"
        return Loop(first, last, self._line(first) if is_for else min(self._line(first), self._line(last)))


_JUMPS = frozenset({*dis.hasjrel, *dis.hasjabs})
_ENDS = frozenset({
    *("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD"),
    "JUMP_BACKWARD_NO_INTERRUPT",
})  # fmt: skip


def _jumps_back(instruction: dis.Instruction) -> bool:
    return _BACKWARD in instruction.opname and _WAITS not in instruction.opname


def _reaching(last: int, start: int, before: list[list[int]]) -> set[int]:
    """The instructions from which `last` can be reached without passing `start`."""
    found = {last}
    waiting = [last]
    while waiting:
        for at in before[waiting.pop()]:
            if at not in found and at != start:
                found.add(at)
                waiting.append(at)
    return found


def source_of(jaxpr: Any) -> tuple[str, int]:
    """The file and first line of the function a program was staged from, as JAX's debug info says; or "" and 0."""
    text = str(getattr(getattr(jaxpr, "debug_info", None), "func_src_info", "") or "")
    file, _, line = text.rpartition(" at ")[2].rpartition(":")
    return (file, int(line)) if file and line.isdigit() else ("", 0)
