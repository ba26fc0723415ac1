"""Staged programs as lines of canonical text, the way JAX prints them, each made of parts that know what they are."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, NamedTuple

from whyjit.model.program import Literal
from whyjit.present import units
from whyjit.present.document import CodeLine, Mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from whyjit.model.program import Equation, Operand, Program
    from whyjit.present.document import Role

INDENT = "  "
_PARAM = 80
# A parameter that says nothing: None, False and the like, or a tuple of such.
_UNSET = re.compile(r"[\s(),\[\]{}]*(?:(?:None|False|UnspecifiedValue)[\s(),\[\]{}]*)*")
_TYPED = re.compile(r"\bTyped[A-Z]\w*\(([^(),]+), dtype=\w+\)")
_NUMPY = re.compile(r"\b(?:np|numpy)\.\w+\((-?[\w.]+)\)")


class Part(NamedTuple):
    """A piece of a line. `key` names what it is (the type of the first output, the second operand), "" for glue."""

    text: str
    role: Role = "plain"
    key: str = ""


class Line(NamedTuple):
    """A line of a program, moved in by `depth` steps, with the source line it came from."""

    parts: tuple[Part, ...]
    depth: int = 0
    file: str = ""
    line: int = 0

    @property
    def text(self) -> str:
        """The line as it is printed, without its indent."""
        return "".join(part.text for part in self.parts)


@functools.lru_cache(maxsize=20000)
def variable(number: int) -> str:
    """The name of a variable, as JAX gives them: a, b, ..., z, aa, ab, ..."""
    name = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        name = chr(97 + letter) + name
    return name


def lines_of(program: Program, *, unfold: bool = True) -> list[Line]:
    """The whole program; inner programs below the equation that holds them, or folded into it."""
    return list(_program(program, 0, "program", unfold=unfold))


def count(program: Program) -> int:
    """The number of equations, those of inner programs included."""
    return len(program.equations) + sum(count(inner) for eq in program.equations for _, inner in eq.programs)


def _program(program: Program, depth: int, name: str, *, unfold: bool) -> Iterator[Line]:
    yield head(program, depth, name)
    for equation in program.equations:
        yield equation_line(equation, depth + 1, folded=() if unfold else equation.programs)
        if unfold:
            for inner_name, inner in equation.programs:
                yield from _program(inner, depth + 2, inner_name, unfold=unfold)
    yield tail(program, depth + 1)


def head(program: Program, depth: int, name: str) -> Line:
    """The line that begins a program: the types of its inputs and constants."""
    parts = [Part(f"{name}: inputs")]
    for at, aval in enumerate(program.inputs):
        parts += [Part(f" {variable(at)}:"), Part(aval, "dim", f"input {at}")]
    if not program.inputs:
        parts.append(Part(" none"))
    first = len(program.inputs)
    if program.constants:
        parts.append(Part("; constants"))
    for at, aval in enumerate(program.constants):
        parts += [Part(f" {variable(first + at)}:"), Part(aval, "dim", f"constant {at}")]
    return Line(tuple(parts), depth)


def tail(program: Program, depth: int) -> Line:
    """The line that ends a program: what it returns."""
    parts = [Part("outputs")]
    for at, operand in enumerate(program.outputs):
        parts += [Part(" "), *_operand(operand, at)]
    return Line((*parts, *([] if program.outputs else [Part(" none")])), depth)


def equation_line(equation: Equation, depth: int, folded: Sequence[tuple[str, Program]] = ()) -> Line:
    """An equation. Of the programs folded into it the size is told."""
    parts: list[Part] = []
    for at, (number, aval) in enumerate(zip(equation.outputs, equation.avals, strict=False)):
        parts += [Part(f"{' ' if at else ''}{variable(number)}:"), Part(aval, "dim", f"output {at}")]
    parts += [Part(" = " if parts else "_ = "), Part(equation.primitive, "name", "primitive")]
    said = [(name, text) for name, text in equation.params if not _UNSET.fullmatch(text)]
    for at, (name, text) in enumerate(said):
        parts += [Part(f"{' ' if at else '['}{name}="), Part(_short(text), "plain", f"parameter {name}")]
    if said:
        parts.append(Part("]"))
    for at, operand in enumerate(equation.inputs):
        parts += [Part(" "), *_operand(operand, at)]
    for name, inner in folded:
        parts.append(Part(f"  {{{name}: {units.plural(count(inner), 'equation')}}}", "dim"))
    return Line(tuple(parts), depth, equation.file, equation.line)


def _operand(operand: Operand, at: int) -> Iterator[Part]:
    if not isinstance(operand, Literal):
        yield Part(variable(operand.number), "plain", f"operand {at}")
        return
    yield Part(_plain(operand.value), "code", f"literal {at}")
    yield Part(f":{operand.aval}", "dim", f"literal type {at}")


@functools.lru_cache(maxsize=20000)
def _short(text: str) -> str:
    flat = _plain(" ".join(text.split()))
    return flat if len(flat) <= _PARAM else f"{flat[: _PARAM - 3]}..."


def _plain(text: str) -> str:
    """A value without the wrapper that only says which type it has: that stands beside it."""
    return _TYPED.sub(r"\1", _NUMPY.sub(r"\1", text))


def code_line(line: Line, marks: Iterable[Mark] | None = None) -> CodeLine:
    """A line as code, moved in by its depth; coloured by what its parts are, where no marks are given instead."""
    indent = INDENT * line.depth
    shift = len(indent)
    if marks is None:
        return CodeLine(indent + line.text, marks=tuple(_colours(line, shift)))
    moved = tuple(Mark(mark.start + shift, mark.end + shift, mark.role, mark.under, mark.label) for mark in marks)
    return CodeLine(indent + line.text, marks=moved)


def _colours(line: Line, start: int) -> Iterator[Mark]:
    for part in line.parts:
        end = start + len(part.text)
        if part.role != "plain":
            yield Mark(start, end, part.role)
        start = end
