"""A staged program as neutral data, and the fingerprints by which two programs are compared.

None of these values can be part of a cycle, so Python's collector is told to leave them alone (`gc=False`): a program
of thousands of equations must not set off collections in the user's program.
"""

from __future__ import annotations

import msgspec


class Literal(msgspec.Struct, frozen=True, tag=True, gc=False):
    """A constant written into the program: its value as text and its type."""

    value: str
    aval: str


class Variable(msgspec.Struct, frozen=True, tag=True, gc=False):
    """A value of the program by its canonical number (numbered in order of definition)."""

    number: int


Operand = Variable | Literal


class Place(msgspec.Struct, frozen=True, gc=False):
    """A line of the user's source, and the call that led to it: `caller` counts in the program's `places`, -1 is none.

    The lines of the traced function itself have no caller; `function` is the qualified name of the function around.
    """

    file: str
    line: int
    function: str = ""
    caller: int = -1


class Equation(msgspec.Struct, frozen=True, gc=False):
    """One equation. `params` are name and text; `programs` are the bodies it holds (branches, loop bodies, calls).

    `file` and `line` are those of its place, which counts in the program's `places`; -1 is no known place.
    """

    primitive: str
    inputs: tuple[Operand, ...]
    outputs: tuple[int, ...]
    avals: tuple[str, ...]
    params: tuple[tuple[str, str], ...] = ()
    programs: tuple[tuple[str, Program], ...] = ()
    file: str = ""
    line: int = 0
    place: int = -1


class Constant(msgspec.Struct, frozen=True, gc=False):
    """An array the program closes over: its type and size, and `name`, the captured variable, where one was found."""

    name: str
    aval: str
    nbytes: int


class Program(msgspec.Struct, frozen=True):
    """A staged program: input types, constants, equations in order, outputs, and the lines the equations came from."""

    inputs: tuple[str, ...]
    constants: tuple[str, ...]
    equations: tuple[Equation, ...]
    outputs: tuple[Operand, ...]
    places: tuple[Place, ...] = ()


class Fingerprint(msgspec.Struct, frozen=True):
    """Digests of one program at five levels of forgetting, so that two programs compare without being kept.

    `whole` forgets names only; `literals` also the values of literals and constants; `shapes` those and all sizes;
    `types` literal values and all element types (and the conversions that only types ask for); `skeleton` all of these.
    `constants` digests the values of closed-over arrays as far as they may be known and is "" where one may not be.
    """

    whole: str
    literals: str
    shapes: str
    types: str
    skeleton: str
    constants: str = ""
    equations: int = 0
