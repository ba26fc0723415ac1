"""`carry-mismatch`: the body of a loop returns another type than it was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.failure.codes.common import Fails
from whyjit.analyse.failure.codes.dtypes import converted, widens
from whyjit.analyse.page import Example, Page
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.model.failure import Mismatch

PAGE = Page(
    code="carry-mismatch",
    title="A loop's carry changes its type",
    what="The body of `scan`, `while_loop` or `fori_loop` returned a carry of another dtype, shape or structure.",
    why=(
        "The loop is one program that runs many times, and its output is its next input. So what goes round must keep "
        "its dtype, its shape and its structure."
    ),
    todo=(
        "Start with the type the body makes (`0.0` instead of `0`, an array of the final shape), or make the body keep "
        "the type it was given (`.astype(carry.dtype)`, no mixing of int and float, a fixed-size buffer with "
        "`.at[i].set` instead of `concatenate`)."
    ),
    ignore="Never: the function did not finish. If the error was caught on purpose, there is nothing to do.",
    before=Example("""
import jax
import jax.numpy as jnp

def add(total, x):
    return total + x, total

jax.lax.scan(add, jnp.int32(0), jnp.ones(3))
"""),
    after=Example(
        """
import jax
import jax.numpy as jnp

def add(total, x):
    return total + x, total

jax.lax.scan(add, jnp.float32(0), jnp.ones(3))
""",
        shows=False,
    ),
)
FAILS = Fails("TypeError", "jax.lax.scan(add, jnp.int32(0), jnp.ones(3))", ())


def pair_remedies(made: str) -> list[Remedy]:
    """What to do about a body of `scan` that returns no pair."""
    return [Remedy("pair", f"return {made}, None from the body", "none; None stands for no outputs")]


def remedies(mismatches: tuple[Mismatch, ...]) -> list[Remedy]:
    """The ways out, the fittest first."""
    if not mismatches:
        return []
    one = mismatches[0]
    made = one.found_by.source if one.found_by is not None else "<what the body returns>"
    start = one.expected_by.source if one.expected_by is not None else "<the first carry>"
    old, new = one.expected.partition("[")[0], one.found.partition("[")[0]
    if "dtype" in one.difference and old != one.expected and new != one.found:
        begin = Remedy("start value", f"start with {converted(start, new)}", f"{one.leaf} is {new} from the beginning")
        cost = f"{one.leaf} stays {old}" if widens(new, old) else f"the result is rounded or cut to {old}"
        body = Remedy("astype", f"{converted(made, old)} for {one.leaf} in the body", cost)
        return [begin, body] if widens(old, new) else [body, begin]
    if "shape" in one.difference:
        return [
            Remedy(
                "fixed size",
                f"start with an array of the final shape, and write into it with .at[...].set(...) instead of {made}",
                "memory for the final size from the beginning",
            ),
            Remedy(
                "stack the outputs",
                "return each step's part as the second result of lax.scan, which stacks them",
                "scan only",
            ),
        ]
    if one.expected == "None":
        text = f"start with an array for {one.leaf} instead of None: jnp.zeros_like({made}), or jnp.zeros(<its shape>)"
        return [Remedy("start value", text, "none")]
    return [
        Remedy("same structure", f"return {one.leaf} as {one.expected}, as it went in ({start})", "none"),
        Remedy("start value", f"start with {one.leaf} as {one.found}", "none"),
    ]
