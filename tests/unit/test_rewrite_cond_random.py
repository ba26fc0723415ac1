"""Random functions with branches, rewritten one `if` after the other: what they compute stays the same.

`lax.cond` is played by a function that picks one branch, so that scopes and names are tested without JAX: a name that
a branch reads before it binds it, that is read after, in the next turn of a loop, or that is bound in one branch only.
"""

import ast
import random
import types

import pytest

from whyjit.rewrite.control import cond
from whyjit.rewrite.control.change import Change
from whyjit.rewrite.control.site import Span, open_site

NAMES = ("a", "b", "c", "d")
JAX = types.SimpleNamespace(lax=types.SimpleNamespace(cond=lambda p, t, f, *rest: t(*rest) if p else f(*rest)))


def function(chance):
    """The source of a random function of `a` and `b`, in which `c` and `d` may be unbound here and there."""
    start = [line for line in ("    c = a - b", "    d = 1") if chance.random() < 0.7]
    lines = ["import jax", "", "def f(a, b):", *start, *block(chance, 1, 3), f"    return {expression(chance)}"]
    return "\n".join(lines) + "\n"


def block(chance, depth, most):
    lines = []
    for _ in range(chance.randint(1, most)):
        lines += statement(chance, depth)
    return lines


def statement(chance, depth):
    pad = "    " * depth
    kind = chance.random()
    if depth < 4 and kind < 0.45:
        lines = [f"{pad}if {condition(chance)}:", *block(chance, depth + 1, 2)]
        if chance.random() < 0.25:
            lines += [f"{pad}elif {condition(chance)}:", *block(chance, depth + 1, 2)]
        if chance.random() < 0.6:
            lines += [f"{pad}else:", *block(chance, depth + 1, 2)]
        return lines
    if depth < 3 and kind < 0.55:
        return [f"{pad}for i in range({chance.randint(0, 3)}):", *block(chance, depth + 1, 2)]
    if kind < 0.65:
        return [f"{pad}return {expression(chance)}"]
    if kind < 0.8:
        return [f"{pad}{chance.choice(NAMES)} += {expression(chance)}"]
    if kind < 0.85:
        one, other = chance.sample(NAMES, 2)
        return [f"{pad}{one}, {other} = {expression(chance)}, {expression(chance)}"]
    if kind < 0.9:
        return [f"{pad}g = lambda: {expression(chance)}", f"{pad}{chance.choice(NAMES)} = g()"]
    return [f"{pad}{chance.choice(NAMES)} = {expression(chance)}"]


def expression(chance):
    one, other = chance.choice(NAMES), chance.choice((*NAMES, "1", "2"))
    return (
        f"{one} {chance.choice('+-*')} {other}" if chance.random() < 0.7 else f"({one} if {other} > {one} else {other})"
    )


def condition(chance):
    return f"{chance.choice(NAMES)} > {chance.choice((*NAMES, '0', '1'))}"


def conditions(text):
    """Where the conditions of a text stand that still are Python's, the first ones first."""
    found = [part.test for part in ast.walk(ast.parse(text)) if isinstance(part, (ast.If, ast.IfExp))]
    spans = [Span(one.lineno, one.col_offset, one.end_lineno, one.end_col_offset) for one in found]
    return sorted(spans)


def rewritten(text, chance):
    """The text with as many of its branches rewritten as can be, and how many those were."""
    count, refused = 0, set()
    for _ in range(12):
        left = [span for span in conditions(text) if (text, span) not in refused]
        if not left:
            break
        span = chance.choice(left)
        change = cond.rewrite(open_site(text, span, "branch-on-value"))
        if isinstance(change, Change):
            text, count, refused = change.text, count + 1, set()
        else:
            refused.add((text, span))
    return text, count


def results(text):
    """What a function gives for some arguments; the class of the exception that it ends with counts, too."""
    space = {}
    exec(compile(text.replace("import jax\n", ""), "random", "exec"), space)  # noqa: S102 - made here
    space["jax"] = JAX
    found = []
    for a, b in ((0, 0), (1, -2), (3, 1), (-1, 2)):
        try:
            found.append(space["f"](a, b))
        except (NameError, UnboundLocalError):
            found.append(NameError)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_what_a_function_computes_stays_the_same(seed):
    chance = random.Random(seed)  # noqa: S311 - programs, not secrets
    count = useful = 0
    for _ in range(4):
        text = function(chance)
        before = results(text)
        after, rewrites = rewritten(text, chance)
        assert results(after) == before, f"{text}\n\n{after}"
        count += rewrites
        useful += bool(rewrites) and before != [NameError] * len(before)
    assert count > 3
    assert useful > 0
