"""What differs between two programs, by operation and source line: which equations only one of them has."""

from __future__ import annotations

import difflib
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from whyjit.model.program import Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.model.program import Equation, Operand, Program

# Beyond this many equations an alignment takes too long, and operations are counted instead.
_ALIGNED = 4000


class Touched(NamedTuple):
    """A source line with the operations of one program that the other does not have there.

    `sign` is "+" for the new program, "-" for the old one, and "~" for operations that are in both with other literals,
    sizes, types or parameters.
    """

    sign: str
    file: str
    line: int
    operations: tuple[str, ...]


def added_removed(old: Program, new: Program) -> tuple[int, int]:
    """How many equations, counted by operation, only the new and only the old program has. Inner programs count."""
    before, after = _operations(old), _operations(new)
    return (after - before).total(), (before - after).total()


def _operations(program: Program) -> Counter[str]:
    return Counter(equation.primitive for equation in equations(program))


def equations(program: Program) -> Iterator[Equation]:
    """All equations, those of inner programs after the one that holds them."""
    for equation in program.equations:
        yield equation
        for _, inner in equation.programs:
            yield from equations(inner)


def touched(old: Program, new: Program) -> list[Touched]:
    """The source lines whose operations differ, in the order of the programs."""
    before, after = list(equations(old)), list(equations(new))
    if len(before) + len(after) > _ALIGNED:
        return _by_count(before, after)
    matcher = difflib.SequenceMatcher(
        None, [one.primitive for one in before], [one.primitive for one in after], autojunk=False
    )
    found: dict[tuple[str, str, int], list[str]] = {}

    def note(sign: str, equation: Equation) -> None:
        found.setdefault((sign, equation.file, equation.line), []).append(equation.primitive)

    for tag, left, left_end, right, right_end in matcher.get_opcodes():
        if tag == "equal":
            for was, now in zip(before[left:left_end], after[right:right_end], strict=True):
                if _content(was) != _content(now):
                    note("~", now)
            continue
        for equation in before[left:left_end]:
            note("-", equation)
        for equation in after[right:right_end]:
            note("+", equation)
    return [Touched(sign, file, line, tuple(names)) for (sign, file, line), names in found.items()]


def _content(equation: Equation) -> tuple[object, ...]:
    """What an equation says besides which variables it uses."""
    return tuple(map(_operand, equation.inputs)), equation.avals, equation.params


def _operand(operand: Operand) -> str:
    return f"{operand.value}:{operand.aval}" if isinstance(operand, Literal) else ""


def _by_count(before: list[Equation], after: list[Equation]) -> list[Touched]:
    was = Counter((one.file, one.line, one.primitive) for one in before)
    now = Counter((one.file, one.line, one.primitive) for one in after)
    found: dict[tuple[str, str, int], list[str]] = {}
    for sign, only in (("-", was - now), ("+", now - was)):
        for (file, line, name), count in only.items():
            found.setdefault((sign, file, line), []).extend([name] * count)
    return [Touched(sign, file, line, tuple(names)) for (sign, file, line), names in found.items()]
