"""A tracer error, explained: where it arose, what was asked for, which arguments it came from, and what to do.

Lines count from 1. Columns count characters from 0, and `columns` is the part of the expression within its first line.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Nature = Literal["data", "configuration", "unknown"]


class SourceLine(msgspec.Struct, frozen=True):
    """A line of the user's source, with its number."""

    number: int
    text: str


class Argument(msgspec.Struct, frozen=True):
    """A leaf of the arguments that a failing value came from. `type` is such as `float32[3]`, "" where unknown."""

    path: str
    type: str = ""
    scalar: bool = False


class InnerArguments(msgspec.Struct, frozen=True):
    """The arguments of one function that was being traced inside the one the user called."""

    function: str
    transformation: str
    arguments: tuple[str, ...]


class Step(msgspec.Struct, frozen=True):
    """One operation on the way from an argument to the failing expression: JAX's name for it and the user's source."""

    operation: str
    source: str
    file: str
    line: int
    function: str = ""


class Remedy(msgspec.Struct, frozen=True):
    """One way out: `text` is code for this very line, in the user's own names; `cost` says what it costs."""

    name: str
    text: str
    cost: str


class Leak(msgspec.Struct, frozen=True):
    """How a traced value outlived its trace.

    `function` made it, `made` is the operation that did, `stored` the name or attribute it was kept in, and `store` the
    statement that put it there. What could not be found out is "" or None.
    """

    function: str
    made: Step | None
    stored: str = ""
    store: Step | None = None


class Mismatch(msgspec.Struct, frozen=True):
    """One leaf whose type, shape or structure differs where JAX needs it equal.

    `expected` entered the loop (or came out of the first branch), `found` came out of its body (or the other branch);
    the steps are the expressions that made each.
    """

    leaf: str
    expected: str
    found: str
    difference: str
    expected_by: Step | None = None
    found_by: Step | None = None


class Failure(msgspec.Struct, frozen=True):
    """One error, explained.

    `arguments` are leaf paths of the outermost function that the user called, `inner_arguments` those of the traces
    inside it, outermost first. `chain` is shortened in its middle where it is long: `operations` is its length then.
    `nature` says whether the value is data of the program or could be configuration of it, `nature_evidence` why.
    `notes` name what could not be known.
    """

    error: str
    code: str
    function: str = ""
    file: str = ""
    line: int = 0
    end_line: int = 0
    columns: tuple[int, int] | None = None
    end_column: int = 0
    expression: str = ""
    source_lines: tuple[SourceLine, ...] = ()
    asked: str = ""
    called: str = ""
    arguments: tuple[str, ...] = ()
    argument_types: tuple[str, ...] = ()
    inner_arguments: tuple[InnerArguments, ...] = ()
    chain: tuple[Step, ...] = ()
    operations: int = 0
    nature: Nature = "unknown"
    nature_evidence: str = ""
    remedies: tuple[Remedy, ...] = ()
    leak: Leak | None = None
    mismatches: tuple[Mismatch, ...] = ()
    text: str = ""
    notes: tuple[str, ...] = ()
