# ruff: noqa: E501, ISC004 - a table of programs is read row by row
"""Remedies that are code: written in place of what failed they run, and give what the program gives without jit."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from failing import failure, load

HEADER = """
import functools
import math
import jax
import jax.numpy as jnp
import numpy as np
import scipy.special
from scipy import stats
from typing import NamedTuple

STEPS = [1, 2, 4]
RATES = [0.1, 0.2, 0.3]
STOP = {2, 5}
x = jnp.array([3.0, -1.0, 2.0])
m = jnp.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
mask = jnp.array([True, False, True])

class Command(NamedTuple):
    op: object
    arg: object
"""

# What fails is written between « and »; the remedy of that name takes its place.
PROGRAMS: dict[str, tuple[str, str]] = {
    "tuple index": ("def f(a, i, row):\n    «a[i, :] += row»\n    return a\nrun = lambda: jax.jit(f)(m, 1, jnp.ones(2))", ".at[]"),
    "in place by a mask": ("def f(v):\n    «v[v < 0] = 0.0»\n    return v\nrun = lambda: jax.jit(f)(x)", "jnp.where"),
    "in place by a mask, added to": ("def f(v, w):\n    «v[w] += 1.0»\n    return v\nrun = lambda: jax.jit(f)(x, mask)", "jnp.where"),
    "update of a slice": ("def f(v, n):\n    return «v.at[:n].set(9.0)»\nrun = lambda: jax.jit(f)(x, 2)", "jnp.where"),
    "update by a mask, min": ("def f(v, w):\n    return «v.at[w].min(0.5)»\nrun = lambda: jax.jit(f)(x, mask)", "jnp.where"),
    "rows by a mask": ("def f(a, w):\n    return «a[w].sum(axis=0)»\nrun = lambda: jax.jit(f)(m, mask)", "where="),
    "difference by one mask": ("def f(p, q):\n    w = q > 0\n    return «jnp.mean((p[w] - q[w]) ** 2)»\nrun = lambda: jax.jit(f)(x * 2, x)", "where="),
    "largest by a mask": ("def f(p):\n    return «p[p < 3].max()»\nrun = lambda: jax.jit(f)(x)", "where="),
    "mean of what where finds": ("def f(p, t):\n    return «jnp.mean(p[jnp.where(p > t)])»\nrun = lambda: jax.jit(f)(x, 0.0)", "where="),
    "any of a list, in a condition": ("def f(*vs):\n    «if any([v > 0 for v in vs]):\n        return 1\n    return 0»\nrun = lambda: jax.jit(f)(-1.0, 2.0)", "jnp.where"),
    "tuples compared": ("def f(a, b):\n    return «a if (a, 1) < (b, 2) else b»\nrun = lambda: jax.jit(f)(1.0, 1.0)", "jnp.where"),
    "list.index": ("def f(n):\n    return «STEPS.index(n)»\nrun = lambda: jax.jit(f)(4)", "jnp.argmax"),
    "list.sort": ("def f(a, b, c):\n    vs = [a, b, c]\n    «vs.sort()»\n    return vs[1]\nrun = lambda: jax.jit(f)(3.0, 1.0, 2.0)", "jnp.sort"),
    "sorted": ("def f(a, b, c):\n    return «sorted([a, b, c])»[1]\nrun = lambda: jax.jit(f)(3.0, 1.0, 2.0)", "jnp.sort"),
    "reduce by max": ("def f(a, b, c):\n    return «functools.reduce(max, [a, b, c])»\nrun = lambda: jax.jit(f)(3.0, 5.0, 2.0)", "jnp.maximum"),
    "member of a set": ("def f(n):\n    return «n in STOP»\nrun = lambda: jax.jit(f)(5)", "jnp.isin"),
    "list of numbers by an index": ("def f(i):\n    return «RATES[i]»\nrun = lambda: jax.jit(f)(2)", "jnp.array"),
    "argument that may be left out": ("def f(v, w=None):\n    «if w:»\n        v = v * w\n    return v\nrun = lambda: (jax.jit(f)(x), jax.jit(f)(x, jnp.float32(2)))", "is not None"),
    "chain of numbers": (
        "def f(v, kind):\n    «if kind == 0:\n        return jnp.tanh(v)\n    elif kind == 1:\n        return jnp.abs(v)\n    return v»\n"
        "run = lambda: [jax.jit(f)(x, k) for k in range(3)]", "lax.switch",
    ),
    "chain of conditions": (
        "def f(v):\n    «if v > 2:\n        y = 2.0\n    elif v > 0:\n        y = v\n    else:\n        y = 0.0»\n    return y\n"
        "run = lambda: [jax.jit(f)(v) for v in (3.0, 1.0, -1.0)]", "jnp.select",
    ),
    "chain of conditions, nested": (
        "def f(v):\n    «if v > 2:\n        y = 2.0\n    elif v > 0:\n        y = v\n    else:\n        y = 0.0»\n    return y\n"
        "run = lambda: [jax.jit(f)(v) for v in (3.0, 1.0, -1.0)]", "lax.cond",
    ),
    "chain of conditional expressions": ("def f(v):\n    return «0.0 if v < 0 else v if v < 1 else 1.0»\nrun = lambda: [jax.jit(f)(v) for v in (3.0, 0.5, -1.0)]", "jnp.select"),
    "chain of conditional expressions, nested": ("def f(v):\n    return «0.0 if v < 0 else v if v < 1 else 1.0»\nrun = lambda: [jax.jit(f)(v) for v in (3.0, 0.5, -1.0)]", "lax.cond"),
    "name given in a condition": ("def f(v):\n    «if (big := v > 3):\n        y = big * v\n    else:\n        y = -v»\n    return y, big\nrun = lambda: [jax.jit(f)(v) for v in (4.0, 2.0)]", "jnp.where"),
    "smallest of a list": ("def f(vs):\n    return «min(vs)»\nrun = lambda: jax.jit(f)([3.0, 1.0])", "jnp.min"),
    "any of a tuple, in a condition": ("def f(flags, v):\n    «if any(flags):\n        return v\n    return -v»\nrun = lambda: jax.jit(f)((False, True), 2.0)", "jnp.where"),
    "any of a dict's values": ("def f(d, v):\n    return «v if any(d.values()) else -v»\nrun = lambda: jax.jit(f)({'a': False, 'b': True}, 2.0)", "lax.cond"),
    "largest of an array": ("def f(v):\n    return «max(v)»\nrun = lambda: jax.jit(f)(x)", "jnp.max"),
    "math.floor as an index": ("def f(v, t):\n    return v.at[«math.floor(t * 2)»].set(9.0)\nrun = lambda: jax.jit(f)(x, 0.7)", "jnp.floor"),
    "math.log to a base": ("def f(v):\n    return 1 / «math.log(v, 2)»\nrun = lambda: jax.jit(f)(3.0)", "jnp.log"),
    "math.isclose has its own tolerances": ("def f(a, b):\n    return «a if math.isclose(a, b) else b»\nrun = lambda: [jax.jit(f)(1.0, v) for v in (1.000005, 1.0, 2.0)]", "jnp.isclose"),
    "math.isclose within": ("def f(a, b):\n    return «a if math.isclose(a, b, abs_tol=0.5) else b»\nrun = lambda: [jax.jit(f)(1.0, v) for v in (1.25, 2.0)]", "jnp.isclose"),
    "math.dist": ("def f(a, b):\n    return «math.dist(a, b)»\nrun = lambda: jax.jit(f)([3.0, 2.0], [1.0, 1.0])", "jnp.linalg.norm"),
    "math.hypot of three": ("def f(a, b):\n    return «math.hypot(a, b, 3.0)»\nrun = lambda: jax.jit(f)(2.0, 1.0)", "jnp.linalg.norm"),
    "math.fsum": ("def f(vs):\n    return «math.fsum(v * 2 for v in vs)»\nrun = lambda: jax.jit(f)([3.0, 2.0])", "jnp.sum"),
    "math.remainder": ("def f(a, b):\n    return 2 * «math.remainder(a, b)»\nrun = lambda: [jax.jit(f)(v, 2.0) for v in (7.0, 8.5, -3.2)]", "jnp.round"),
    "math.isqrt": ("def f(n):\n    return «math.isqrt(n)»\nrun = lambda: [jax.jit(f)(v) for v in (15, 16, 17)]", "jnp.sqrt"),
    "math.factorial": ("def f(n):\n    return «math.factorial(n)»\nrun = lambda: jax.jit(f)(5)", "jax.scipy.special.factorial"),
    "NumPy in a condition": ("def f(v):\n    «if np.isnan(v):\n        return 0.0\n    return v»\nrun = lambda: jax.jit(f)(1.5)", "jnp.isnan"),
    "math in a condition": ("def f(v):\n    return «0.0 if math.isnan(v) else v»\nrun = lambda: jax.jit(f)(1.5)", "jnp.isnan"),
    "SciPy's special functions": ("def f(v):\n    return «scipy.special.erf(v)»\nrun = lambda: jax.jit(f)(x)", "jax.scipy.special.erf"),
    "SciPy's distributions": ("def f(v):\n    return «stats.norm.logpdf(v)»\nrun = lambda: jax.jit(f)(x)", "jax.scipy.stats.norm.logpdf"),
    "int of a float": ("def f(v, t):\n    return v[«int(t * 2)»]\nrun = lambda: jax.jit(f)(x, 0.7)", "astype"),
    "slice along the second axis": ("def f(a, n):\n    return jnp.sum(«a[:, :n]»)\nrun = lambda: jax.jit(f)(m, 1)", "mask"),
    "the last n": ("def f(v, n):\n    return jnp.sum(«v[-n:]»)\nrun = lambda: jax.jit(f)(x, 2)", "mask"),
    "slice of a size that is known": ("def f(a, i):\n    return «a[i : i + 2]»\nrun = lambda: jax.jit(f)(m, 1)", "lax.dynamic_slice"),
    "slice that ends somewhere": ("def f(a, i):\n    return «a[:, i - 1 : i]»\nrun = lambda: jax.jit(f)(m, 2)", "lax.dynamic_slice"),
    "one batch of many": ("def f(v, i):\n    return «v[i * STEPS[0] : (i + 1) * STEPS[0]]»\nrun = lambda: jax.jit(f)(x, 2)", "lax.dynamic_slice"),
    "slice behind an ellipsis": ("def f(a, i):\n    return «a[..., i : i + 1, :]»\nrun = lambda: jax.jit(f)(jnp.arange(24.0).reshape(2, 2, 3, 2), 2)", "lax.dynamic_slice"),
    "slice of a row": ("def f(a, n):\n    return jnp.sum(«a[1, :n]»)\nrun = lambda: jax.jit(f)(m, 1)", "mask"),
    "slice of a row, sized": ("def f(a, i):\n    return «a[1, i : i + 1]»\nrun = lambda: jax.jit(f)(m, 1)", "lax.dynamic_slice"),
    "slices along two axes": ("def f(a, n, k):\n    return jnp.sum(«a[:n, :k]»)\nrun = lambda: jax.jit(f)(m, 2, 1)", "mask"),
    "sized slices along two axes": ("def f(a, i, k):\n    return «a[i : i + 2, k : k + 1]»\nrun = lambda: jax.jit(f)(m, 1, 1)", "lax.dynamic_slice"),
    "update of a slice by an array": ("def f(v, w, i):\n    return «v.at[i : i + 2].set(w)»\nrun = lambda: jax.jit(f)(x, jnp.ones(2), 1)", "lax.dynamic_update_slice"),
    "columns by a mask, set": ("def f(a, w):\n    return «a.at[:, w].set(0.0)»\nrun = lambda: jax.jit(f)(m, jnp.array([True, False]))", "jnp.where"),
    "update by the same mask": ("def f(v, u, w):\n    return «v.at[w].set(u[w] * 2)»\nrun = lambda: jax.jit(f)(x, x + 5, mask)", "jnp.where"),
    "largest of one and many": ("def f(v, vs):\n    return «max(v, *vs)»\nrun = lambda: jax.jit(f)(1.0, [3.0, 2.0])", "jnp.max"),
    "real and imaginary part": ("def f(v):\n    return «complex(v, 2)» * 3\nrun = lambda: jax.jit(f)(1.0)", "1j"),
    "slice in a comprehension": ("def f(v, ns):\n    return [jnp.sum(«v[:n]») for n in ns]\nrun = lambda: jax.jit(f)(x, jnp.array([1, 2]))", "mask"),
    "NumPy with a keyword": ("def f(a):\n    return «np.median(a, axis=0)»\nrun = lambda: jax.jit(f)(m)", "jnp.median"),
    "zeros stand for None": ("def f(d):\n    «if d['w'] > 0:\n        return d\n    return None»\nrun = lambda: jax.jit(f)({'w': 1.0})", "same structure"),
    "array of several": ("def f(a, b):\n    return «np.array([a, b])» * 2\nrun = lambda: jax.jit(f)(1.0, 2.0)", "jnp.asarray"),
}  # fmt: skip


def marked(body):
    before, _, rest = body.partition("«")
    old, _, after = rest.partition("»")
    return before, old, after


# What differs in its type is written between « and », and what the first remedy makes of it takes its place.
TYPES = {
    "a bool to begin with": "jax.lax.fori_loop(0, 3, lambda i, s: (s[0] + jnp.int32(1), s[1] + 1), («False», 0.0))",
    "a Python number in the body": "jax.lax.scan(lambda c, v: ((c[0] + v, «5»), None), (0.0, jnp.float32(1)), x)",
    "a whole number to begin with": "jax.lax.scan(lambda c, v: (c + v, None), «jnp.int32(0)», x)",
    "half precision to begin with": "jax.lax.scan(lambda c, v: (c + v, None), «jnp.zeros((), jnp.bfloat16)», x)",
    "a Python number in a branch": "jax.lax.cond(True, lambda v: v * 2, lambda v: «0», x[0])",
    "a Python number in the first branch": "jax.lax.cond(False, lambda v: «0», lambda v: v / 2, x[0])",
    "a comparison in a branch": "jax.lax.cond(False, lambda v: «(v > 1)», lambda v: v / 2, x)",
}


@pytest.mark.parametrize("name", TYPES)
def test_types_are_made_equal_without_loss(name):
    before, old, after = marked(TYPES[name])
    found = failure(f"{HEADER}{before}{old}{after}")
    text = found.remedies[0].text.removeprefix("start with ").partition(" for ")[0]
    mended = load(f"{HEADER}result = {before}{text}{after}", "mended")["result"]
    with jax.disable_jit():
        expected = load(f"{HEADER}result = {before}{old}{after}", "eager")["result"]
    assert jax.tree.all(jax.tree.map(np.allclose, mended, expected)), (text, mended, expected)


def test_what_cannot_hold_it_comes_second():
    body = "jax.lax.scan(lambda c, v: (c + v, None), jnp.int32(0), x)"
    found = failure(HEADER + body)
    assert [one.name for one in found.remedies] == ["start value", "astype"]
    assert found.remedies[1].cost == "the result is rounded or cut to int32"
    found = failure(HEADER + body.replace("c + v", "jnp.int32(c)").replace("jnp.int32(0)", "x[0]"))
    assert (found.remedies[0].name, found.remedies[0].cost) == ("astype", "c stays float32")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_remedy_runs_in_the_place_of_what_failed(name):
    body, remedy = PROGRAMS[name]
    before, old, after = marked(HEADER + body)
    found = failure(f"{before}{old}{after}\nrun()", "original")
    text = next(one.text for one in found.remedies if one.name == remedy)
    mended = load(f"{before}{text}{after}", "mended")["run"]()
    if name.startswith("in place") or name == "tuple index":  # what NumPy does, and JAX without jit does not
        before = before.replace("x = jnp.array", "x = np.array").replace("m = jnp.array", "m = np.array")
    with jax.disable_jit():
        expected = load(f"{before}{old}{after}".replace("jax.jit(f)", "f"), "eager")["run"]()
    assert jax.tree.all(jax.tree.map(np.allclose, mended, expected)), (text, mended, expected)


@pytest.mark.parametrize(
    ("cases", "texts"),
    [
        ("case 0: return v\n        case 1: return -v\n        case _: return 2 * v", [
            "jax.lax.switch(n, [<case 0>, <case 1>, <case _>], <operands>)",
            "jnp.select([n == 0, n == 1], [<case 0>, <case 1>], <default>)",
        ]),
        ("case 1: return v\n        case _: return -v", ["jnp.select([n == 1], [<case 1>], <default>)"]),
        ("case 0: return v\n        case 1 | 2: return -v", ["jnp.select([n == 0, (n == 1) | (n == 2)], [<case 0>, <case 1 | 2>], <default>)"]),
        ("case 0.5: return v\n        case y: return y", ["jnp.select([n == 0.5], [<case 0.5>], <default>)"]),
    ],
)  # fmt: skip
def test_match_is_a_switch_where_its_cases_are_counted_from_0(cases, texts):
    found = failure(HEADER + f"@jax.jit\ndef f(v, n):\n    match n:\n        {cases}\nf(x, 2)")
    assert [one.text for one in found.remedies if one.name != "static_argnames"] == texts


def test_match_on_two_values_is_no_switch():
    body = "@jax.jit\ndef f(v):\n    match (v[0], v[1]):\n        case (0, 0): return v\n        case (0, _): return -v\n    return 2 * v\nf(x)"
    assert [one.text for one in failure(HEADER + body).remedies] == [
        "jnp.select([(v[0] == 0) & (v[1] == 0), v[0] == 0], [<case (0, 0)>, <case (0, _)>], <default>)"
    ]


@pytest.mark.parametrize(
    ("chosen", "text"),
    [
        ('"big" if v > 0 else "small"', 'jax.lax.cond(v > 0, <what is done with "big">, <what is done with "small">, <operands>)'),
        ("jnp.float16 if v > 0 else jnp.float32", "jax.lax.cond(v > 0, <what is done with jnp.float16>"),
        ("jnp.tanh if v > 0 else jnp.sin", "jax.lax.cond(v > 0, jnp.tanh, jnp.sin, <operands>) where the chosen function is called"),
        ('0 if math.isnan(v) else "none"', "jax.lax.cond(jnp.isnan(v), <what is done with 0>"),
        ('"a" if v > 2 else "b" if v > 1 else "c"', "jax.lax.cond(v > 2, <what is done with"),
    ],
)  # fmt: skip
def test_what_is_no_array_is_not_selected(chosen, text):
    found = failure(HEADER + f"@jax.jit\ndef f(v):\n    chosen = {chosen}\n    return v\nf(1.0)")
    assert found.remedies[0].text.startswith(text)
    assert not [one.text for one in found.remedies if "jnp.where" in one.text or "jnp.select" in one.text]


def test_a_function_of_math_that_jax_has_not_is_called_outside():
    found = failure(HEADER + "@jax.jit\ndef f(n):\n    return math.comb(n, 2)\nf(3)")
    assert [one.name for one in found.remedies] == ["outside", "static_argnames"]


def test_a_loop_carries_what_it_sets_and_had_before():
    body = "def f(v, tol):\n    err, n = jnp.inf, 0\n    while err > tol:\n        new = jnp.cos(v)\n        err = jnp.abs(new - v)\n        v, n = new, n + 1\n    return v\njax.jit(f)(0.5, 1e-3)"
    found = failure(HEADER + body)
    assert found.remedies[0].text.startswith("err, v, n = jax.lax.while_loop(cond, body, (err, v, n))")
    assert "static_argnames" not in [one.name for one in found.remedies]  # cos makes err a traced value all the same


def test_a_recursion_is_no_branch():
    found = failure(
        HEADER + "def fact(n):\n    if n <= 1:\n        return 1\n    return n * fact(n - 1)\njax.jit(fact)(5)"
    )
    assert found.remedies[0].name == "lax.while_loop"


def test_a_loop_that_ends_early_is_a_while_loop():
    body = "@jax.jit\ndef collatz(n):\n    steps = 0\n    while True:\n        if n == 1:\n            break\n        n = jnp.where(n % 2 == 0, n // 2, 3 * n + 1)\n        steps += 1\n    return steps\ncollatz(6)"
    found = failure(HEADER + body)
    assert found.remedies[0].text.startswith(
        "n, steps = jax.lax.while_loop(cond, body, (n, steps))  # cond: jnp.logical_not(n == 1)"
    )


def test_rounds_of_a_range_with_a_step():
    body = "@jax.jit\ndef f(v, step):\n    s = 0.0\n    for i in range(1, 8, step):\n        s += i\n    return s\nf(1.0, 3)"
    text = failure(HEADER + body).remedies[0].text
    bound = text.partition("fori_loop(0, ")[2].partition(", body")[0]
    assert eval(bound, {"step": 3}) == len(range(1, 8, 3))  # noqa: S307 - the text is whyjit's own
    assert "i = 1 + round * step" in text


def test_a_loop_that_fills_a_list_is_no_traced_loop():
    body = "@jax.jit\ndef f(v, n):\n    out = []\n    for i in range(n):\n        v = v * 2\n        out.append(v)\n    return jnp.stack(out)\nf(1.0, 3)"
    assert [one.name for one in failure(HEADER + body).remedies] == ["static_argnames", "lax.scan"]


def test_a_layer_made_in_a_loop_needs_the_number_static():
    body = "class Dense:\n    def __init__(self, n): self.n = n\n    def __call__(self, v): return v * self.n\n@jax.jit\ndef f(v, n):\n    for i in range(n):\n        v = Dense(i)(v)\n    return v\nf(1.0, 2)"
    assert [one.name for one in failure(HEADER + body).remedies] == ["static_argnames"]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            "@jax.jit\ndef f(*dims):\n    return jnp.zeros(dims)\nf(2, 3)",
            "@functools.partial(jax.jit, static_argnums=(0, 1)) above def f, in line {line}",
        ),
        (
            "@jax.jit\ndef f(**o):\n    return jnp.zeros(o['n'])\nf(n=2)",
            '@functools.partial(jax.jit, static_argnames="n") above def f, in line {line}',
        ),
        (
            "@jax.jit\ndef f(o):\n    return jnp.zeros(o[0])\nf([2])",
            "take o[0] out of the argument and pass it by itself, as a Python number: "
            '@functools.partial(jax.jit, static_argnames="o_0") above def f, in line {line}',
        ),
    ],
)
def test_gathered_arguments_can_be_static_as_they_are(body, text):
    found = failure(HEADER + body)
    assert text.format(line=HEADER.count("\n") + 1) in [one.text for one in found.remedies]


# How a function is jitted, what it is called with, and what that becomes.
DECLARED = {
    "by a decorator": ("@jax.jit\ndef f(v, n, k=0):\n    return v[:n]", "f(x, 2)", '@functools.partial(jax.jit, static_argnames="n") above def f'),
    "with names": ("@functools.partial(jax.jit, static_argnames='k')\ndef f(v, n, k=0):\n    return v[:n]", "f(x, 2)", 'add "n" to the static_argnames above def f'),
    "with numbers, where a name would do nothing": ("@functools.partial(jax.jit, static_argnums=2)\ndef f(v, n, k=0):\n    return v[:n]", "f(x, 2)", "add 1 to the static_argnums above def f"),
    "with both": ("@functools.partial(jax.jit, static_argnums=2, static_argnames='k')\ndef f(v, n, k=0):\n    return v[:n]", "f(x, 2)", 'add 1 to the static_argnums and add "n" to the static_argnames above def f'),
    "with numbers, by keyword only": ("@functools.partial(jax.jit, static_argnums=1)\ndef f(v, k=0, *, n):\n    return v[:n]", "f(x, n=2)", '@functools.partial(jax.jit, static_argnums=1, static_argnames="n") above def f'),
    "over several lines": ("@functools.partial(\n    jax.jit,\n    donate_argnums=(),\n)\ndef f(v, n):\n    return v[:n]", "f(x, 2)", '@functools.partial(jax.jit, donate_argnums=(), static_argnames="n") above def f'),
    "by a call": ("def f(v, n):\n    return v[:n]\ng = jax.jit(f, donate_argnums=())", "g(x, 2)", 'jax.jit(f, donate_argnums=(), static_argnames="n") in line'),
    "a lambda with numbers": ("g = jax.jit(lambda v, n, k: v[:n], static_argnums=2)", "g(x, 2, 0)", "add 1 to the static_argnums in line"),
    "a bound method": ("class M:\n    def __init__(self):\n        self.g = jax.jit(self.f)\n    def f(self, v, n):\n        return v[:n]", "M().g(x, 2)", 'jax.jit(self.f, static_argnames="n") in line'),
    "a string, by a decorator": ("@jax.jit\ndef f(v, n):\n    return v", "f(x, 'a')", '@functools.partial(jax.jit, static_argnames="n") above def f'),
    "a string, with numbers": ("@functools.partial(jax.jit, static_argnums=(2,))\ndef f(v, n, k):\n    return v", "f(x, 'a', 0)", "add 1 to the static_argnums above def f"),
    "a string, by a call": ("def f(v, n, k):\n    return v\ng = jax.jit(f, static_argnames='k')", "g(x, 'a', 0)", 'add "n" to the static_argnames in line'),
    "a leaf of a method's argument": ("class M:\n    @functools.partial(jax.jit, static_argnames='self')\n    def f(self, v, c):\n        return v[:c['n']]", "M().f(x, {'n': 2})", 'take c[\'n\'] out of the argument and pass it by itself, as a Python number: add "n" to the static_argnames above def f'),
}  # fmt: skip


@pytest.mark.parametrize("name", DECLARED)
def test_a_static_argument_is_declared_where_the_function_is_jitted(name):
    body, call, text = DECLARED[name]
    found = failure(f"{HEADER}{body}\n{call}")
    assert next(one.text for one in found.remedies if one.name == "static_argnames").startswith(text)


def test_leaves_of_one_name_get_names_of_their_own():
    body = "@jax.jit\ndef f(d):\n    return d[0]['p'] if d[0]['p'] > d[1]['p'] else 0\nf([{'p': 1}, {'p': 2}])"
    text = next(one.text for one in failure(HEADER + body).remedies if one.name == "static_argnames")
    assert 'static_argnames=("d_0_p", "d_1_p")' in text


def test_a_static_argument_does_not_help_what_jax_computes():
    body = "@jax.jit\ndef f(n):\n    return jnp.zeros(jnp.floor_divide(n, 2))\nf(8)"
    text = next(one.text for one in failure(HEADER + body).remedies if one.name == "static_argnames")
    assert "`jnp.floor_divide(n, 2)` computed by Python or NumPy" in text


@pytest.mark.parametrize(
    "call",
    [
        "jax.lax.top_k(v, n)[0]",
        "jnp.reshape(jnp.sin(v), (n,))",
        "jax.random.normal(jax.random.key(7), (n,))",
        "[v] * n",
    ],
)
def test_nothing_else_is_asked_for_where_nothing_else_is_needed(call):
    text = next(
        one.text
        for one in failure(HEADER + f"@jax.jit\ndef f(v, n):\n    return {call}\nf(x, 3)").remedies
        if one.name == "static_argnames"
    )
    assert text == f'@functools.partial(jax.jit, static_argnames="n") above def f, in line {HEADER.count(chr(10)) + 1}'


def test_columns_by_a_mask():
    found = failure(HEADER + "@jax.jit\ndef f(a, w):\n    return a[:, w]\nf(m, jnp.array([True, False]))").remedies
    assert [one.text for one in found] == [
        "jnp.where(w, a, 0)",
        "jnp.take(a, jnp.nonzero(w, size=<most elements>, fill_value=0)[0], axis=1)",
    ]
    one = failure(HEADER + "@jax.jit\ndef f(a, w):\n    return a[0, w]\nf(m, jnp.array([True, False]))").remedies
    assert [remedy.text for remedy in one] == ["jnp.where(<mask>, a, <fill>)"]


def test_what_jax_numpy_has_not_is_called_back():
    body = "@jax.jit\ndef f(v):\n    np.testing.assert_allclose(v, 1.0)\n    return v\nf(x)"
    found = failure(HEADER + body).remedies
    assert found[0].text == "jax.debug.callback(np.testing.assert_allclose, v, 1.0)"
    assert not [one for one in found if one.name.startswith("jnp.")]


def test_compiled_code_is_no_line_of_the_users():
    found = failure(HEADER + "@jax.jit\ndef f(n):\n    return np.random.normal(size=n)\nf(3)")
    assert (found.function, found.expression, found.arguments) == ("f", "np.random.normal(size=n)", ("n",))


def test_what_else_a_slice_may_be():
    steps = failure(HEADER + "@jax.jit\ndef f(v, k):\n    return v[::k]\nf(x, 2)").remedies[0]
    assert steps.text == "jnp.take(v, jnp.arange(<fixed size>) * (k), axis=0, mode='clip')"
    row = failure(HEADER + "@jax.jit\ndef f(a, n):\n    return a.at[0, :n].set(9.0)\nf(m, 1)").remedies
    assert [one.name for one in row] == ["static_argnames"]  # a mask over the whole would set the other rows
    counted = "@jax.jit\ndef f(v):\n    return jax.lax.fori_loop(0, 3, lambda i, s: s + v[:i].sum(), 0.0)\nf(x)"
    assert "NumPy" not in [one.name for one in failure(HEADER + counted).remedies]  # the counter is no constant


def test_a_static_argument_must_be_static_in_every_jit():
    body = "@jax.jit\ndef g(v, k):\n    return v[:k]\n@jax.jit\ndef f(v, n):\n    return g(v * 2, n)\nf(x, 2)"
    text = next(one.text for one in failure(HEADER + body).remedies if one.name == "static_argnames")
    assert text.endswith("; and with k static in g too")


def test_an_array_must_become_a_number_before_it_is_static():
    body = "@jax.jit\ndef f(v, n):\n    return v[:n]\nf(x, jnp.int32(2))"
    text = next(one.text for one in failure(HEADER + body).remedies if one.name == "static_argnames")
    assert text.endswith("; and with n given as a Python number")
