"""Which inputs of a program its results depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.model.program import Variable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whyjit.model.program import Equation, Program

# Operations that do something besides computing their results, by a part of their name.
_EFFECTS = ("callback", "debug_print", "infeed", "outfeed", "assert", "check", "print")


def used_inputs(program: Program) -> tuple[bool, ...]:
    """For each input, whether a result or an effect of the program depends on its contents.

    Calls of inner programs are looked into where their inputs are those of the equation, one for one; loops and
    branches count as using everything they are given.
    """
    return _used(program, [True] * len(program.outputs))


def _used(program: Program, wanted: Iterable[bool]) -> tuple[bool, ...]:
    live = {
        operand.number
        for operand, is_wanted in zip(program.outputs, wanted, strict=True)
        if is_wanted and isinstance(operand, Variable)
    }
    for equation in reversed(program.equations):
        outputs = [number in live for number in equation.outputs]
        if any(outputs) or _has_effects(equation):
            live.update(_numbers(equation, outputs))
    return tuple(number in live for number in range(len(program.inputs)))


def _numbers(equation: Equation, outputs: list[bool]) -> Iterable[int]:
    """The variables that an equation needs for those outputs."""
    needed = [True] * len(equation.inputs)
    if len(equation.programs) == 1 and _is_call(equation):
        ((_, inner),) = equation.programs
        needed = list(_used(inner, outputs))
    for operand, is_needed in zip(equation.inputs, needed, strict=True):
        if is_needed and isinstance(operand, Variable):
            yield operand.number


_CALLS = ("jit", "pjit", "closed_call", "core_call", "remat", "checkpoint", "custom_jvp_call", "custom_vjp_call")


def _is_call(equation: Equation) -> bool:
    """Whether the equation calls its inner program with its own inputs and has its results as outputs."""
    inner: Program = equation.programs[0][1]
    return (
        equation.primitive.startswith(_CALLS)
        and len(inner.inputs) == len(equation.inputs)
        and len(inner.outputs) == len(equation.outputs)
    )


def _has_effects(equation: Equation) -> bool:
    if any(word in equation.primitive for word in _EFFECTS):
        return True
    return any(_has_effects(inner) for _, program in equation.programs for inner in program.equations)
