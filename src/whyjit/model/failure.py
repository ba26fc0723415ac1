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


class Given(msgspec.Struct, frozen=True):
    """What the caller passed for an argument: the value itself where that is known without reading an array.

    `holder` is "python" for a scalar of Python's, whose `type` is `int`, `float`, `bool` or `complex` and whose `value`
    is its text; else "numpy" or "jax", and the value is not known. `values` are the distinct values seen, the oldest
    first and not all where there are many: `distinct` is their number, and `calls` that of the calls they were seen in,
    this one included. Calls that JAX answered from its caches are not looked at.
    """

    path: str
    holder: str
    type: str
    value: str = ""
    values: tuple[str, ...] = ()
    distinct: int = 0
    calls: int = 0

    @property
    def text(self) -> str:
        """What it was, in words."""
        if self.holder != "python":
            kind = "JAX array" if self.holder == "jax" else f"NumPy {self.type.removeprefix('nd')}"
            return f"a {kind}, whose {'values are' if kind.endswith('array') else 'value is'} not read"
        known = not self.value.startswith("<")
        own = f"the Python {self.type} {self.value}" if known else f"a Python {self.type}, its value hidden"
        if self.calls < 2:
            return own
        if self.distinct < 2:
            return f"{own}, the same in {self.calls} uncached calls"
        listed = ", ".join(self.values) + (", ..." if self.distinct > len(self.values) else "")
        return f"{own}; {self.distinct} values in {self.calls} uncached calls{f': {listed}' if self.values else ''}"


class Argument(msgspec.Struct, frozen=True):
    """A leaf of the arguments that a failing value came from. `type` is such as `float32[3]`, "" where unknown."""

    path: str
    type: str = ""
    scalar: bool = False
    given: Given | None = None


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
    `given` tells what was passed for them, where that is known. `nature` says whether the value is data of the program
    or could be configuration of it, `nature_evidence` why.
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
    given: tuple[Given, ...] = ()
