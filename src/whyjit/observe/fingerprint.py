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


# The levels in the order of `_Writer`'s lines. Those without types leave conversions out and number what follows anew.
_LEVELS = ("whole", "literals", "shapes", "types", "skeleton")


def fingerprint(program: Program, constants: Iterable[tuple[str, str]] = ()) -> Fingerprint:
    """The fingerprint of a program. `constants` are the tokens and texts of its closed-over arrays, in order."""
    found = list(constants)
    digests = dict(zip(_LEVELS, _Writer().digests(program), strict=True))
    joined = "\n".join(token for token, _ in found)
    tokens = hashlib.blake2b(joined.encode(), digest_size=8).hexdigest() if found else ""
    unread = any(token.startswith("#") or not token for token, _ in found)
    return Fingerprint(**digests, constants=f"?{tokens}" if unread else tokens, equations=count(program))


def count(program: Program) -> int:
    """The number of equations, those of inner programs included."""
    return len(program.equations) + sum(count(inner) for eq in program.equations for _, inner in eq.programs)


class _Texts(NamedTuple):
    """One piece of writing with everything, without sizes, without types, and without both."""

    whole: str
    sizeless: str
    typeless: str
    bare: str


@functools.lru_cache(maxsize=20000)
def _aval(aval: str) -> _Texts:
    element, _, shape = aval.partition("[")
    sizeless = _NUMBER.sub("_", shape)
    return _Texts(aval, f"{element}[{sizeless}", f"[{shape}", f"[{sizeless}")


@functools.lru_cache(maxsize=20000)
def _avals(avals: tuple[str, ...]) -> _Texts:
    return _Texts(*(" ".join(texts) for texts in zip(*map(_aval, avals), strict=True))) if avals else _NOTHING


@functools.lru_cache(maxsize=20000)
def _params(params: tuple[tuple[str, str], ...]) -> _Texts:
    parts = [_param(name, text) for name, text in params]
    return _Texts(*(",".join(texts) for texts in zip(*parts, strict=True))) if parts else _NOTHING


def _param(name: str, text: str) -> _Texts:
    whole = f"{name}={text}"
    if name in _TYPES:
        return _Texts(whole, whole, name, name)
    if name in _SIZES:
        sizeless = f"{name}={_NUMBER.sub('_', text)}"
        return _Texts(whole, sizeless, whole, sizeless)
    return _Texts(whole, whole, whole, whole)


_NOTHING = _Texts("", "", "", "")


class _Writer:
    """Writes a program down at all levels in one pass: the user's program runs beside it, and should not wait."""

    def __init__(self) -> None:
        self._inner: dict[int, tuple[str, ...]] = {}
        # Equations that do the same share the objects that say so, and all live as long as the program.
        self._tails: dict[tuple[int, int], tuple[str, ...]] = {}

    def digests(self, program: Program) -> tuple[str, ...]:
        """The digest of a program at each level; that of an inner program is worked out once."""
        known = self._inner.get(id(program))
        if known is None:
            written = ("\n".join(lines).encode("utf-8", "replace") for lines in self._lines(program))
            known = tuple(hashlib.blake2b(text, digest_size=12).hexdigest() for text in written)
            self._inner[id(program)] = known
        return known

    def _lines(self, program: Program) -> tuple[list[str], ...]:
        inputs, constants = _avals(program.inputs), _avals(program.constants)
        heads = [f"{a};{b}" for a, b in zip(inputs, constants, strict=True)]
        lines: tuple[list[str], ...] = tuple([heads[at]] for at in (0, 0, 1, 2, 3))
        whole, literals, shapes, types, skeleton = (level.append for level in lines)
        numbers = {number: number for number in range(len(program.inputs) + len(program.constants))}
        place = len(numbers)
        for equation in program.equations:
            name = equation.primitive
            tails = self._tails_of(equation)
            with_values, typed, sizeless, typeless, bare = _operands(equation.inputs, numbers)
            whole(f"{name} {with_values} {tails[0]}")
            literals(f"{name} {typed} {tails[1]}")
            shapes(f"{name} {sizeless} {tails[2]}")
            if name == "convert_element_type" and not isinstance(equation.inputs[0], Literal):
                source = equation.inputs[0].number
                numbers[equation.outputs[0]] = numbers.get(source, source)
                continue
            for output in equation.outputs:
                numbers[output] = place
                place += 1
            types(f"{name} {typeless} {tails[3]}")
            skeleton(f"{name} {bare} {tails[4]}")
        for level, text in zip(lines, _operands(program.outputs, numbers), strict=True):
            level.append(text)
        return lines

    def _tails_of(self, equation: Equation) -> tuple[str, ...]:
        """What follows an equation's operands, at each level: parameters, inner programs, types of the outputs."""
        key = id(equation.params), id(equation.avals)
        tails = None if equation.programs else self._tails.get(key)
        if tails is None:
            params, avals = _params(equation.params), _avals(equation.avals)
            inner = self._programs(equation) if equation.programs else _NO_PROGRAMS
            tails = tuple(
                f"{params[at]} {program} {avals[at]}" for program, at in zip(inner, (0, 0, 1, 2, 3), strict=True)
            )
            if not equation.programs:
                self._tails[key] = tails
        return tails

    def _programs(self, equation: Equation) -> tuple[str, ...]:
        named = [(name, self.digests(inner)) for name, inner in equation.programs]
        return tuple(",".join(f"{name}={digests[at]}" for name, digests in named) for at in range(len(_LEVELS)))


_NO_PROGRAMS = ("",) * len(_LEVELS)


def _operands(operands: tuple[Operand, ...], numbers: dict[int, int]) -> tuple[str, str, str, str, str]:
    """The operands at each level: literals with or without their value, variables by number or by `numbers`."""
    plain: list[str] = []
    others: list[str] = []
    for operand in operands:
        if type(operand) is Literal:
            return _with_literals(operands, numbers)
        number = operand.number  # type: ignore[union-attr]
        plain.append(str(number))
        others.append(str(numbers.get(number, number)))
    text, other = " ".join(plain), " ".join(others)
    return text, text, text, other, other


def _with_literals(operands: tuple[Operand, ...], numbers: dict[int, int]) -> tuple[str, str, str, str, str]:
    columns: tuple[list[str], ...] = ([], [], [], [], [])
    for operand in operands:
        if isinstance(operand, Literal):
            aval = _aval(operand.aval)
            texts = (f"{operand.value}:{aval.whole}", *(f"*:{text}" for text in aval))
        else:
            number, other = str(operand.number), str(numbers.get(operand.number, operand.number))
            texts = (number, number, number, other, other)
        for column, text in zip(columns, texts, strict=True):
            column.append(text)
    whole, literals, shapes, types, skeleton = (" ".join(column) for column in columns)
    return whole, literals, shapes, types, skeleton
