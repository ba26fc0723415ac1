"""From a captured program to the neutral one, in whyjit's own thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whyjit.jaxlink.frames import Frames
from whyjit.model.program import Equation, Literal, Place, Program, Variable

if TYPE_CHECKING:
    from whyjit.jaxlink.frames import Frame
    from whyjit.jaxlink.programs import Capture
    from whyjit.model.program import Operand

_CHAINS = 50000


class Builder:
    """Builds programs; source lines that repeat are looked up once."""

    def __init__(self) -> None:
        self._frames = Frames()
        self._chains: dict[Any, tuple[Frame, ...]] = {}

    def program(self, capture: Capture) -> Program:
        """The neutral program of a capture."""
        return self._build(capture, {})

    def chain(self, traceback: Any) -> tuple[Frame, ...]:
        """The frames of user code behind an equation, from the innermost outwards; one object for equal tracebacks."""
        known = self._chains.get(traceback)
        if known is None:
            if len(self._chains) > _CHAINS:  # a program with ever new code must not fill the memory
                self._chains.clear()
            known = self._chains[traceback] = self._frames.of(traceback)
        return known

    def repeats_inside(self, traceback: Any, loop: Frame) -> bool:
        """Whether an equation comes of a loop further inside than the frame's."""
        return self._frames.repeats_inside(traceback, loop)

    def _build(self, capture: Capture, shared: dict[int, Program]) -> Program:
        known = shared.get(id(capture))
        if known is not None:
            return known
        variables: list[Variable] = []

        def operand(value: Any) -> Operand:
            if type(value) is not int:
                return Literal(*value)
            while len(variables) <= value:
                variables.append(Variable(len(variables)))
            return variables[value]

        equations: list[Equation] = []
        columns = zip(
            capture.primitives,
            capture.operands,
            capture.params,
            capture.firsts,
            capture.types,
            capture.inner,
            capture.tracebacks,
            strict=True,
        )
        places = _Places(capture.source)
        for primitive, operands, params, first, types, inner, traceback in columns:
            place = places.of(self.chain(traceback))
            file, line = places.line(place)
            programs = tuple((name, self._build(part, shared)) for name, part in inner) if inner else ()
            outputs = tuple(range(first, first + len(types)))
            equations.append(
                Equation(primitive, tuple(map(operand, operands)), outputs, types, params, programs, file, line, place)
            )
        inputs = [""] * len(capture.inputs)
        for aval, number in capture.inputs:
            inputs[number] = aval
        program = Program(
            tuple(inputs),
            tuple(constant[0] for constant in capture.constants),
            tuple(equations),
            tuple(map(operand, capture.outputs)),
            tuple(places.table),
        )
        shared[id(capture)] = program
        return program


def inside(chain: tuple[Frame, ...], source: tuple[str, int]) -> tuple[Frame, ...]:
    """The frames of a chain up to the traced function, whose file and first line `source` gives.

    Where it is not among them, as with functions that are wrapped, only the innermost frame is sure to be inside.
    """
    at = next((at for at in reversed(range(len(chain))) if (chain[at].file, chain[at].first) == source), None)
    return chain[:1] if at is None else chain[: at + 1]


class _Places:
    """The table of places of one program while it grows."""

    def __init__(self, source: tuple[str, int]) -> None:
        self.table: list[Place] = []
        self._source = source
        self._numbers: dict[Place, int] = {}
        self._known: dict[int, tuple[tuple[Frame, ...], int]] = {}

    def of(self, chain: tuple[Frame, ...]) -> int:
        """The number of the place that a chain leads to."""
        known = self._known.get(id(chain))
        if known is not None:
            return known[1]
        number = -1
        for frame in reversed(inside(chain, self._source)):
            place = Place(frame.file, frame.line, frame.function, number)
            found = self._numbers.get(place)
            if found is None:
                found = self._numbers[place] = len(self.table)
                self.table.append(place)
            number = found
        self._known[id(chain)] = (chain, number)
        return number

    def line(self, number: int) -> tuple[str, int]:
        """The file and line of a place."""
        return (self.table[number].file, self.table[number].line) if number >= 0 else ("", 0)
