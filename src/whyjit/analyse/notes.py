"""What is told as information only, with the page of each: nothing is wrong with it by itself."""

from __future__ import annotations

from whyjit.analyse.page import Example, Page

RUNS_ONCE = Page(
    code="runs-once",
    title="It runs only while the function is traced",
    what=(
        "The body prints, changes something outside, reads the clock, or draws random numbers of NumPy's or Python's."
        " That happens while JAX traces it, and not when the compiled program is called."
    ),
    why=(
        "JAX runs the Python body to find out the program, and then calls the program. What a step of Python's gave"
        " while tracing is a constant of the program; what it did is done once for each trace."
    ),
    todo=(
        "For printing use `jax.debug.print`; for random numbers `jax.random` with a key that is an argument; the time,"
        " a setting, or a counter pass as arguments, and return what is to be kept. For a step that must run with"
        " every call there are `jax.debug.callback` and `jax.experimental.io_callback`."
    ),
    ignore=(
        "When it is meant for the trace: a print that tells when one happens, a count of traces, a table worked out"
        " once. It was found in the code; the trace need not have come to it."
    ),
    before=Example(
        "import jax, jax.numpy as jnp, numpy as np\n"
        "rng = np.random.default_rng(0)\n"
        "@jax.jit\n"
        "def jitter(x):\n"
        "    print('jitter', x)\n"
        "    return x + rng.normal()\n"
        "jitter(jnp.ones(3)), jitter(jnp.ones(3))\n"
    ),
    after=Example(
        "import jax, jax.numpy as jnp\n"
        "@jax.jit\n"
        "def jitter(x, key):\n"
        "    jax.debug.print('jitter {}', x)\n"
        "    return x + jax.random.normal(key)\n"
        "keys = jax.random.split(jax.random.key(0))\n"
        "jitter(jnp.ones(3), keys[0])\n",
        shows=False,
    ),
)

PAGES: dict[str, Page] = {RUNS_ONCE.code: RUNS_ONCE}

__all__ = ["PAGES", "RUNS_ONCE"]
