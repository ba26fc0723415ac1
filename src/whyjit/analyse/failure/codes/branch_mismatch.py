"""`branch-mismatch`: the branches of a `cond` or `switch` return different types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.failure.codes.common import Fails
from whyjit.analyse.failure.codes.dtypes import converted, widens
from whyjit.analyse.page import Example, Page
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.model.failure import Mismatch

PAGE = Page(
    code="branch-mismatch",
    title="Two branches return different types",
    what="The functions given to `cond` or `switch` return values of another dtype, shape or structure.",
    why="What follows the choice is one program for whichever branch ran, so its input has one type.",
    todo=(
        "Give the results one type: the same dtype (`.astype`, `0.0` instead of `0`), one shape (pad the smaller), one "
        "structure (an array of zeros instead of None). Branches that must differ are variants of the program: choose "
        "between them in Python, by a static argument."
    ),
    ignore="Never: the function did not finish. If the error was caught on purpose, there is nothing to do.",
    before=Example("""
import jax
import jax.numpy as jnp

@jax.jit
def halve(x, really):
    return jax.lax.cond(really, lambda v: v / 2, lambda v: v, x)

halve(jnp.int32(4), True)
"""),
    after=Example(
        """
import jax
import jax.numpy as jnp

@jax.jit
def halve(x, really):
    return jax.lax.cond(really, lambda v: v // 2, lambda v: v, x)

halve(jnp.int32(4), True)
""",
        shows=False,
    ),
)
FAILS = Fails("TypeError", "jax.lax.cond(really, lambda v: v / 2, lambda v: v, x)", ())


def remedies(mismatches: tuple[Mismatch, ...]) -> list[Remedy]:
    """The ways out, the fittest first."""
    if not mismatches:
        return []
    one = mismatches[0]
    first = one.expected_by.source if one.expected_by is not None else "<the first branch's result>"
    second = one.found_by.source if one.found_by is not None else "<the other branch's result>"
    old = one.expected.partition("[")[0]
    if "None" in (one.expected, one.found):
        nothing, other = (first, second) if one.expected == "None" else (second, first)
        if nothing.endswith("which returns nothing"):
            text = f"return a value from {nothing.partition(',')[0]}: a function without `return` gives None"
        elif other.startswith("<"):
            text = "return an array in both, such as jnp.zeros_like(<the other branch's result>) instead of None"
        else:
            text = f"return an array in both: jnp.zeros_like({other}) instead of None"
        return [Remedy("same structure", text, "none"), _variants()]
    if "dtype" in one.difference and "[" in one.expected:
        new = one.found.partition("[")[0]
        text, kept = (converted(first, new), new) if widens(old, new) else (converted(second, old), old)
        return [Remedy("astype", text, f"both branches then give {kept}"), _variants()]
    if "shape" in one.difference:
        return [
            Remedy(
                "pad",
                f"bring {second} ({one.found}) to the shape of {first} ({one.expected}), and mask",
                "work on padding",
            ),
            _variants(),
        ]
    return [
        Remedy(
            "same structure",
            f"return from both what {first} has: {one.expected}",
            "an array of zeros can stand for None",
        ),
        _variants(),
    ]


def _variants() -> Remedy:
    return Remedy(
        "static_argnames",
        "choose the branch in Python, by a static argument",
        "one trace and one compile for each value",
    )
