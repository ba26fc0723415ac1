# ruff: noqa: E501, ISC004 - a table of programs is read row by row
"""Failures that are not about one traced expression: statics, arguments, loops and branches."""

from __future__ import annotations

import textwrap

import pytest
from failing import fail, failure

from whyjit.explaining import explain

HEADER = """
import dataclasses, functools
from typing import NamedTuple
import jax
import jax.numpy as jnp
import numpy as np
x = jnp.arange(3.0) + 1
"""


def explained(body, name="kind"):
    return failure(HEADER + textwrap.dedent(body), name)


STATICS = {
    "list by name": ("f = jax.jit(lambda a, sizes: a, static_argnames='sizes')\nf(x, sizes=[1, 2])", "sizes", "tuple", "sizes=(1, 2)"),
    "list by place": ("f = jax.jit(lambda a, sizes: a, static_argnums=1)\nf(x, [1, 2])", "sizes", "tuple", "sizes=(1, 2)"),
    "list in a variable": ("f = jax.jit(lambda a, sizes: a, static_argnums=1)\ng = [1]\nf(x, g)", "sizes", "tuple", "sizes=tuple(g)"),
    "dict": ("f = jax.jit(lambda a, cfg: a, static_argnums=1)\nf(x, {'w': 1})", "cfg", "tuple", "cfg=tuple(sorted({'w': 1}.items()))"),
    "set": ("f = jax.jit(lambda a, tags: a, static_argnums=1)\nf(x, {1, 2})", "tags", "frozenset", "frozenset({1, 2})"),
    "numpy array": ("f = jax.jit(lambda a, w: a, static_argnums=1)\nf(x, np.ones(2))", "w", "ordinary argument", "take w out"),
    "jax array": ("f = jax.jit(lambda a, w: a, static_argnums=1)\nf(x, x)", "w", "ordinary argument", "take w out"),
    "one of two": ("f = jax.jit(lambda a, k, c: a, static_argnames=('k', 'c'))\ncfg = {'w': 1}\nf(x, k=3, c=cfg)", "c", "tuple", "c=tuple"),
    "inside a tuple": ("f = jax.jit(lambda a, k: a, static_argnums=1)\nf(x, (1, [2]))", "k", "tuple", "a tuple for k[1]"),
    "dataclass": (
        "@dataclasses.dataclass\nclass Config:\n    width: int\nf = jax.jit(lambda a, c: a, static_argnums=1)\nf(x, Config(3))",
        "c", "frozen dataclass", "declare Config with @dataclass(frozen=True)",
    ),
    "dataclass with a list": (
        "@dataclasses.dataclass\nclass Config:\n    sizes: list\nf = jax.jit(lambda a, c: a, static_argnums=1)\nf(x, Config([3]))",
        "c", "frozen dataclass", "declare Config with @dataclass(frozen=True), which gives it __hash__ and __eq__ by its fields; and give it a tuple for sizes",
    ),
    "dataclass with an array": (
        "@dataclasses.dataclass\nclass Net:\n    w: object\n    @functools.partial(jax.jit, static_argnums=0)\n"
        "    def step(self, a):\n        return a\nnet = Net(x)\nnet.step(x)",
        "self", "register_dataclass", "@jax.tree_util.register_dataclass above @dataclass class Net, and self no longer static",
    ),
    "object that is called": (
        "@dataclasses.dataclass\nclass Net:\n    w: object\n    @functools.partial(jax.jit, static_argnums=0)\n"
        "    def __call__(self, a):\n        return a\nnet = Net([x])\nnet(x)",
        "self", "register_dataclass", "@jax.tree_util.register_dataclass above @dataclass class Net",
    ),
    "jitted and called at once": ("def f(a, sizes):\n    return a\njax.jit(f, static_argnums=1)(x, [1, 2])", "sizes", "tuple", "sizes=(1, 2)"),
    "lambda called at once": ("jax.jit(lambda a, sizes: a, static_argnames=('sizes',))(x, sizes=[1])", "sizes", "tuple", "sizes=(1,)"),
    "method called at once": (
        "class A:\n    def go(self, a, sizes):\n        return a\n    def run(self):\n"
        "        return jax.jit(self.go, static_argnums=(1,))(x, [2])\nA().run()", "sizes", "tuple", "sizes=(2,)",
    ),
    "list in a frozen dataclass": (
        "@dataclasses.dataclass(frozen=True)\nclass Config:\n    sizes: list\n"
        "f = jax.jit(lambda a, c: a, static_argnums=1)\nc = Config([3])\nf(x, c)",
        "c", "tuple", "a tuple for c.sizes",
    ),
    "self of a method": (
        "@dataclasses.dataclass(frozen=True)\nclass Model:\n    sizes: list\n"
        "    @functools.partial(jax.jit, static_argnums=0)\n    def run(self, a):\n        return a\n"
        "m = Model([3])\nm.run(x)",
        "self", "tuple", "a tuple for self.sizes",
    ),
    "method of a new object": (
        "class Model:\n    @functools.partial(jax.jit, static_argnums=(0, 2))\n    def run(self, a, c):\n        return a\n"
        "Model().run(x, {'w': 1})",
        "c", "tuple", "c=tuple",
    ),
    "inside a trace": (
        "g = jax.jit(lambda a, c: a, static_argnums=1)\njax.jit(lambda a: g(a, [1]))(x)", "c", "tuple", "c=(1,)",
    ),
    "made by jax.numpy": (
        "g = jax.jit(lambda a, c: a, static_argnums=1)\n"
        "@jax.jit\ndef f(a):\n    widths = tuple(jnp.arange(2))\n    return g(a, widths)\nf(x)", "c", "NumPy", "compute c[0] with NumPy",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", STATICS)
def test_unhashable_static(case):
    body, argument, name, text = STATICS[case]
    found = explained(body, case)
    assert (found.error, found.code) == ("ValueError", "unhashable-static")
    assert found.arguments == (argument,)
    remedy = next(one for one in found.remedies if one.name == name)
    assert text in remedy.text
    assert argument in found.text


def test_unhashable_static_of_a_function_that_cannot_be_read():
    body = "table = [jax.jit(lambda a, c: a, static_argnums=1)]\ntable[int('0')](x, [1])"
    found = explained(body)
    assert found.code == "unhashable-static"
    assert found.arguments == ()
    assert "which parameter" in found.notes[0]


ARGUMENTS = {
    "string": ("f = jax.jit(lambda a, how: a)\nf(x, 'sum')", ("how",), "static_argnames"),
    "by keyword": ("f = jax.jit(lambda a, how: a)\nf(x, how='sum')", ("how",), "static_argnames"),
    "in a dict": ("f = jax.jit(lambda batch: batch['x'])\nf({'x': x, 'meta': {'id': 'a'}})", ("batch['meta']['id']",), "take it out"),
    "two of them": ("f = jax.jit(lambda a, b: b)\nf({'p': 'q', 'r': x}, 'b')", ("a['p']", "b"), "take it out"),
    "functions": (
        "class Opt(NamedTuple):\n    init: object\n    update: object\nf = jax.jit(lambda opt, a: a)\n"
        "f(Opt(lambda p: p, lambda g: g), x)", ("opt.init", "opt.update"), "static_argnames",
    ),
    "object": ("class Thing:\n    pass\nf = jax.jit(lambda thing, a: a)\nf(Thing(), x)", ("thing",), "register_dataclass"),
    "text array": ("f = jax.jit(lambda batch: batch['x'])\nf({'x': x, 'id': np.array(['a'])})", ("batch['id']",), "take it out"),
    "beside a static": (
        "f = jax.jit(lambda a, how, axis: a, static_argnames='axis')\nf(x, 'sum', axis='0')", ("how",), "static_argnames",
    ),
    "in an inner jit": ("g = jax.jit(lambda a, how: a)\njax.jit(lambda a: g(a, 'sum'))(x)", ("how",), "static_argnames"),
    "star arguments": ("f = jax.jit(lambda *rows: rows[0])\nf(x, 'b')", ("rows[1]",), "take it out"),
}  # fmt: skip


@pytest.mark.parametrize("case", ARGUMENTS)
def test_argument_that_is_no_array(case):
    body, arguments, remedy = ARGUMENTS[case]
    found = explained(body, case)
    assert (found.error, found.code) == ("TypeError", "non-array-argument")
    assert found.arguments == arguments
    assert found.remedies[0].name == remedy


def test_first_argument_that_is_no_array_is_known_from_the_message_alone():
    raised = fail(HEADER + "f = jax.jit(lambda a, how: a)\nf(x, 'sum')", "alone")
    bare = TypeError(str(raised))
    assert explain(bare).failure.arguments == ("how",)


@pytest.mark.parametrize(
    ("inner", "names"),
    [
        ("jnp.linalg.norm(a, ord=n)", ["static_argnames", "NumPy"]),
        ("g(a, n)", ["static_argnames", "NumPy", "ordinary argument"]),
        ("g(a, jnp.max(a))", ["NumPy", "ordinary argument"]),
    ],
)
def test_a_traced_value_for_a_static_argument(inner, names):
    body = f"g = jax.jit(lambda a, k: a, static_argnums=1)\n@jax.jit\ndef f(a, n):\n    return {inner}\nf(x, 2)"
    failed = explained(body)
    assert failed.code == "unhashable-static"
    assert [one.name for one in failed.remedies] == names
    if "static_argnames" in names:
        assert failed.remedies[0].text.startswith('@functools.partial(jax.jit, static_argnames="n") above def f')


START = "jnp.arange(3.0) + 1"
MISMATCHES = {
    "scan, dtype": (
        "def body(c, _):\n    pos, n = c\n    n = n + 1.0\n    return (pos, n), None\n"
        "init = (1.0, jnp.int32(0))\njax.lax.scan(body, init, None, length=2)",
        "c[1]", "int32[]", "float32[]", "jnp.int32(0)", "n + 1.0", "start value",
    ),
    "scan, dict": (
        "jax.lax.scan(lambda s, _: ({'a': s['a'] * 1.5, 'b': s['b']}, None), {'a': jnp.int32(1), 'b': 2.0}, None, length=2)",
        "s['a']", "int32[]", "float32[]", "jnp.int32(1)", "s['a'] * 1.5", "start value",
    ),
    "while, shape": (
        "def body(c):\n    i, v = c\n    return i + 1, jnp.concatenate([v, v])\n"
        "jax.lax.while_loop(lambda c: c[0] < 3, body, (0, x))",
        "c[1]", "float32[3]", "float32[6]", START, "jnp.concatenate([v, v])", "fixed size",
    ),
    "fori, dtype": (
        "jax.lax.fori_loop(0, 3, lambda i, c: c.astype(jnp.int32), x)",
        "c", "float32[3]", "int32[3]", START, "c.astype(jnp.int32)", "astype",
    ),
    "scan, structure": (
        "jax.lax.scan(lambda c, _: ((c, c), None), x, None, length=2)",
        "c", "array", "tuple", START, "(c, c)", "same structure",
    ),
    "inside jit": (
        "@jax.jit\ndef f(a):\n    def body(c, v):\n        return c * v.sum(), None\n"
        "    start = jnp.int32(0)\n    return jax.lax.scan(body, start, a)\nf(jnp.ones((2, 3)))",
        "c", "int32[]", "float32[]", "jnp.int32(0)", "c * v.sum()", "start value",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MISMATCHES)
def test_carry_that_changes(case):
    body, leaf, expected, found, start, made, remedy = MISMATCHES[case]
    failed = explained(body, case)
    assert (failed.error, failed.code) == ("TypeError", "carry-mismatch")
    one = failed.mismatches[0]
    assert one.leaf == leaf
    assert (one.expected, one.found) == (expected, found)
    assert (one.expected_by.source, one.found_by.source) == (start, made)
    assert failed.remedies[0].name == remedy


BRANCHES = {
    "cond, dtype": ("jax.lax.cond(True, lambda v: v, lambda v: v.astype(jnp.int32), x)", "result", "v", "v.astype(jnp.int32)", "astype"),
    "cond, leaf": (
        "jax.lax.cond(True, lambda v: {'a': v, 'b': (v, v)}, lambda v: {'a': v, 'b': (v, v[0])}, x)",
        "result['b'][1]", "v", "v[0]", "pad",
    ),
    "cond, None": ("jax.lax.cond(True, lambda v: v, lambda v: None, x)", "result", "v", "None", "same structure"),
    "switch": (
        "jax.lax.switch(1, [lambda v: v, lambda v: v, lambda v: v[:1]], x)", "result", "v", "v[:1]", "pad",
    ),
    "named functions": (
        "def up(v):\n    return v + 1\ndef down(v):\n    low = v > 2\n    return low\n"
        "@jax.jit\ndef f(a, p):\n    return jax.lax.cond(p, up, down, a)\nf(x, True)",
        "result", "v + 1", "v > 2", "astype",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BRANCHES)
def test_branches_that_differ(case):
    body, leaf, first, second, remedy = BRANCHES[case]
    failed = explained(body, case)
    assert (failed.error, failed.code) == ("TypeError", "branch-mismatch")
    one = failed.mismatches[0]
    assert (one.leaf, one.expected_by.source, one.found_by.source) == (leaf, first, second)
    assert failed.remedies[0].name == remedy
