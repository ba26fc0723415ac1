"""Fingerprints of a program at the five levels that a program delta needs.

Each level writes the program down with something left out, and digests the writing. Measured, and the reason for the
details: a weak type or an int turned float mostly inserts `convert_element_type`, so the level without types drops it;
a mean over a batch writes 1/N into the program as a literal, so the level without sizes leaves out literals, too.
"""

from __future__ import annotations

import functools
import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

from whyjit.model.program import Fingerprint, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whyjit.model.program import Equation, Operand, Program

# Parameters that hold sizes, and those that hold element types. All others say what is computed.
_SIZES = frozenset(
    {
        *("shape", "new_sizes", "sizes", "limit_indices", "start_indices", "slice_sizes", "length", "dimension_size"),
        *("padding_config", "window_dimensions", "fft_lengths", "num", "k", "operand_shape", "update_shape", "strides"),
        *("padding", "lhs_shape", "rhs_shape", "out_shape", "jaxpr_length"),
    }
)
_TYPES = frozenset({"new_dtype", "preferred_element_type", "dtype", "weak_type", "index_dtype", "out_dtype", "dtypes"})
_NUMBER = re.compile(r"\d+")


class _Level(NamedTuple):
    literals: bool
    sizes: bool
    types: bool


_LEVELS = {
    "whole": _Level(literals=True, sizes=True, types=True),
    "literals": _Level(literals=False, sizes=True, types=True),
    "shapes": _Level(literals=False, sizes=False, types=True),
    "types": _Level(literals=False, sizes=True, types=False),
    "skeleton": _Level(literals=False, sizes=False, types=False),
}


def fingerprint(program: Program, constants: Iterable[tuple[str, str]] = ()) -> Fingerprint:
    """The fingerprint of a program. `constants` are the tokens and texts of its closed-over arrays, in order."""
    found = list(constants)
    digests = {name: _Writer(level).digest(program) for name, level in _LEVELS.items()}
    tokens = (
        hashlib.blake2b("\n".join(token for token, _ in found).encode(), digest_size=8).hexdigest() if found else ""
    )
    unread = any(token.startswith("#") or not token for token, _ in found)
    return Fingerprint(**digests, constants=f"?{tokens}" if unread else tokens, equations=count(program))


def count(program: Program) -> int:
    """The number of equations, those of inner programs included."""
    return len(program.equations) + sum(count(inner) for eq in program.equations for _, inner in eq.programs)


@functools.lru_cache(maxsize=20000)
def _without(aval: str, sizes: bool, types: bool) -> str:
    """A type with its sizes or its element type left out."""
    element, _, shape = aval.partition("[")
    if not sizes:
        shape = _NUMBER.sub("_", shape)
    return f"{element if types else ''}[{shape}"


class _Writer:
    def __init__(self, level: _Level) -> None:
        self._level = level
        self._inner: dict[int, str] = {}

    def digest(self, program: Program) -> str:
        known = self._inner.get(id(program))
        if known is None:
            lines = "\n".join(self._lines(program))
            known = self._inner[id(program)] = hashlib.blake2b(
                lines.encode("utf-8", "replace"), digest_size=12
            ).hexdigest()
        return known

    def _aval(self, aval: str) -> str:
        _, sizes, types = self._level
        return aval if sizes and types else _without(aval, sizes, types)

    def _lines(self, program: Program) -> list[str]:
        level = self._level
        numbers: dict[int, int] = {}
        lines = [" ".join(map(self._aval, program.inputs)), " ".join(map(self._aval, program.constants))]
        count = len(program.inputs) + len(program.constants)
        numbers.update((number, number) for number in range(count))

        def operand(value: Operand) -> str:
            if isinstance(value, Literal):
                return f"{value.value if level.literals else '*'}:{self._aval(value.aval)}"
            return str(numbers.get(value.number, value.number))

        for equation in program.equations:
            if not level.types and equation.primitive == "convert_element_type":
                source = equation.inputs[0]
                if not isinstance(source, Literal):
                    numbers[equation.outputs[0]] = numbers.get(source.number, source.number)
                    continue
            operands = " ".join(map(operand, equation.inputs))
            for output in equation.outputs:
                numbers[output] = count
                count += 1
            lines.append(
                f"{equation.primitive} {operands} {self._params(equation)} {' '.join(map(self._aval, equation.avals))}"
            )
        lines.append(" ".join(map(operand, program.outputs)))
        return lines

    def _params(self, equation: Equation) -> str:
        level = self._level
        parts: list[str] = []
        for name, text in equation.params:
            if name in _TYPES:
                shown = text if level.types else "*"
            else:
                shown = _NUMBER.sub("_", text) if not level.sizes and name in _SIZES else text
            parts.append(f"{name}={shown}")
        parts.extend(f"{name}={self.digest(inner)}" for name, inner in equation.programs)
        return ",".join(parts)
