"""Staged programs as JSON: format `whyjit-program`, version 1. Keys are only ever added.

`program.schema.json` beside this module is its schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whyjit.model.program import Literal
from whyjit.present import schemas
from whyjit.present.clean import encodable
from whyjit.present.paths import relative

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whyjit.analyse.align import Aligned, Row
    from whyjit.analyse.lines import LineCount
    from whyjit.model.program import Equation, Operand, Program
    from whyjit.model.recording import Function, Unrolled

FORMAT = "whyjit-program"
VERSION = 1

Json = dict[str, Any]


def schema() -> Json:
    """The JSON Schema (draft 2020-12) of what these functions return."""
    return schemas.load("program")


class ProgramJson:
    """Makes the parts. Paths are relative to `directory` when below it; `source` maps file and line to text."""

    def __init__(self, source: Mapping[tuple[str, int], str], directory: str) -> None:
        self._source = source
        self._directory = directory

    def head(self, function: Function, numbers: Sequence[int], notes: Sequence[str] = ()) -> Json:
        """What every form begins with: the function, and the specializations that are shown."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "function": {
                "name": encodable(function.name),
                "qualname": encodable(function.qualname),
                "file": encodable(relative(function.file, self._directory)),
                "line": function.line,
            },
            "specializations": list(numbers),
            "notes": [encodable(note) for note in notes],
        }

    def program(self, program: Program) -> Json:
        """A program. Variables are numbers: inputs first, then constants, then what the equations define."""
        return {
            "inputs": list(program.inputs),
            "constants": list(program.constants),
            "equations": [self.equation(equation, program) for equation in program.equations],
            "outputs": [_operand(operand) for operand in program.outputs],
        }

    def equation(self, equation: Equation, program: Program) -> Json:
        """An equation with the source line it came from and the calls that led there, the traced function's first."""
        return {
            "primitive": equation.primitive,
            "inputs": [_operand(operand) for operand in equation.inputs],
            "outputs": [
                {"variable": number, "type": aval}
                for number, aval in zip(equation.outputs, equation.avals, strict=False)
            ],
            "params": {name: encodable(text) for name, text in equation.params},
            "source": self._place(equation.file, equation.line),
            "calls": self._calls(equation, program),
            "programs": [{"name": name, "program": self.program(inner)} for name, inner in equation.programs],
        }

    def difference(self, aligned: Aligned) -> Json:
        """Two programs aligned: a row for each pair of equations, and for each that has no counterpart."""
        return {
            "name": aligned.name,
            "same": aligned.same,
            "inputs_same": aligned.heads,
            "outputs_differ": list(aligned.outputs),
            "rows": [self._row(row, aligned) for row in aligned.rows],
        }

    def _row(self, row: Row, aligned: Aligned) -> Json:
        return {
            "left": None if row.left is None else self.equation(row.left, aligned.left),
            "right": None if row.right is None else self.equation(row.right, aligned.right),
            "differs": list(row.differs),
            "operands_differ": list(row.operands),
            "programs": [self.difference(inner) for inner in row.programs],
        }

    def lines(self, node: LineCount) -> Json:
        """Equations by line, as a tree; `own` are those of the line itself, `total` those of all below it, too."""
        return {
            "source": self._place(node.file, node.line),
            "function": encodable(node.function),
            "own": node.own,
            "total": node.total,
            "children": [self.lines(child) for child in node.children],
        }

    def unrolled(self, loop: Unrolled) -> Json:
        """A Python loop that was unrolled."""
        return {
            "file": encodable(relative(loop.file, self._directory)),
            "line": loop.line,
            "function": encodable(loop.function),
            "times": loop.times,
            "equations": loop.equations,
            "even": loop.even,
            "alike": loop.alike,
        }

    def staged(
        self,
        stage: str,
        *,
        text: str,
        jax: str,
        platform: str,
        lowered: Sequence[tuple[str, float]],
        compiled: Sequence[tuple[str, float]],
        memory: Sequence[tuple[str, int]],
        missing: Sequence[str],
    ) -> Json:
        """A later stage of a program, and what XLA says it costs; no cost where none was asked for or can be had."""
        return {
            "stage": stage,
            "text": encodable(text),
            "jax": jax,
            "platform": platform,
            "lowered_cost": dict(lowered),
            "compiled_cost": dict(compiled),
            "memory": dict(memory),
            "missing": [encodable(each) for each in missing],
        }

    def _calls(self, equation: Equation, program: Program) -> list[Json]:
        found: list[Json] = []
        number = equation.place
        while 0 <= number < len(program.places):
            place = program.places[number]
            found.append({
                "file": encodable(relative(place.file, self._directory)),
                "line": place.line,
                "function": encodable(place.function),
            })  # fmt: skip
            number = place.caller
        return found[::-1]

    def _place(self, file: str, line: int) -> Json | None:
        if not file:
            return None
        text = self._source.get((file, line), "").strip()
        return {"file": encodable(relative(file, self._directory)), "line": line, "text": encodable(text)}


def _operand(operand: Operand) -> Json:
    if isinstance(operand, Literal):
        return {"literal": encodable(operand.value), "type": operand.aval}
    return {"variable": operand.number}
