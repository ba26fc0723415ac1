"""From a captured program to the neutral one, in whyjit's own thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whyjit.jaxlink.programs import user_line
from whyjit.model.program import Equation, Literal, Program, Variable

if TYPE_CHECKING:
    from whyjit.jaxlink.programs import Capture
    from whyjit.model.program import Operand


class Builder:
    """Builds programs; source lines that repeat are looked up once."""

    def __init__(self) -> None:
        self._lines: dict[Any, tuple[str, int]] = {}

    def program(self, capture: Capture) -> Program:
        """The neutral program of a capture."""
        return self._build(capture, {})

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
        for primitive, operands, params, first, types, inner, traceback in columns:
            file, line = self._line(traceback)
            programs = tuple((name, self._build(part, shared)) for name, part in inner) if inner else ()
            outputs = tuple(range(first, first + len(types)))
            equations.append(
                Equation(primitive, tuple(map(operand, operands)), outputs, types, params, programs, file, line)
            )
        inputs = [""] * len(capture.inputs)
        for aval, number in capture.inputs:
            inputs[number] = aval
        program = Program(
            tuple(inputs),
            tuple(constant[0] for constant in capture.constants),
            tuple(equations),
            tuple(map(operand, capture.outputs)),
        )
        shared[id(capture)] = program
        return program

    def _line(self, traceback: Any) -> tuple[str, int]:
        known = self._lines.get(traceback)
        if known is None:
            if len(self._lines) > 50000:  # a program with ever new code must not fill the memory
                self._lines.clear()
            known = self._lines[traceback] = user_line(traceback) or ("", 0)
        return known
