"""The kinds of causes that lie in the arrays of a call, their containers, and the form of the call."""

from __future__ import annotations

from whyjit.analyse.page import Example, Page

PAGES = (
    Page(
        code="shape",
        title="An array has another shape",
        what="A leaf of the arguments came with another shape, or with another number of dimensions.",
        why="A program is staged and compiled for fixed sizes: another size is another program.",
        todo=(
            "Pad to one size or to a few, and mask the padding; drop the ragged rest of the data; or write into a"
            " buffer of the final size."
        ),
        ignore="When the sizes are few and each is used many times.",
        before=Example(
            "import jax, numpy as np\n"
            "total = jax.jit(lambda x: x.sum())\n"
            "total(np.ones(3, np.float32))\n"
            "total(np.ones(4, np.float32))\n"
        ),
    ),
    Page(
        code="dtype",
        title="An array has another dtype",
        what="A leaf of the arguments came with another element type, such as an integer where a float was.",
        why="The element type is part of the program. A Python `1` is an integer and `1.0` a float.",
        todo="Convert once, where the value is made or loaded.",
        ignore="When both precisions are meant and used often.",
        before=Example(
            "import jax, numpy as np\n"
            "total = jax.jit(lambda x: x.sum())\n"
            "total(np.ones(3, np.float32))\n"
            "total(np.ones(3, np.int32))\n"
        ),
    ),
    Page(
        code="weak_type",
        title="A value is weakly typed, or no longer",
        what=(
            "A leaf kept its shape and dtype and changed its weak type, which JAX prints as `~`: a Python number, or an"
            " array made of one without a dtype, gives way to the other operand's type."
        ),
        why="The weak type is part of the key, because it decides the types of results.",
        todo="Give the value its dtype where it is made, `jnp.asarray(x, dtype=...)`, or pass a Python number always.",
        ignore="When it costs one compile of a small function.",
        before=Example(
            "import jax, jax.numpy as jnp\ndouble = jax.jit(lambda x: x * 2)\ndouble(0.5)\ndouble(jnp.float32(0.5))\n"
        ),
        after=Example(
            "import jax, jax.numpy as jnp\n"
            "double = jax.jit(lambda x: x * 2)\n"
            "double(jnp.float32(0.25))\n"
            "double(jnp.float32(0.5))\n",
            shows=False,
        ),
    ),
    Page(
        code="structure",
        title="The containers of an argument changed",
        what=(
            "The pytree of an argument differs: another container, other keys, another length, None in the place of an"
            " array, or a class of the same name that was made again."
        ),
        why="The tree is part of the key, even where all arrays in it are the same.",
        todo="Keep one container and one set of keys; pass zeros or ones instead of None.",
        ignore="When the structures are real variants and each is used often.",
        before=Example(
            "import jax, jax.numpy as jnp\n"
            "total = jax.jit(lambda xs: sum(x.sum() for x in xs))\n"
            "total([jnp.ones(3), jnp.ones(3)])\n"
            "total((jnp.ones(3), jnp.ones(3)))\n"
        ),
    ),
    Page(
        code="call_form",
        title="The call is written in another form",
        what="A parameter was passed by position and now by keyword, or left at its default and now given.",
        why=(
            "Positional arguments and keywords are separate parts of the key, and a default that is left out is a"
            " constant of the program."
        ),
        todo="Write the call in one form everywhere.",
        ignore="When the second form is used once.",
        before=Example(
            "import jax, jax.numpy as jnp\n"
            "blend = jax.jit(lambda a, b=1.0: a + b)\n"
            "blend(jnp.ones(3))\n"
            "blend(jnp.ones(3), b=1.0)\n"
        ),
    ),
)
