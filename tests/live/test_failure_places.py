# ruff: noqa: E501, ISC004 - a table of programs is read row by row
"""Failures in odd places: which argument of the outermost function a value came from, and what is no failure."""

from __future__ import annotations

import textwrap

import jax
import pytest
from failing import fail, failure, watching

from whyjit.explaining import explain, explain_exception

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


BAD = "def bad(v):\n    if v > 0:\n        return v\n    return -v\n"
PLACES = {
    "vmap": ("jax.vmap(bad)(x)", ("v",), "bad"),
    "vmap of a calculation": (
        "def loss(row, t):\n    z = row * 2\n    return bad(z.sum())\njax.vmap(loss, (0, None))(jnp.ones((2, 3)), 1.0)",
        ("row",), "loss",
    ),
    "vmap, leaf": ("jax.vmap(lambda p: bad(p['t']))({'t': x, 'u': x})", ("p['t']",), "<lambda>"),
    "scan": ("def body(c, v):\n    return bad(c * v), None\njax.lax.scan(body, 1.0, x)", ("c", "v"), "body"),
    "grad of a jit": ("f = jax.jit(lambda w, k: bad(w.sum() * k))\njax.grad(f)(x, 2.0)", ("w", "k"), "<lambda>"),
    "grad around a jit": ("f = jax.jit(bad)\ndef loss(a):\n    return f(a * 2)\njax.grad(loss)(1.0)", ("a",), "loss"),
    "vmap of a jit": ("jax.vmap(jax.jit(bad))(x)", ("v",), "bad"),
    "jit of vmap of grad": (
        "def loss(p, row):\n    return bad(p['w'] @ row)\n"
        "jax.jit(jax.vmap(jax.grad(loss), (None, 0)))({'w': x}, jnp.ones((2, 3)))",
        ("p['w']", "row"), "loss",
    ),
    "hessian": ("jax.jit(lambda a: jax.hessian(lambda v: bad(v.sum()))(a))(x)", ("a",), "<lambda>"),
    "jvp": ("jax.jit(lambda a, t: jax.jvp(bad, (a,), (t,)))(1.0, 1.0)", ("a",), "<lambda>"),
    "custom_jvp": (
        "f = jax.custom_jvp(bad)\nf.defjvp(lambda p, t: (p[0], t[0]))\njax.jit(lambda a: f(a * 2))(1.0)", ("a",), "<lambda>",
    ),
    "custom_vjp, forward": (
        "f = jax.custom_vjp(lambda u: u)\nf.defvjp(lambda u: (bad(u), u), lambda r, g: (g,))\n"
        "jax.jit(lambda a, b: jax.grad(f)(a * 2) + b)(1.0, 2.0)", ("a",), "<lambda>",
    ),
    "switch": ("jax.jit(lambda i, a: jax.lax.switch(i, [bad, lambda v: v], a * 3))(0, 1.0)", ("a",), "<lambda>"),
    "map": ("jax.jit(lambda rows, k: jax.lax.map(lambda r: bad(r * k), rows))(x, 2.0)", ("rows", "k"), "<lambda>"),
    "make_jaxpr": ("jax.make_jaxpr(lambda a, b: bad(a + b))(1.0, 2.0)", ("a", "b"), "<lambda>"),
    "eval_shape": ("jax.eval_shape(lambda a, b: bad(a + b), 1.0, 2.0)", ("a", "b"), "<lambda>"),
    "keyword": ("jax.jit(lambda a, *, k: bad(a * k))(1.0, k=2.0)", ("a", "k"), "<lambda>"),
    "variable arguments": (
        "jax.jit(lambda *rows, **more: bad(rows[1].sum() * more['g']))(x, x, g=2.0, h=1.0)",
        ("rows[1]", "more['g']"), "<lambda>",
    ),
    "closure three functions deep": (
        "@jax.jit\ndef f(a, b):\n    t = b * 3\n    @jax.jit\n    def g(u):\n"
        "        return jax.lax.scan(lambda c, _: (bad(t) + c, None), u, None, length=2)[0]\n    return g(a)\nf(1.0, 2.0)",
        ("b",), "f",
    ),
    "scan in scan": (
        "@jax.jit\ndef f(rows, w, unused):\n    def outer(c, row):\n"
        "        return jax.lax.scan(lambda d, e: (bad(d * w), None), c, row)[0], None\n"
        "    return jax.lax.scan(outer, w * 2, rows)\nf(jnp.ones((2, 3)), 1.0, 3.0)",
        ("w",), "f",
    ),
    "constant": ("@jax.jit\ndef f(a):\n    return bad(jnp.arange(3).sum())\nf(1.0)", (), "f"),
    "no argument": ("@jax.jit\ndef f():\n    return bad(jnp.arange(3).sum())\nf()", (), "f"),
    "attribute of an object": (
        "class Box:\n    def __init__(self, t):\n        self.t = t\n@jax.jit\ndef f(a, t):\n    return bad(Box(t).t)\nf(1.0, 2.0)",
        ("t",), "f",
    ),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_arguments_of_the_outermost_function(place):
    body, arguments, called = PLACES[place]
    found = explained(BAD + body, place)
    assert (found.code, found.expression, found.function) == ("branch-on-value", "v > 0", "bad")
    assert set(found.arguments) == set(arguments)
    assert found.called.endswith(called)
    assert found.remedies[0].text == "return jnp.where(v > 0, v, -v)"


def test_an_error_that_the_program_raises_from_a_tracer_error_has_the_tracer_errors_name():
    found = explained(
        """
        @jax.jit
        def f(a):
            try:
                return int(a)
            except TypeError as error:
                raise RuntimeError("no") from error
        f(1.0)
        """
    )
    assert (found.error, found.code, found.expression) == ("ConcretizationTypeError", "concrete-needed", "int(a)")
    assert found.notes == ("RuntimeError was raised from ConcretizationTypeError",)


def test_what_is_no_tracer_error_is_left_alone():
    with watching() as seen:
        raised = fail(HEADER + "jax.jit(lambda a: a @ jnp.ones(7))(x)", "shapes")
        mine = fail(HEADER + "@jax.jit\ndef f(a):\n    raise ValueError('mine')\nf(x)", "mine")
    assert seen.failures == []
    assert explain_exception(raised) is None
    assert explain_exception(mine) is None
    assert "nothing to add" in str(explain(mine))


def test_equinox_arguments_are_named_as_the_user_wrote_them():
    pytest.importorskip("equinox")
    found = explained(
        """
        import equinox as eqx
        class Model(eqx.Module):
            w: jax.Array
            def __call__(self, a):
                y = self.w @ a
                if y > 0:
                    return y
                return -y
        @eqx.filter_jit
        def step(model, batch, scale):
            return model(batch["x"]) * scale
        step(Model(x), {"x": x}, 2.0)
        """
    )
    assert found.arguments == ("model.w", "batch['x']")
    assert found.called == "step"


@pytest.mark.skipif(jax.__version_info__ < (0, 7), reason="JAX 0.6 tells it by another error")
def test_size_given_to_tile():
    found = explained("jax.jit(lambda a, k: jnp.tile(a, k))(x, 2)")
    assert (found.code, found.arguments) == ("shape-from-value", ("k",))


@pytest.mark.parametrize(
    ("condition", "direct"),
    [("x > 0", True), ("jnp.sum(x) > y", True), ("0 < x < y", True), ("(x, 1) == (y, 1)", False), ("p == q", False)],
)
def test_a_comparison_is_asked_for_its_truth_or_asks_within(condition, direct):
    """From Python 3.13 on it is one instruction that compares and asks."""
    found = explained(
        f"@jax.jit\ndef f(x, y):\n    p, q = (x, 1), (y, 1)\n    if {condition}:\n        return x\n    return y\nf(1.0, 2.0)"
    )
    assert (found.code, found.expression) == ("branch-on-value", condition)
    assert (f"`{condition}` is traced" in found.text) == direct
    assert ("part by part" in str(found.remedies)) == (condition == "p == q")


def test_a_jitted_function_without_source_is_given_what_is_traced_in_there_only():
    body = 'space = {"jax": jax}\nexec("@jax.jit\\ndef f(a, n):\\n    return a if a > n else n\\n", space)\nspace["f"](1.0, 2.0)'
    failed = explained(body)
    assert (failed.code, failed.function, failed.arguments) == ("branch-on-value", "<module>", ("a", "n"))
    assert failed.text.startswith('Within `space["f"](1.0, 2.0)` Python asked a traced value for a Python bool')
    assert [one.name for one in failed.remedies] == ["static_argnames"]


def test_the_next_element_of_a_loop_is_taken_from_what_it_goes_over():
    body = "@jax.jit\ndef f(a):\n    for b in (\n        a * 2\n    ):\n        if b > 0:\n            return b\nf(jnp.ones(3))"
    assert [step.source for step in explained(body).chain] == ["a * 2", "b > 0"]
