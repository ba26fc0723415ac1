"""`tracer-leak`: a traced value was used after its trace had ended."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.analyse.failure import syntax
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


def _value(leak: Leak) -> str:
    """What to return: the expression that made the value, or what the statement stores."""
    made = leak.made.source if leak.made is not None else ""
    if leak.store is None:
        return made or "the value"
    kept = syntax.statement(leak.store.source)
    if isinstance(kept, ast.AugAssign):
        return ast.unparse(ast.BinOp(kept.target, kept.op, kept.value))
    if isinstance(kept, ast.Expr) and isinstance(kept.value, ast.Call) and kept.value.args and not made:
        return ast.unparse(kept.value.args[-1])
    target, _, stored = leak.store.source.partition(" = ")
    if stored and "," in target and leak.stored in [part.strip() for part in target.split(",")]:
        return leak.stored  # `key, sub = split(key)`
    return made if made and made in leak.store.source else stored or made or "the value"


def _reads_itself(statement: str, stored: str) -> bool:
    """Whether what is kept is made of what was kept before: `self.n = self.n + 1`, `total += x`."""
    kept = syntax.statement(statement)
    return isinstance(kept, ast.AugAssign) or stored.partition("[")[0] in statement.partition("=")[2]


def _uncached(function: str, value: str) -> list[Remedy]:
    """A value that Python's own cache has kept."""
    return [
        Remedy(
            "concrete",
            f"with jax.ensure_compile_time_eval(): around {value} in {function}, which then computes while tracing",
            "computed once, and a constant of each program that uses it",
        ),
        Remedy(
            "call it before",
            f"call {function}() once outside any jitted function, so that the cache holds an array",
            "none",
        ),
        Remedy("no cache", f"take the cache off {function}: while tracing it runs once for each program", "none"),
    ]


def remedies(leak: Leak) -> list[Remedy]:
    """The ways out, the fittest first."""
    function = leak.function or "the traced function"
    stored = leak.stored or "the place it was stored in"
    value = _value(leak)
    if stored.startswith("the cache of ") and leak.store is not None:
        return _uncached(leak.store.function, value)
    put = (
        "put it into"
        if leak.store is not None and leak.store.source.endswith(")") and "=" not in leak.store.source
        else "assign"
    )
    found = [
        Remedy(
            "return it",
            f"return {value} from {function} as well, and {put} {stored} outside, from the result",
            "one more output",
        )
    ]
    if leak.store is not None and leak.stored and _reads_itself(leak.store.source, leak.stored):
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
