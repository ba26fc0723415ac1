"""The kind of a cause that lies in the function object."""

from __future__ import annotations

from whyjit.analyse.page import Example, Page

PAGES = (
    Page(
        code="function",
        title="Another function object",
        what=(
            "The call went to another function object made from the same source: a lambda, a nested function, a"
            " partial, a bound method, or the result of `jax.grad`, `jax.vmap` or a decorator that was made again."
        ),
        why=(
            "JAX's tracing cache finds a program by the function object and not by its source. What a function object"
            " carries (closure variables, bound arguments, defaults, `self`) may differ, and JAX does not look."
        ),
        todo=(
            "Make and jit the function once, at module level or before the loop, and pass what changes as an argument."
            " Where the path names a captured variable, that is what differs; without one nothing was seen to differ."
        ),
        ignore="When a few objects are made in the whole run and each is called many times.",
        before=Example(
            "import jax, jax.numpy as jnp\n"
            "def make(power):\n"
            "    return jax.jit(lambda x: x**power)\n"
            "make(2)(jnp.ones(3))\n"
            "make(3)(jnp.ones(3))\n"
        ),
        after=Example(
            "import jax, jax.numpy as jnp\n"
            "raised = jax.jit(lambda x, power: x**power)\n"
            "raised(jnp.ones(3), 2)\n"
            "raised(jnp.ones(3), 3)\n",
            shows=False,
        ),
    ),
)
