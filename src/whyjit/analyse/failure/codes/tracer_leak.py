"""`tracer-leak`: a traced value was used after its trace had ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.failure.codes.common import Fails
from whyjit.analyse.page import Example, Page
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.model.failure import Leak

PAGE = Page(
    code="tracer-leak",
    title="A traced value was used after its trace had ended",
    what="A function that JAX traced stored a value outside itself, and that value was used later.",
    why=(
        "While a function is traced its values are placeholders in a program that is being made. Stored in an "
        "attribute, a global or a list, the placeholder outlives the program; it never had a number."
    ),
    todo=(
        "Return what must be kept, and store it outside: the caller gets an array. State that the function reads and "
        "changes goes in as an argument and comes out as a result. For looking at values, `jax.debug.print` and "
        "`jax.debug.callback` run when the program runs."
    ),
    ignore="Never: the value cannot be used. If the error was caught on purpose, there is nothing to do.",
    before=Example("""
import jax
import jax.numpy as jnp

seen = {}

@jax.jit
def scale(x):
    seen["largest"] = jnp.max(x)
    return x / jnp.max(x)

scale(jnp.ones(3))
jnp.log(seen["largest"])
"""),
    after=Example(
        """
import jax
import jax.numpy as jnp

seen = {}

@jax.jit
def scale(x):
    return x / jnp.max(x), jnp.max(x)

y, seen["largest"] = scale(jnp.ones(3))
jnp.log(seen["largest"])
""",
        shows=False,
    ),
)
FAILS = Fails("UnexpectedTracerError", 'jnp.log(seen["largest"])', ())


def remedies(leak: Leak) -> list[Remedy]:
    """The ways out, the fittest first."""
    function = leak.function or "the traced function"
    stored = leak.stored or "the place it was stored in"
    value = leak.made.source if leak.made is not None and leak.made.source else "the value"
    found = [
        Remedy(
            "return it",
            f"return {value} from {function} as well, and assign {stored} outside, from the result",
            "one more output",
        )
    ]
    if leak.store is not None and leak.stored and leak.stored.split("[")[0] in leak.store.source.partition("=")[2]:
        found.append(
            Remedy(
                "state in, state out",
                f"pass {stored} into {function} as an argument and return the new one",
                "one more input and output",
            )
        )
    found.append(
        Remedy(
            "jax.debug.callback",
            f"jax.debug.callback(<function that stores it>, {value}) in {function}",
            "a host call each time the program runs, and the jitted function leaves JAX's fast path",
        )
    )
    return found
