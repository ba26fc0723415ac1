"""The kinds of causes that lie in the life of the caches, and what is said where no cause is known."""

from __future__ import annotations

from whyjit.analyse.page import Example, Page

PAGES = (
    Page(
        code="first",
        title="The first call",
        what="The first specialization of the function that was seen.",
        why="Something has to be traced and compiled once. Later ones are compared with the nearest before them.",
        todo="Nothing.",
        ignore="Always.",
    ),
    Page(
        code="cleared",
        title="The program had been dropped",
        what="A call with the key of an earlier one was traced again, and the earlier program was not alive any more.",
        why="`jax.clear_caches()` and `f.clear_cache()` drop programs; a full cache evicts the oldest.",
        todo="Do not clear what will be used again.",
        ignore="When memory must be freed between phases.",
        before=Example(
            "import jax, jax.numpy as jnp\n"
            "double = jax.jit(lambda x: x * 2)\n"
            "double(jnp.ones(3))\n"
            "jax.clear_caches()\n"
            "double(jnp.ones(3))\n"
        ),
    ),
    Page(
        code="retry_after_error",
        title="An earlier call like this one failed",
        what="A call with the same key was traced before and that trace ended in an exception.",
        why="JAX keeps nothing of a failed trace: each try runs the Python body again from the beginning.",
        todo="Check the arguments before the call, so that no trace is begun that must fail.",
        ignore="When the error was fixed and the retry is the point.",
        before=Example(
            "import jax, jax.numpy as jnp\n"
            "tries = []\n"
            "@jax.jit\n"
            "def load(x):\n"
            "    tries.append(1)\n"
            "    if len(tries) < 2:\n"
            "        raise OSError('not ready')\n"
            "    return x\n"
            "for _ in range(2):\n"
            "    try:\n"
            "        load(jnp.ones(3))\n"
            "    except OSError:\n"
            "        pass\n"
        ),
    ),
    Page(
        code="unknown",
        title="The cause is not known",
        what="Something was traced or compiled again, and nothing that was recorded differs.",
        why=(
            "Not everything that JAX keys on can be seen: the body of a loop called outside a jit, the parameters of an"
            " operation, or an executable that was dropped alone. A guess would be worse than none."
        ),
        todo="Look at the call sites; `whyjit why` shows both specializations and how far their programs are apart.",
        ignore="When it happens once.",
    ),
)
