"""The kinds of causes that lie around the call: configuration, placement, and the options of the jit."""

from __future__ import annotations

from whyjit.analyse.page import Example, Page

PAGES = (
    Page(
        code="context",
        title="JAX's configuration was another",
        what=(
            "A setting that is part of every key had another value: x64, matmul precision, the default device, rank or"
            " dtype promotion, a mesh; or the function was called under another transformation."
        ),
        why="Such settings change what the same source stages, so JAX keeps the programs apart even where they agree.",
        todo="Set it once, before the first call, or keep the context manager around all calls.",
        ignore="When both settings are meant and used often.",
        before=Example(
            "import jax, jax.numpy as jnp\n"
            "project = jax.jit(lambda x: x @ x)\n"
            "project(jnp.ones((3, 3)))\n"
            "with jax.default_matmul_precision('float32'):\n"
            "    project(jnp.ones((3, 3)))\n"
        ),
    ),
    Page(
        code="sharding",
        title="An array lies elsewhere",
        what=(
            "A leaf came with another sharding, another device, another memory kind, or committed to a device where it"
            " was not before. Mostly the program is not traced again; it is lowered and compiled again."
        ),
        why="An executable is made for the placement of its inputs. An array that `device_put` placed is committed.",
        todo="Place the value once, before the first call, where the later calls will have it.",
        ignore="When the function is really used on several placements.",
        before=Example(
            "import jax, jax.numpy as jnp\n"
            "double = jax.jit(lambda x: x * 2)\n"
            "double(jnp.ones(3))\n"
            "double(jax.device_put(jnp.ones(3), jax.devices()[0]))\n"
        ),
    ),
    Page(
        code="jit_options",
        title="The function was jitted with other options",
        what="A second `jax.jit` of a function has other options: donation, shardings, compiler options, statics.",
        why="The options select another executable for the same program, and some of them another program.",
        todo="Jit the function once and use that object everywhere.",
        ignore="When both executables are meant.",
        before=Example(
            "import jax, numpy as np\n"
            "def step(x):\n"
            "    return x + 1\n"
            "jax.jit(step)(np.ones(3, np.float32))\n"
            "jax.jit(step, donate_argnums=0)(np.ones(3, np.float32))\n"
        ),
    ),
)
