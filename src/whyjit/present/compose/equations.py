"""Staged programs as lines of canonical text, the way JAX prints them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from whyjit.model.program import Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.model.program import Equation, Operand, Program

_PARAM = 80
# A parameter that says nothing: None, False and the like, or a tuple of such.
_UNSET = re.compile(r"[\s(),\[\]{}]*(?:(?:None|False|UnspecifiedValue)[\s(),\[\]{}]*)*")
_NUMPY = re.compile(r"\b(?:np|numpy)\.\w+\((-?[\w.]+)\)")


class Line(NamedTuple):
    """A line of a program. `key` is what it is compared by: no variable names, no sizes, no literal values."""

    text: str
    key: str
    depth: int = 0
    file: str = ""
    line: int = 0


def variable(number: int) -> str:
    """The name of a variable, as JAX gives them: a, b, ..., z, aa, ab, ..."""
    name = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        name = chr(97 + letter) + name
    return name


def lines_of(program: Program) -> list[Line]:
    """The whole program, inner programs below the equation that holds them."""
    return list(_program(program, 0, "program"))


def _program(program: Program, depth: int, name: str) -> Iterator[Line]:
    inputs = [f"{variable(at)}:{aval}" for at, aval in enumerate(program.inputs)]
    first = len(program.inputs)
    constants = [f"{variable(first + at)}:{aval}" for at, aval in enumerate(program.constants)]
    captured = f" constants {' '.join(constants)};" if constants else ""
    yield Line(f"{name}: inputs {' '.join(inputs) or 'none'};{captured}".rstrip(";"), f"{name}:", depth)
    for equation in program.equations:
        yield from _equation(equation, depth + 1)
    outputs = " ".join(_operand(operand) for operand in program.outputs)
    yield Line(f"outputs {outputs or 'none'}", "outputs", depth + 1)


def _equation(equation: Equation, depth: int) -> Iterator[Line]:
    outputs = " ".join(
        f"{variable(number)}:{aval}" for number, aval in zip(equation.outputs, equation.avals, strict=False)
    )
    params = " ".join(f"{name}={_short(text)}" for name, text in equation.params if not _UNSET.fullmatch(text))
    inputs = " ".join(_operand(operand) for operand in equation.inputs)
    call = f"{equation.primitive}[{params}]" if params else equation.primitive
    names = ",".join(name for name, _ in equation.params)
    shape = f"{equation.primitive}[{names}]/{len(equation.inputs)}"
    text = f"{outputs or '_'} = {call} {inputs}".rstrip()
    yield Line(text, shape, depth, equation.file, equation.line)
    for name, program in equation.programs:
        yield from _program(program, depth + 1, name)


def _operand(operand: Operand) -> str:
    return f"{operand.value}:{operand.aval}" if isinstance(operand, Literal) else variable(operand.number)


def _short(text: str) -> str:
    flat = _NUMPY.sub(r"\1", " ".join(text.split()))
    return flat if len(flat) <= _PARAM else f"{flat[: _PARAM - 3]}..."
