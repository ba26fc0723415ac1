# ruff: noqa: E501 - a table of programs is read row by row
"""Each form of a tracer error, in each place that a function can be traced in.

A form is a few lines that fail; it is put into a plain function, a method, a function under `vmap`, `grad` or `scan`, a
nested jit, a comprehension, and written over several lines. Whatever the place, the expression must be exact and the
arguments must be those of the outermost function.
"""

from __future__ import annotations

import textwrap
from typing import NamedTuple

import jax.numpy as jnp
import pytest
from failing import load, watching

from whyjit.explaining import explain_exception

HEADER = """
import functools
import math
import jax
import jax.numpy as jnp
import numpy as np

TABLE = {0: 1.0, 1: 2.0}
LAYERS = [np.eye(3), np.ones((3, 3))]
GRID = np.arange(12.0).reshape(4, 3)
"""


class Form(NamedTuple):
    name: str
    body: str
    error: str
    code: str
    expression: str
    arguments: tuple[str, ...]
    remedy: str
    static: bool = False  # whether the remedy makes the argument static


BOOL, INT = "TracerBoolConversionError", "TracerIntegerConversionError"
ARRAY, CONCRETE, MASK = "TracerArrayConversionError", "ConcretizationTypeError", "NonConcreteBooleanIndexError"
BRANCH, LOOP, SHAPE, NEEDED = "branch-on-value", "loop-on-value", "shape-from-value", "concrete-needed"

# `x` is float32[3], `n` an int32 scalar, `s` a float32 scalar, `flag` a bool scalar.
FORMS = [
    Form("if", "if x.sum() > s:\n    return x\nreturn -x", BOOL, BRANCH, "x.sum() > s", ("x", "s"), "jnp.where"),
    Form("set-item", "y = x * 2\ny[n] = s\nreturn y", "TypeError", "in-place", "y[n]", ("x",), "y = y.at[n].set(s)"),
    Form("add-item", "y = x * 2\ny[0] -= s + 1\nreturn y", "TypeError", "in-place", "y[0]", ("x",), "y = y.at[0].add(-(s + 1))"),
    Form("if-dict", "y = {'a': x}\nif s > 0:\n    y = {'a': -x}\nelse:\n    y = y\nreturn y['a']", BOOL, BRANCH, "s > 0", ("s",), "y = jax.lax.cond(s > 0, lambda: {'a': -x}, lambda: y)"),
    Form("if-array", "if x > s:\n    return x\nreturn -x", "ValueError", BRANCH, "x > s", ("x", "s"), "return jnp.where(x > s, x, -x)"),
    Form("while-array", "t = x\nwhile t < 10:\n    t = t + 1\nreturn t", "ValueError", LOOP, "t < 10", ("x",), "lambda t: jnp.any(t < 10)"),
    Form("max-array", "return max(x, x * 2)", "ValueError", BRANCH, "max(x, x * 2)", ("x",), "jnp.maximum(x, x * 2)"),
    Form("not-array", "return x * (not x)", "ValueError", BRANCH, "x", ("x",), "jnp.logical_not(x)"),
    Form("float-array", "return float(x)", "TypeError", NEEDED, "float(x)", ("x",), "drop the conversion"),
    Form("index-float", "return LAYERS[s]", "TypeError", NEEDED, "LAYERS[s]", ("s",), "jnp.stack(LAYERS)[s.astype(int)]"),
    Form("elif", "if x.ndim > 5:\n    return x\nelif s > 0:\n    return -x\nreturn x", BOOL, BRANCH, "s > 0", ("s",), "lax.cond"),
    Form("if-name", "if flag:\n    return x\nreturn -x", BOOL, BRANCH, "flag", ("flag",), "static_argn", True),
    Form("conditional", "return x if s > 1 else -x", BOOL, BRANCH, "s > 1", ("s",), "jnp.where"),
    Form("conditional-name", "return x * 2 if flag else x", BOOL, BRANCH, "flag", ("flag",), "jnp.where"),
    Form("while", "t = s * 2\nwhile t < 10:\n    t = t + 1\nreturn x * t", BOOL, LOOP, "t < 10", ("s",), "while_loop"),
    Form("while-not", "t = flag\nwhile not t:\n    t = t\nreturn x", BOOL, LOOP, "t", ("flag",), "while_loop"),
    Form("assert", "assert jnp.all(x >= 0), 'negative'\nreturn x", BOOL, BRANCH, "jnp.all(x >= 0)", ("x",), "checkify"),
    Form("and-left", "if s > 0 and n > 0:\n    return x\nreturn -x", BOOL, BRANCH, "s > 0", ("s",), "jnp.logical_and"),
    Form("and-right", "if x.ndim > 0 and n > 0:\n    return x\nreturn -x", BOOL, BRANCH, "n > 0", ("n",), "jnp.logical_and"),
    Form("and-name", "return x * (flag and s)", BOOL, BRANCH, "flag", ("flag",), "jnp.logical_and"),
    Form("or-default", "rate = s or 1.0\nreturn x * rate", BOOL, BRANCH, "s", ("s",), "is None"),
    Form("or-inline", "return x * (s or 1.0)", BOOL, BRANCH, "s", ("s",), "is None"),
    Form("not", "return x if not flag else -x", BOOL, BRANCH, "flag", ("flag",), "jnp.where"),
    Form("not-value", "y = not flag\nreturn x * y", BOOL, BRANCH, "flag", ("flag",), "logical_not"),
    Form("in", "if n in (1, 2):\n    return x\nreturn -x", BOOL, BRANCH, "n in (1, 2)", ("n",), "jnp.isin"),
    Form("chained", "if 0 < s < 1:\n    return x\nreturn -x", BOOL, BRANCH, "0 < s < 1", ("s",), "(0 < s) & (s < 1)"),
    Form("max", "return x * max(s, 0.0)", BOOL, BRANCH, "max(s, 0.0)", ("s",), "jnp.maximum"),
    Form("min", "return x * min(x[0], s)", BOOL, BRANCH, "min(x[0], s)", ("x", "s"), "jnp.minimum"),
    Form("any", "if any(v > 0 for v in x):\n    return x\nreturn -x", BOOL, BRANCH, "any(v > 0 for v in x)", ("x",), "jnp.any"),
    Form("comprehension", "return sum([v for v in x if v > 0], x)", BOOL, BRANCH, "v > 0", ("x",), "jnp.where"),
    Form("generator", "return sum((v for v in x if v > s), x)", BOOL, BRANCH, "v > s", ("x", "s"), "jnp.where"),
    Form("match", "match n:\n    case 1:\n        return x\n    case _:\n        return -x", BOOL, BRANCH, "1", ("n",), "jnp.select"),
    Form("bool", "return x * bool(s)", BOOL, BRANCH, "bool(s)", ("s",), "jnp.where"),
    Form("for-range", "for i in range(n):\n    x = x + i\nreturn x", INT, LOOP, "range(n)", ("n",), "fori_loop", True),
    Form("range-start", "for i in range(1, n):\n    x = x * i\nreturn x", INT, LOOP, "range(1, n)", ("n",), "fori_loop(1, n", True),
    Form("range-list", "return x * len([i for i in range(n)])", INT, LOOP, "range(n)", ("n",), "jax.vmap", True),
    Form("list-index", "return LAYERS[n] @ x", INT, NEEDED, "LAYERS[n]", ("n",), "jnp.stack", True),
    Form("list-slice", "return x * len(LAYERS[:n])", INT, NEEDED, "LAYERS[:n]", ("n",), "static_argn", True),
    Form("np-zeros", "return x * np.zeros((n, 3)).sum()", INT, SHAPE, "np.zeros((n, 3))", ("n",), "static_argn", True),
    Form("int", "return x * int(s)", CONCRETE, NEEDED, "int(s)", ("s",), "astype"),
    Form("float", "return x * float(x.sum())", CONCRETE, NEEDED, "float(x.sum())", ("x",), "drop the conversion"),
    Form("item", "return x * x.max().item()", CONCRETE, NEEDED, "x.max().item()", ("x",), "x.max()"),
    Form("math", "return x * math.sqrt(s)", CONCRETE, NEEDED, "math.sqrt(s)", ("s",), "jnp.sqrt"),
    Form("arange", "return x * jnp.arange(n).sum()", CONCRETE, SHAPE, "jnp.arange(n)", ("n",), "static_argn", True),
    Form("nonzero", "return x * jnp.nonzero(x > s)[0].sum()", CONCRETE, SHAPE, "jnp.nonzero(x > s)", ("x", "s"), "size"),
    Form("unique", "return x * jnp.unique(x).sum()", CONCRETE, SHAPE, "jnp.unique(x)", ("x",), "size"),
    Form("numpy", "return np.sqrt(x) + 1", ARRAY, "numpy-on-tracer", "np.sqrt(x)", ("x",), "jnp.sqrt"),
    Form("numpy-index", "return GRID[n] * x", ARRAY, "numpy-on-tracer", "GRID[n]", ("n",), "jnp.asarray"),
    Form("mask", "return x * x[x > s].sum()", MASK, "boolean-mask", "x[x > s]", ("x", "s"), "where="),
    Form("zeros", "return x * jnp.zeros(n).sum()", "TypeError", SHAPE, "jnp.zeros(n)", ("n",), "static_argn", True),
    Form("reshape", "return x.reshape(n, -1).sum() * x", "TypeError", SHAPE, "x.reshape(n, -1)", ("n",), "static_argn", True),
    Form("broadcast", "return jnp.broadcast_to(x, (n, 3)).sum(0)", "TypeError", SHAPE, "jnp.broadcast_to(x, (n, 3))", ("n",), "static_argn", True),
    Form("slice", "return x * x[:n].sum()", "IndexError", SHAPE, "x[:n]", ("n",), "dynamic_slice", True),
    Form("slice-both", "return x * x[n : n + 2].sum()", "IndexError", SHAPE, "x[n : n + 2]", ("n",), "jnp.where", True),
    Form("dict-key", "return x * TABLE[n]", "TypeError", NEEDED, "TABLE[n]", ("n",), "lax.switch", True),
    Form("set-member", "return x * (n in {1, 2})", "TypeError", NEEDED, "n in {1, 2}", ("n",), "static_argn", True),
    Form("format", "label = f'{s:.2f}'\nreturn x", "TypeError", NEEDED, "f'{s:.2f}'", ("s",), "jax.debug.print"),
]  # fmt: skip


def define(body: str, head: str = "def inner(x, n, s, flag):") -> str:
    return f"{head}\n{textwrap.indent(body, '    ')}"


PLACES = {
    "plain": lambda body: "@jax.jit\n" + define(body, "def outer(x, n, s, flag):"),
    "method": lambda body: (
        "class Model:\n    @functools.partial(jax.jit, static_argnums=0)\n"
        + textwrap.indent(define(body, "def outer(self, x, n, s, flag):"), "    ")
        + "\nouter = Model().outer"
    ),
    "helper": lambda body: f"{define(body)}\n@jax.jit\ndef outer(x, n, s, flag):\n    return inner(x, n, s, flag)",
    "nested jit": lambda body: (
        "inner_jit = jax.jit(inner)\n@jax.jit\ndef outer(x, n, s, flag):\n    return inner_jit(x + 1, n, s, flag)"
    ).join((define(body) + "\n", "")),
    "vmap": lambda body: (
        f"{define(body)}\n@jax.jit\ndef outer(x, n, s, flag):\n"
        "    return jax.vmap(lambda row: inner(row, n, s, flag))(jnp.stack([x, x]))"
    ),
    "grad": lambda body: (
        f"{define(body)}\n@jax.jit\ndef outer(x, n, s, flag):\n"
        "    return jax.grad(lambda w: inner(w, n, s, flag).sum())(x)"
    ),
    "scan": lambda body: (
        f"{define(body)}\n@jax.jit\ndef outer(x, n, s, flag):\n"
        "    def step(carry, row):\n        return carry + inner(row, n, s, flag).sum(), None\n"
        "    return jax.lax.scan(step, 0.0, jnp.stack([x, x]))"
    ),
    "cond": lambda body: (
        f"{define(body)}\n@jax.jit\ndef outer(x, n, s, flag):\n"
        "    return jax.lax.cond(x[0] > 0, lambda v, m: inner(v, m, s, flag), lambda v, m: v, x * 2, n)"
    ),
    "while": lambda body: (
        f"{define(body)}\n@jax.jit\ndef outer(x, n, s, flag):\n"
        "    return jax.lax.while_loop(lambda c: c[1] < 3, lambda c: (inner(c[0], c[1], s, flag), c[1]), (x, n))"
    ),
    "fori": lambda body: (
        f"{define(body)}\n@jax.jit\ndef outer(x, n, s, flag):\n"
        "    return jax.lax.fori_loop(0, 3, lambda i, c: inner(c, n, s, flag), x)"
    ),
    "remat": lambda body: (
        f"{define(body)}\n@jax.jit\ndef outer(x, n, s, flag):\n    return jax.checkpoint(inner)(x, n, s, flag)"
    ),
    "comprehension": lambda body: (
        f"{define(body)}\n@jax.jit\ndef outer(x, n, s, flag):\n    return sum([inner(v, n, s, flag) for v in [x]])"
    ),
}  # fmt: skip


def run(source: str, name: str) -> Exception:
    outer = load(source, name)["outer"]
    with pytest.raises(Exception) as caught:  # noqa: PT011 - each form has its own
        outer(jnp.arange(3.0) + 1, 1, 0.5, True)
    return caught.value


def squash(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_form(form, place):
    source = HEADER + PLACES[place](form.body)
    with watching() as seen:
        raised = run(source, f"{form.name}-{place}")
    assert type(raised).__name__ == form.error
    [failure] = seen.failures
    check(failure, form, source)
    if not (form.static and place == "while"):  # what a loop carries is data, so it is not advised to be static
        assert form.remedy in " ".join(f"{one.name}: {one.text}" for one in failure.remedies)
    assert explain_exception(raised) is failure


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_from_the_traceback_alone(form):
    source = HEADER + PLACES["nested jit"](form.body)
    raised = run(source, f"{form.name}-alone")
    check(explain_exception(raised), form, source)


def check(failure, form, source):
    assert failure.code == form.code
    assert squash(failure.expression) == squash(form.expression)
    assert set(failure.arguments) == set(form.arguments)
    assert failure.called.endswith("outer")
    line = source.splitlines()[failure.line - 1]
    start, end = failure.columns
    assert squash(form.expression).startswith(squash(line[start:end]))
    assert failure.function.endswith(("inner", "outer"))


BROKEN = [form for form in FORMS if "(" in form.expression and "'" not in form.expression and form.name != "match"]


@pytest.mark.parametrize("form", BROKEN, ids=lambda form: form.name)
def test_over_several_lines(form):
    broken = form.expression.replace("(", "(\n            ", 1)
    source = HEADER + PLACES["plain"](form.body.replace(form.expression, broken, 1))
    with watching() as seen:
        run(source, f"{form.name}-lines")
    [failure] = seen.failures
    check(failure, form, source)
    assert failure.end_line == failure.line + 1
