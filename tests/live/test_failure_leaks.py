# ruff: noqa: E501, ISC004 - a table of programs is read row by row
"""Values that outlived their trace: where they were made, where they were kept, and the words for it."""

from __future__ import annotations

import textwrap

import pytest
from failing import failure

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


LEAKS = {
    "attribute": (
        """
        class Norm:
            @functools.partial(jax.jit, static_argnums=0)
            def run(self, a):
                self.mean = a.mean()
                return a - self.mean
        norm = Norm()
        norm.run(x)
        jnp.sin(norm.mean)
        """,
        "self.mean", "self.mean = a.mean()", "a.mean()",
    ),
    "global": (
        """
        last = 0.0
        @jax.jit
        def step(a):
            global last
            last = a * 2
            return a
        step(x)
        np.asarray(last)
        """,
        "last", "last = a * 2", "a * 2",
    ),
    "global read by another function": (
        """
        last = jnp.zeros(3)
        @jax.jit
        def step(a):
            global last
            last = a * 2
            return a
        @jax.jit
        def other(a):
            return a + last
        step(x)
        other(x)
        """,
        "last", "last = a * 2", "a * 2",
    ),
    "nonlocal": (
        """
        def program():
            last = None
            @jax.jit
            def step(a):
                nonlocal last
                last = a.sum()
                return a
            step(x)
            if last > 0:
                pass
        program()
        """,
        "last", "last = a.sum()", "a.sum()",
    ),
    "list": (
        """
        seen = []
        @jax.jit
        def step(a):
            b = a * 2
            seen.append(b)
            return b
        step(x)
        float(seen[0].sum())
        """,
        "seen", "seen.append(b)", "a * 2",
    ),
    "dict, of an argument itself": (
        """
        cache = {}
        @jax.jit
        def step(a):
            cache["a"] = a
            return a * 2
        step(x)
        jnp.sin(cache["a"])
        """,
        'cache["a"]', 'cache["a"] = a', None,
    ),
    "scan body": (
        """
        box = {}
        @jax.jit
        def step(rows):
            def body(carry, row):
                box["carry"] = carry + row
                return carry + row, None
            return jax.lax.scan(body, 0.0, rows)[0]
        step(x)
        jnp.sin(box["carry"])
        """,
        'box["carry"]', 'box["carry"] = carry + row', "carry + row",
    ),
    "grad inside jit": (
        """
        losses = []
        def loss(w):
            value = (w ** 2).sum()
            losses.append(value)
            return value
        jax.jit(jax.grad(loss))(x)
        jnp.log(losses[0])
        """,
        "losses", "losses.append(value)", "(w ** 2).sum()",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", LEAKS)
def test_leak(case):
    body, stored, store, made = LEAKS[case]
    found = explained(body, case)
    assert found.code == "tracer-leak"
    assert found.leak.stored == stored
    assert found.leak.store.source == store
    assert (found.leak.made.source if found.leak.made else None) == made
    assert found.remedies[0].name == "return it"
    assert stored.replace('"', "'") in found.text.replace('"', "'")


def test_leak_under_vmap():
    found = explained(
        """
        box = {}
        def keep(a):
            box["twice"] = a * 2
            return a
        jax.vmap(keep)(x)
        jnp.sin(box["twice"])
        """
    )
    assert found.code == "tracer-leak"
    assert (found.leak.function, found.leak.stored) == ("keep", 'box["twice"]')


# A program that leaks, how the message begins, and what it says to return.
LEAKS_IN_WORDS = {
    "through an object": (
        "class Mean:\n    value = 0.0\n    def update(self, a):\n        self.value = 0.9 * self.value + a\n"
        "m = Mean()\n@jax.jit\ndef f(a):\n    m.update(a.mean())\n    return a\nf(x)\nf(jnp.ones(2))",
        "`f(jnp.ones(2))` uses a placeholder from the trace of `f`, made by `0.9 * self.value + a`",
        "return 0.9 * self.value + a from f",
    ),
    "read by another function": (
        "kept = {}\n@jax.jit\ndef f(a):\n    kept['k'] = a @ a\n    return a\n"
        "@jax.jit\ndef g(a):\n    return a + kept['k']\nf(x)\ng(x)",
        "`kept`, which `g` uses, holds a placeholder from the trace of `f`", "return a @ a from f",
    ),
    "added to": (
        "total = 0\n@jax.jit\ndef f(a):\n    global total\n    total += a.sum()\n    return a\nf(x)\ntotal + 1",
        "`total` is a placeholder from the trace of `f`", "return total + a.sum() from f",
    ),
    "taken apart": (
        "class Keys:\n    key = jax.random.key(0)\nk = Keys()\n@jax.jit\ndef f(a):\n"
        "    k.key, sub = jax.random.split(k.key)\n    return a\nf(x)\njax.random.split(k.key)",
        "`k.key` is a placeholder from the trace of `f`, made by `jax.random.split(k.key)`", "return k.key from f",
    ),
    "from a gradient": (
        "kept = []\ndef f(a):\n    h = jnp.tanh(a)\n    kept.append(h)\n    return h.sum()\njax.grad(f)(x)\nkept[0] + 1",
        "`kept[0]` is a placeholder from the trace of `f`", "return h from f",
    ),
    "from a vmap inside a jit": (
        "@jax.jit\ndef f(a):\n    kept = []\n    def g(b):\n        kept.append(b * 2)\n        return b\n"
        "    return jax.vmap(g)(a) + kept[0]\nf(x)",
        "`kept[0]` is a placeholder from the trace of `g`, made by `b * 2`", "return b * 2 from g",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", LEAKS_IN_WORDS)
def test_words_of_a_leak(case):
    body, begins, remedy = LEAKS_IN_WORDS[case]
    failed = explained(body, case)
    assert failed.code == "tracer-leak"
    assert failed.text.startswith(begins)
    assert failed.remedies[0].text.startswith(remedy)


def test_state_that_is_added_to_goes_in_and_out():
    failed = explained(LEAKS_IN_WORDS["added to"][0])
    assert "state in, state out" in [one.name for one in failed.remedies]
