"""What is known at the moment a tracer error is looked at: the meeting point of the observer and the analysis.

The observer stands before live frames and tracers; the analysis knows source code and JAX's rules, and no JAX object.
They talk through `Scene`: the analysis asks about expressions (as syntax trees), the observer answers with the frozen
values below. Positions are Python's own: lines from 1, columns in UTF-8 bytes from 0.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from whyjit.model.failure import Argument, InnerArguments, Step

Kind = Literal["traced", "array", "container", "function", "jitted", "type", "module", "value"]


# Instructions that load two names at once, since Python 3.13; the argument is the names, the second one loaded last.
TWO_NAMES = frozenset({
    "LOAD_FAST_LOAD_FAST", "STORE_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW",
})  # fmt: skip


# What stands as the argument of a comparison that also asks its answer for its truth, since Python 3.13.
ASKS_TRUTH = "bool"


class Span(msgspec.Struct, frozen=True):
    """A stretch of source that a bytecode instruction belongs to."""

    line: int
    end_line: int
    column: int
    end_column: int


class Instruction(msgspec.Struct, frozen=True):
    """A bytecode instruction: name and source, and as argument the names of one of `TWO_NAMES`, or `ASKS_TRUTH`."""

    name: str
    argument: str = ""
    span: Span | None = None


class Point(msgspec.Struct, frozen=True):
    """A frame of the user's code. `instructions` are the one that was executing and some before it, newest first.

    `direct` tells that the next point called this one itself, with nothing of JAX or a library in between.
    """

    file: str
    function: str
    line: int
    first_line: int
    instructions: tuple[Instruction, ...] = ()
    direct: bool = False


class Seen(msgspec.Struct, frozen=True):
    """What a value is. `type` is such as `float32[3]` for arrays and tracers; `text` is the repr of a plain value."""

    kind: Kind
    type_name: str
    type: str = ""
    dtype: str = ""
    shape: tuple[int, ...] | None = None
    text: str = ""

    @property
    def scalar(self) -> bool:
        """Whether it is an array or a tracer with no dimensions."""
        return self.shape == ()


class Origin(msgspec.Struct, frozen=True):
    """Where traced values come from.

    `called` names the outermost function (defined at `called_line`) and its transformation; "filter_jit" stands for a
    jit of equinox, which makes arrays traced and everything else static. `batched` tells that a `vmap` maps over the
    value, so that it is not one value but one per example, `mapped` that there is one per device, and `carried` that a
    loop carries it. `exact` is False where no graph of operations was kept and the arguments could not be found by
    following it.
    """

    arguments: tuple[Argument, ...] = ()
    inner: tuple[InnerArguments, ...] = ()
    chain: tuple[Step, ...] = ()
    operations: int = 0
    called: str = ""
    called_file: str = ""
    called_line: int = 0
    transformation: str = ""
    batched: bool = False
    mapped: bool = False
    carried: bool = False
    keyed: bool = False
    exact: bool = True
    largest: str = ""
    notes: tuple[str, ...] = ()


class Leaked(msgspec.Struct, frozen=True):
    """A tracer whose trace has ended: the function that was traced (and where it is), and what made the value.

    `read` is the expression it was found in, long after, and `reader` the function that the expression stands in.
    """

    function: str
    transformation: str
    type: str
    file: str = ""
    line: int = 0
    made: Step | None = None
    made_span: Span | None = None
    made_file: str = ""
    read: str = ""
    reader: str = ""


class Callee(msgspec.Struct, frozen=True):
    """A jitted function that an expression names. `bound` tells that its first parameter is filled already."""

    name: str
    parameters: tuple[str, ...]
    static: tuple[str, ...]
    bound: bool = False


class NotArrays(msgspec.Struct, frozen=True):
    """The leaves that a jitted function was called with and JAX cannot take, by path and type name.

    `kinds` tells of each what it is: "function", "setting" (a string, a class, a member of an enumeration: hashable by
    its value), "iterator", "objects" (an array of them), "array" (of a dtype that JAX has not), "object". `mixed` are
    the parameters that hold arrays as well, and `package` the package whose objects they are.
    `transformation` is what the function was called through.
    """

    function: str
    leaves: tuple[tuple[str, str], ...]
    kinds: tuple[str, ...] = ()
    mixed: tuple[str, ...] = ()
    package: str = ""
    transformation: str = "jit"


class Place(msgspec.Struct, frozen=True):
    """Where a function is defined."""

    name: str
    file: str
    line: int


class Field(msgspec.Struct, frozen=True):
    """A part of a value that cannot be hashed: its path below the value, and its type."""

    path: str
    type_name: str


class Scene(Protocol):
    """Answers questions about one exception. `depth` counts the points from the innermost, 0."""

    @property
    def error(self) -> str:
        """The exception's class name."""
        ...

    @property
    def message(self) -> str:
        """The exception's text."""
        ...

    @property
    def points(self) -> Sequence[Point]:
        """The frames of the user's own code, innermost first."""
        ...

    @property
    def raised_in(self) -> Point | None:
        """The innermost frame that is not JAX's, where that is in a library and not in the user's own code."""
        ...

    def lines(self, file: str) -> list[str]:
        """The source of a file, line by line with line ends; empty where there is none."""
        ...

    def see(self, depth: int, node: ast.expr) -> Seen | None:
        """What an expression's value is, where that can be read without running anything."""
        ...

    def traced_parts(self, depth: int, node: ast.expr) -> list[tuple[ast.expr, Seen]]:
        """The largest readable parts of an expression that hold traced values."""
        ...

    def origin(self, depth: int, nodes: Sequence[ast.expr]) -> Origin | None:
        """Where the traced values in these expressions come from; None where they hold none."""
        ...

    def error_origin(self) -> Origin | None:
        """The same, of the tracer that the error itself is about, where JAX handed it over."""
        ...

    def error_value(self) -> Seen | None:
        """What that tracer is."""
        ...

    def leaked(self, depth: int, nodes: Sequence[ast.expr]) -> Leaked | None:
        """The first value that has outlived its trace: the one the error is about, or one in these expressions."""
        ...

    def callee(self, depth: int, node: ast.expr) -> Callee | None:
        """The jitted function that an expression names."""
        ...

    def unhashable(self, depth: int, node: ast.expr) -> Field | None:
        """What in an expression's value cannot be hashed, where the value can be read and holds such a thing."""
        ...

    def not_arrays(self) -> NotArrays | None:
        """What a jitted function was called with that is no array, where its call is still on the stack."""
        ...

    def place(self, depth: int, node: ast.expr) -> Place | None:
        """Where the function that an expression names is defined."""
        ...
