"""Random numbers of NumPy or Python, and the clock, inside a jitted function: drawn once, while it is traced."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whyjit.lint.reading import Module, Place, own_parts

CODE = "runs-once"
_RANDOM = ("numpy.random.", "random.")
# Making a generator, or reading its state, draws nothing.
_NOT_DRAWN = frozenset({
    "numpy.random.default_rng", "numpy.random.RandomState", "numpy.random.Generator", "numpy.random.SeedSequence",
    "numpy.random.seed", "numpy.random.get_state", "numpy.random.set_state", "random.seed", "random.Random",
    "random.getstate", "random.setstate", "numpy.random.PCG64", "numpy.random.Philox",
})  # fmt: skip
_CLOCK = frozenset({"time.time", "time.perf_counter", "time.monotonic", "time.time_ns", "datetime.datetime.now"})

HAZARDS = (
    ("import jax\nimport numpy as np\n\n@jax.jit\ndef f(x):\n    return x + np.random.normal(size=3)\n", 6),
    ("import jax, random\n\n@jax.jit\ndef f(x):\n    return x * random.random()\n", 5),
    ("import jax\nfrom time import time\n\n@jax.jit\ndef f(x):\n    return x + time()\n", 6),
)
FINE = (
    "import jax\nimport numpy as np\n\ndef f(x):\n    return x + np.random.normal(size=3)\n",
    "import jax\n\n@jax.jit\ndef f(key, x):\n    return x + jax.random.normal(key, (3,))\n",
    "import jax\nfrom jax import random\n\n@jax.jit\ndef f(key, x):\n    return x + random.normal(key, (3,))\n",
    "import jax, random\n\n@jax.jit\ndef f(x):\n    return jax.pure_callback(lambda y: random.random(), x, x)\n",
    "import jax\nimport numpy as np\n\n@jax.jit\ndef f(x):\n    return x @ np.random.default_rng(0).normal(size=3)\n",
)  # fmt: skip


def find(module: Module) -> Iterator[Place]:
    """Each such call in the body of a jitted function itself: those inside may be called when the program runs."""
    for function in module.jitted:
        for part in own_parts(function.node.body):
            if not isinstance(part, ast.Call):
                continue
            name = module.name(part.func)
            where = f"while `{function.node.name}` is traced"
            if name.startswith(_RANDOM) and name not in _NOT_DRAWN and name.count(".") <= 2:
                text = f"`{module.text(part.func)}` draws once, {where}, and the number stays: pass a key to jax.random"
                yield module.place(part, CODE, text)
            elif name in _CLOCK:
                text = f"`{module.text(part.func)}` is read once, {where}: read the clock outside, and pass it"
                yield module.place(part, CODE, text)
