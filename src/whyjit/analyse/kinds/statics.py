"""The kinds of causes that lie in static values."""

from __future__ import annotations

from whyjit.analyse.page import Example, Page

PAGES = (
    Page(
        code="static",
        title="A static value changed",
        what=(
            "A static argument, or a static part of an argument (a field that is metadata of its pytree, a leaf that a"
            " filtering jit keeps out of the arrays), had another value."
        ),
        why="A static value decides the program, so each distinct one has a program of its own.",
        todo=(
            "Look at the program delta. `identical`: the value decides nothing, leave it out. `literals`: it is data,"
            " pass it as an array. `structure` or `shapes`: it selects a variant; keep the variants few."
        ),
        ignore="When it takes a few values and each is used many times.",
        before=Example(
            "import functools, jax, jax.numpy as jnp\n"
            "@functools.partial(jax.jit, static_argnames='mode')\n"
            "def reduce(x, mode):\n"
            "    return x.sum() if mode == 'sum' else x.mean()\n"
            "reduce(jnp.ones(3), mode='sum')\n"
            "reduce(jnp.ones(3), mode='mean')\n"
        ),
    ),
    Page(
        code="static_identity",
        title="A static value is equal to the eye and different to JAX",
        what="A static value reads the same as an earlier one, and JAX took it for another.",
        why=(
            "Static values are found by hash and equality. Functions, partials and plain objects equal only themselves,"
            " NaN equals nothing, and 1, 1.0, True and a NumPy integer are told apart by type."
        ),
        todo=(
            "Make the object once and pass the same one, or give its class equality and hash by value (a frozen"
            " dataclass). Normalise numbers to one Python type."
        ),
        ignore="When the object is made once in the whole run.",
        before=Example(
            "import functools, jax, jax.numpy as jnp\n"
            "@functools.partial(jax.jit, static_argnames='act')\n"
            "def layer(x, act):\n"
            "    return act(x)\n"
            "for _ in range(2):\n"
            "    layer(jnp.ones(3), act=lambda v: v * 2)\n"
        ),
        after=Example(
            "import functools, jax, jax.numpy as jnp\n"
            "@functools.partial(jax.jit, static_argnames='act')\n"
            "def layer(x, act):\n"
            "    return act(x)\n"
            "for _ in range(2):\n"
            "    layer(jnp.ones(3), act=jnp.tanh)\n",
            shows=False,
        ),
    ),
)
