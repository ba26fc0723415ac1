# ruff: noqa: E501 - a table of programs is read row by row
"""Failures as people report them: each a program that ends with the error, and what must be said of it."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from failing import failure

HEADER = """
import functools
import jax
import jax.numpy as jnp
import numpy as np
from typing import NamedTuple
x = jnp.array([3.0, -1.0, 2.0])
"""
BOOL, INT = "TracerBoolConversionError", "TracerIntegerConversionError"
ARRAY, CONCRETE = "TracerArrayConversionError", "ConcretizationTypeError"


class Report(NamedTuple):
    source: str
    error: str
    code: str
    expression: str
    arguments: tuple[str, ...]
    remedy: str


REPORTS = {
    "library decides": Report(
        "import optax\n@jax.jit\ndef make(p, steps):\n    return optax.linear_schedule(1.0, 0.1, steps)(3) * p\nmake(x, 100)",
        BOOL, "branch-on-value", "optax.linear_schedule(1.0, 0.1, steps)", ("steps",), 'static_argnames="steps"',
    ),
    "schedule in an optimizer": Report(
        "import optax\ndef schedule(count):\n    if count < 10:\n        return 0.1\n    return 0.01\ntx = optax.sgd(schedule)\nstate = tx.init(x)\n"
        "@jax.jit\ndef update(g, s):\n    return tx.update(g, s)\nupdate(x, state)",
        BOOL, "branch-on-value", "count < 10", ("s[1].count",), "return jnp.where(count < 10, 0.1, 0.01)",
    ),
    "flag in a layer": Report(
        "from flax import linen as nn\nclass Net(nn.Module):\n    @nn.compact\n    def __call__(self, v, training):\n        return nn.Dropout(0.5, deterministic=not training)(v)\n"
        "@jax.jit\ndef apply(v, training):\n    return Net().apply({}, v, training, rngs={'dropout': jax.random.key(0)})\napply(x, True)",
        BOOL, "branch-on-value", "training", ("training",), 'static_argnames="training"',
    ),
    "members of a match": Report(
        "class Command(NamedTuple):\n    op: object\n    arg: object\n@jax.jit\ndef run(cmd):\n    match cmd:\n        case Command(op=0, arg=a):\n            return a\n        case _:\n            return cmd.arg * 2\n"
        "run(Command(0, 1.0))",
        BOOL, "branch-on-value", "0", ("cmd.op",), "jax.lax.switch(cmd.op, ",
    ),
    "key of max": Report(
        "@jax.jit\ndef best(p):\n    return p[max(p, key=lambda k: p[k])]\nbest({'a': 1.0, 'b': 2.0})",
        BOOL, "branch-on-value", "max(p, key=lambda k: p[k])", ("p['a']", "p['b']"), "jnp.argmax",
    ),
    "call inside and": Report(
        "@jax.jit\ndef f(a, b):\n    return max(a, b) and a\nf(1.0, 2.0)",
        BOOL, "branch-on-value", "max(a, b)", ("a", "b"), "jnp.maximum(a, b)",
    ),
    "set.add": Report("@jax.jit\ndef visit(n):\n    seen = set()\n    seen.add(n)\n    return n\nvisit(3)", "TypeError", "concrete-needed", "seen.add(n)", ("n",), "seen = jnp.zeros(<most values>, bool).at[n].set(True)"),
    "cached function": Report(
        "@functools.lru_cache\ndef table(n):\n    return n * 2\n@jax.jit\ndef f(n):\n    return table(n)\nf(3)",
        "TypeError", "concrete-needed", "table(n)", ("n",), "table.__wrapped__(n)",
    ),
    "dict.get": Report("RATES = {0: 0.1}\n@jax.jit\ndef f(k):\n    return RATES.get(k, 0.0)\nf(0)", "TypeError", "concrete-needed", "RATES.get(k, 0.0)", ("k",), "[k]"),
    "name with a number in it": Report(
        "PARAMS = {'layer0': 1.0}\n@jax.jit\ndef f(i):\n    return PARAMS[f'layer{i}']\nf(0)",
        "KeyError", "concrete-needed", "PARAMS[f'layer{i}']", ("i",), "jnp.array([<value of each key, in order>])[i]",
    ),
    "list repeated": Report("@jax.jit\ndef f(v, n):\n    for w in [2.0] * n:\n        v = v * w\n    return v\nf(1.0, 3)", "TypeError", "concrete-needed", "[2.0] * n", ("n",), 'static_argnames="n"'),
    "percent format": Report(
        "@jax.jit\ndef f(step, loss):\n    print('step %d loss %.2f' % (step, loss))\n    return loss\nf(1, 1.0)",
        "TypeError", "concrete-needed", "'step %d loss %.2f' % (step, loss)", ("step", "loss"), "jax.debug.print('step {} loss {:.2f}', step, loss)",
    ),
    "str.format": Report(
        "@jax.jit\ndef f(loss):\n    print('{:.4f}'.format(loss))\n    return loss\nf(1.0)",
        "TypeError", "concrete-needed", "'{:.4f}'.format(loss)", ("loss",), "jax.debug.print('{:.4f}', loss)",
    ),
    "axis": Report("@jax.jit\ndef f(v, axis):\n    return v.sum(axis=axis)\nf(x, 0)", CONCRETE, "concrete-needed", "v.sum(axis=axis)", ("axis",), 'static_argnames="axis"'),
    "segments": Report(
        "@jax.jit\ndef f(v, ids):\n    n = ids.max() + 1\n    return jax.ops.segment_sum(v, ids, n)\nf(x, jnp.array([0, 0, 1]))",
        CONCRETE, "shape-from-value", "jax.ops.segment_sum(v, ids, n)", ("ids",), "jax.ops.segment_sum(v, ids, num_segments=<most segments>)",
    ),
    "size from an array": Report(
        "@jax.jit\ndef f(edges):\n    n = edges.max() + 1\n    return jnp.eye(n)[edges]\nf(jnp.array([0, 2]))",
        "TypeError", "shape-from-value", "jnp.eye(n)", ("edges",), "jnp.arange(<largest n>) < n",
    ),
    "shape as an array": Report(
        "@jax.jit\ndef f(v):\n    shape = jnp.array(v.shape)[::-1]\n    return v.reshape(shape)\nf(jnp.ones((2, 3)))",
        "TypeError", "shape-from-value", "v.reshape(shape)", (), "np.array(v.shape)",
    ),
    "half of a shape": Report(
        "@jax.jit\ndef f(v):\n    mid = jnp.ceil(v.shape[0] / 2).astype(int)\n    return v[:mid]\nf(x)",
        "IndexError", "shape-from-value", "v[:mid]", (), "np.ceil(v.shape[0] / 2)",
    ),
    "slice of a width": Report(
        "@jax.jit\ndef f(v, start, width):\n    return v[start:start + width]\nf(x, 0, 2)",
        "IndexError", "shape-from-value", "v[start:start + width]", ("start", "width"), "jax.lax.dynamic_slice_in_dim(v, start, width, axis=0), with width static",
    ),
    "two of three in a list": Report("@jax.jit\ndef f(a, b):\n    return np.array([a, b])\nf(1.0, 2.0)", ARRAY, "numpy-on-tracer", "np.array([a, b])", ("a", "b"), "jnp.asarray([a, b])"),
    "solver of SciPy": Report(
        "from scipy.optimize import brentq\n@jax.jit\ndef solve(a):\n    return brentq(lambda v: v - a, -10.0, 10.0)\nsolve(1.0)",
        ARRAY, "numpy-on-tracer", "brentq(lambda v: v - a, -10.0, 10.0)", ("a",), "jax.pure_callback(lambda a: brentq(lambda v: v - a, -10.0, 10.0), <shape and dtype of the result>, a)",
    ),
    "module with a function in it": Report(
        "import equinox as eqx\n@jax.jit\ndef loss(model, v):\n    return model(v).sum()\nloss(eqx.nn.MLP(3, 2, 2, 1, key=jax.random.key(0)), x)",
        "TypeError", "non-array-argument", "loss(eqx.nn.MLP(3, 2, 2, 1, key=jax.random.key(0)), x)", ("model.activation", "model.final_activation"), "equinox.filter_jit(loss)",
    ),
    "dtype as an argument": Report("@jax.jit\ndef cast(v, dtype):\n    return v.astype(dtype)\ncast(x, jnp.float16)", "TypeError", "non-array-argument", "cast(x, jnp.float16)", ("dtype",), "static_argnames"),
    "generator as an argument": Report("@jax.jit\ndef f(vs):\n    return sum(vs)\nf(v for v in (x, x))", "TypeError", "non-array-argument", "f(v for v in (x, x))", ("vs",), "vs=tuple(vs)"),
    "gradient by a string": Report("def loss(mode, v):\n    return v\njax.grad(loss)('mse', 1.0)", "TypeError", "non-array-argument", "jax.grad(loss)('mse', 1.0)", ("mode",), "functools.partial(loss, mode=mode)"),
    "string returned": Report("@jax.jit\ndef f(v):\n    return v, 'done'\nf(1.0)", "TypeError", "non-array-argument", "f(1.0)", (), "out of what f returns"),
    "no pair from a scan": Report("def body(c, v):\n    return c + v\njax.lax.scan(body, 0.0, x)", "TypeError", "carry-mismatch", "jax.lax.scan(body, 0.0, x)", (), "return c + v, None"),
    "branch without return": Report(
        "@jax.jit\ndef f(p, v):\n    def yes(v):\n        v * 2\n    def no(v):\n        return v\n    return jax.lax.cond(p, yes, no, v)\nf(True, x)",
        "TypeError", "branch-mismatch", "jax.lax.cond(p, yes, no, v)", (), "return a value from yes",
    ),
}  # fmt: skip
NEEDS = {
    "library decides": "optax",
    "schedule in an optimizer": "optax",
    "flag in a layer": "flax",
    "module with a function in it": "equinox",
}


@pytest.mark.filterwarnings("ignore:Python iterable type:DeprecationWarning")
@pytest.mark.parametrize("name", REPORTS)
def test_report(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    wanted = REPORTS[name]
    found = failure(HEADER + wanted.source, name.replace(" ", "_"))
    assert (found.error, found.code, found.expression) == (wanted.error, wanted.code, wanted.expression)
    assert set(found.arguments) == set(wanted.arguments)
    assert wanted.remedy in "\n".join(
        one.text if wanted.remedy[:5] != "jnp.a" else f"{one.name} {one.text}" for one in found.remedies
    )


def test_a_carry_that_starts_as_none_is_named_rightly():
    source = "class S(NamedTuple):\n    h: object\n    prev: object\ndef body(s, v):\n    return S(s.h + v, s.h), None\njax.lax.scan(body, S(jnp.float32(0), None), x)"
    found = failure(HEADER + source)
    assert [(one.leaf, one.expected, one.found) for one in found.mismatches] == [("s.prev", "None", "array")]
    assert found.mismatches[0].found_by.source == "s.h"
    assert "jnp.zeros_like(s.h)" in found.remedies[0].text


def test_what_a_cache_keeps_of_a_trace():
    source = "@functools.cache\ndef table():\n    return jnp.arange(4) * 2\nf = jax.jit(lambda v: v + table())\ng = jax.jit(lambda v: v - table())\nf(1)\ng(1)"
    found = failure(HEADER + source)
    assert (found.code, found.leak.stored) == ("tracer-leak", "the cache of table")
    assert [one.name for one in found.remedies] == ["concrete", "call it before", "no cache"]


def test_numpy_in_a_gradient_without_jit_is_no_leak():
    for call in ("jax.grad(f)(1.0)", "jax.vjp(f, 1.0)", "jax.jvp(f, (1.0,), (1.0,))", "jax.hessian(f)(1.0)"):
        found = failure(HEADER + f"def f(v):\n    return np.sqrt(v)\n{call}")
        assert (found.code, found.expression) == ("numpy-on-tracer", "np.sqrt(v)")


def test_each_device_has_its_own_value():
    source = (
        "shard_map = jax.shard_map if hasattr(jax, 'shard_map') else __import__('jax.experimental.shard_map', fromlist=['x']).shard_map\n"
        "mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ('i',))\nP = jax.sharding.PartitionSpec\n"
        "def local(v, t):\n    return v if v.sum() > t else -v\n"
        "@jax.jit\ndef f(a, t):\n    return shard_map(local, mesh=mesh, in_specs=(P('i'), P()), out_specs=P('i'))(a * 2, t)\nf(x, 1.0)"
    )
    found = failure(HEADER + source)
    assert found.arguments == ("a", "t")
    assert found.nature_evidence.startswith("it has one value per device")
