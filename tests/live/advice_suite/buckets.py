"""Functions called with many sizes: which may be padded, and which may not.

Each is called with sizes 3, 5, 6 and 7 of values of both signs, so that no result is right by accident of zeros.
"""

from __future__ import annotations

from .case import Case

_SIZES = (3, 5, 6, 7)

_DATA = (
    "def rows(n):\n"
    "    return np.random.default_rng(n).normal(size=(n, 4)).astype(np.float32) - 0.5\n"
    "def line(n):\n"
    "    return np.random.default_rng(n).normal(size=n).astype(np.float32) - 0.5\n"
    "def marks(n):\n"
    "    return np.arange(n) % 3 != 1\n"
    "def ids(n):\n"
    "    return (np.arange(n) * 7 % 5).astype(np.int32)\n"
    "W = np.linspace(-1, 1, 16, dtype=np.float32).reshape(4, 4)\n"
)


def case(name, body, call="f(rows({n}))", expected="PROVEN", because="", path="x", *, jit="jax.jit"):
    """One function `f`, called as in `call` for each size. What is to be rejected would be wrong."""
    calls = tuple(call.format(n=n) for n in _SIZES)
    source = f"{_DATA}@{jit}\n{body}"
    return Case(name, "bucket", source, calls, expected, because, path=path, wrong=expected == "REJECTED")


CASES = (
    # Each row by itself.
    case("row-wise map", "def f(x):\n    return jnp.tanh(x @ W)\n"),
    case("layer norm", "def f(x):\n    return (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + 1e-5)\n"),
    case("softmax of rows", "def f(x):\n    return jax.nn.softmax(x, -1)\n"),
    case("row sums", "def f(x):\n    return x.sum(-1)\n"),
    case("row norms as well", "def f(x):\n    return {'y': x @ W, 'n': jnp.linalg.norm(x + 3, axis=-1)}\n"),
    case("embedding", "def f(x):\n    return jnp.asarray(W)[x]\n", "f(ids({n}) % 4)"),
    case("vmap over rows", "def f(x):\n    return jax.vmap(lambda r: jnp.cumsum(r) * r[0])(x)\n"),
    case("flattened rows", "def f(x):\n    return (x * 2).reshape(-1)\n"),
    case("second axis", "def f(x):\n    return jnp.tanh(W @ x)\n", "f(rows({n}).T)"),
    case(
        "a pytree of arrays",
        "def f(b):\n    return b['x'] * b['y'][:, None]\n",
        "f(dict(x=rows({n}), y=line({n})))",
        path="b",
    ),
    case(
        "a static beside it",
        "def f(x, kind):\n    return x * 2 if kind == 'twice' else x\n",
        "f(rows({n}), 'twice')",
        jit="functools.partial(jax.jit, static_argnames='kind')",
    ),
    case("rows scored by a scalar", "def f(x, s):\n    return x * s + W[0]\n", "f(rows({n}), 0.5)"),
    # The past alone.
    case("running sum", "def f(x):\n    return jnp.cumsum(x, 0)\n"),
    case("scan forwards", "def f(x):\n    return lax.scan(lambda c, r: (c * 0.5 + r, c.sum()), x[0] * 0, x)[1]\n"),
    case(
        "causal attention",
        (
            "def f(x):\n"
            "    seen = jnp.tril(jnp.ones((x.shape[0], x.shape[0]), bool))\n"
            "    return jax.nn.softmax(jnp.where(seen, x @ x.T, -1e9), -1) @ x\n"
        ),
    ),
    case(
        "causal convolution",
        (
            "def f(x):\n"
            "    past = jnp.concatenate([jnp.zeros((2, 4)), x])\n"
            "    return past[2:] + 0.5 * past[1:-1] + 0.25 * past[:-2]\n"
        ),
    ),
    case("first row", "def f(x):\n    return x[0] * 2\n"),
    case("one more row than came in", "def f(x):\n    return jnp.concatenate([jnp.zeros((1, 4)), jnp.cumsum(x, 0)])\n"),
    # Masks and lengths among the arguments.
    case(
        "masked mean",
        "def f(x, m):\n    return jnp.where(m[:, None], x, 0).sum(0) / m.sum()\n",
        "f(rows({n}), marks({n}))",
    ),
    case(
        "masked largest",
        "def f(x, m):\n    return jnp.where(m[:, None], x, -jnp.inf).max(0)\n",
        "f(rows({n}), marks({n}))",
    ),
    case(
        "masked attention",
        ("def f(x, m):\n    return jax.nn.softmax(jnp.where(m[None, :], x @ x.T, -1e9), -1) @ x\n"),
        "f(rows({n}), marks({n}))",
    ),
    case(
        "float mask",
        "def f(x, m):\n    return jnp.where(m[:, None] > 0, x, 0).sum(0)\n",
        "f(rows({n}), marks({n}).astype(np.float32))",
    ),
    case(
        "length given",
        (
            "def f(x, n):\n"
            "    valid = jnp.arange(x.shape[0])[:, None] < n\n"
            "    return jnp.where(valid, x, 0).sum(0) / n\n"
        ),
        "f(rows({n}), np.int32({n}))",
    ),
    case("length of the last row", "def f(x, n):\n    return x[n - 1]\n", "f(rows({n}), np.int32({n}))"),
    # What reads the padding.
    case("sum", "def f(x):\n    return x.sum(0)\n", expected="REJECTED", because="zeros"),
    case("mean", "def f(x):\n    return x.mean(0)\n", expected="REJECTED", because="reaches"),
    case("largest", "def f(x):\n    return x.max(0)\n", expected="REJECTED", because="reaches"),
    case("which is largest", "def f(x):\n    return x.argmax(0)\n", expected="REJECTED", because="reaches"),
    case("last row", "def f(x):\n    return x[-1]\n", expected="REJECTED", because="reaches"),
    case("sorted", "def f(x):\n    return jnp.sort(x, 0)\n", expected="REJECTED", because="reaches"),
    case("reversed", "def f(x):\n    return x[::-1]\n", expected="REJECTED", because="reaches"),
    case(
        "running sum from the end",
        "def f(x):\n    return jnp.cumsum(x[::-1], 0)[::-1]\n",
        expected="REJECTED",
        because="zeros",
    ),
    case(
        "full attention",
        "def f(x):\n    return jax.nn.softmax(x @ x.T, -1) @ x\n",
        expected="REJECTED",
        because="reaches",
    ),
    case(
        "batch norm",
        "def f(x):\n    return (x - x.mean(0)) / (x.std(0) + 1e-5)\n",
        expected="REJECTED",
        because="reaches",
    ),
    case(
        "convolution to both sides",
        ("def f(x):\n    return jax.vmap(lambda c: jnp.convolve(c, jnp.ones(3), 'same'), 1, 1)(x)\n"),
        expected="REJECTED",
        because="zeros",
    ),
    case(
        "half of the rows",
        "def f(x):\n    return x[: x.shape[0] // 2]\n",
        expected="REJECTED",
        because="no whole multiple",
    ),
    case("its size as a number", "def f(x):\n    return x * x.shape[0]\n", expected="REJECTED", because="reaches"),
    case("rows twice", "def f(x):\n    return jnp.concatenate([x, x])\n", expected="REJECTED", because="reaches"),
    case(
        "one output of two",
        "def f(x):\n    return {'each': x * 2, 'all': x.mean()}\n",
        expected="REJECTED",
        because="output['all']",
    ),
    case(
        "mask that is ignored",
        "def f(x, m):\n    return x.sum(0) + m.any()\n",
        "f(rows({n}), marks({n}))",
        "REJECTED",
        "zeros",
    ),
    case(
        "mask with zeros for the largest",
        ("def f(x, m):\n    return jnp.where(m[:, None], x, 0).max(0)\n"),
        "f(jnp.abs(rows({n})), marks({n}))",
        "REJECTED",
        "reaches",
    ),
    case("spectrum", "def f(x):\n    return jnp.abs(jnp.fft.fft(x, axis=0))\n", expected="REJECTED", because="reaches"),
    case(
        "counts of numbers", "def f(x):\n    return jnp.zeros(5).at[x].add(1)\n", "f(ids({n}))", "REJECTED", "reaches"
    ),
    case(
        "right results, wrong gradients",
        ("def f(x, w):\n    y = x @ w\n    return y / jnp.sqrt((y * y).sum(-1, keepdims=True))\n"),
        "f(rows({n}), W)",
        "REJECTED",
        "gradient",
    ),
    case(
        "random rows",
        ("def f(x, key):\n    return x + jax.random.normal(key, x.shape[::-1]).T\n"),
        "f(rows({n}), jax.random.key(0))",
        "REJECTED",
        "reaches",
    ),
    # Nothing to do, or nothing to try it with.
    case("two sizes", "def f(x):\n    return x * 2\n", "f(rows(3 + {n} % 2))", "NONE"),
    case("one size", "def f(x):\n    return x * 2\n", "f(rows(3))", "NONE"),
)
