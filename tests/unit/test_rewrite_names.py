"""Which names a stretch of code reads and binds; what may be undefined; what speaks against a branch."""

import ast

import pytest

from whyjit.rewrite.control.effects import obstacle
from whyjit.rewrite.control.names import around, flow, reads, writes


def statements(text):
    return ast.parse(text).body


@pytest.mark.parametrize(
    ("text", "early", "bound"),
    [
        ("x = y", "y", "x"),
        ("x += 1", "x", "x"),
        ("x = 1\ny = x", "", "x y"),
        ("if c:\n    x = 1", "c", ""),
        ("if c:\n    x = 1\nelse:\n    x = 2", "c", "x"),
        ("if c:\n    return\nelse:\n    x = 2", "c", "x"),
        ("for i in z:\n    x = i\ny = i", "z i", "y"),
        ("while w:\n    w = w - 1", "w", ""),
        ("with a as b:\n    x = b", "a", "b x"),
        ("x = [i * k for i in z]", "k z", "x"),
        ("f = lambda a: a + b", "b", "f"),
        ("def g(a, b=c):\n    l = a + d\n    return l", "c d", "g"),
        ("def g():\n    nonlocal n\n    n = 1", "", "g"),
        ("try:\n    x = p\nexcept E as e:\n    x = q", "p E q", ""),
        ("import a.b as c, d.e", "", "c d"),
        ("x, (y, *z) = w", "w", "x y z"),
        ("x[i] = v", "x i v", ""),
        ("if (n := m):\n    x = n", "m", "n"),
        ("match s:\n    case [a, *b]:\n        x = a", "s a", ""),
    ],
)
def test_reads_and_bindings_in_their_order(text, early, bound):
    found = flow(statements(text))
    assert found.early == set(early.split())
    assert found.bound == set(bound.split())


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("return 1", True),
        ("if c:\n    return 1", False),
        ("if c:\n    return 1\nelse:\n    raise E", True),
        ("for i in z:\n    return i", False),
        ("with a:\n    return 1", True),
        ("def g():\n    return 1", False),
    ],
)
def test_whether_a_block_always_leaves(text, ends):
    assert flow(statements(text)).ends is ends


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("for i, j in z:\n    k = 1", "i j k"),
        ("[(y := x) for x in z]", "y"),
        ("def g(a):\n    l = 1", "g"),
        ("del x", "x"),
        ("match s:\n    case {'k': v, **rest}:\n        pass", "v rest"),
    ],
)
def test_all_names_that_are_bound_somewhere(text, names):
    assert writes(statements(text)) == set(names.split())


def test_a_name_in_a_keyword_or_attribute_is_no_read():
    assert reads(ast.parse("f(a=b).c", mode="eval")) == {"f", "b"}


def surroundings(text):
    function = statements(text)[0]
    statement = next(part for part in ast.walk(function) if isinstance(part, ast.If))
    return around(function, statement)


def test_what_is_bound_before_and_read_after_a_statement():
    found = surroundings("def f(a, *b, c=1, **d):\n    e = 1\n    if a:\n        g = 1\n    return e + g")
    assert found.bound >= {"a", "b", "c", "d", "e"}
    assert found.live == {"e", "g"}


def test_what_is_bound_anew_first_is_not_read():
    assert surroundings("def f(a):\n    if a:\n        g = 1\n    g = 2\n    return g").live == set()


def test_a_loop_comes_back_to_what_stands_before_the_statement():
    found = surroundings(
        "def f(a):\n    s = 0\n    for i in a:\n        s = s + t0\n        if i:\n            t0 = i\n    return s"
    )
    assert {"s", "t0"} <= found.live
    assert found.bound == {"a", "s", "i"}


def test_the_next_turn_of_a_loop_reads_what_the_statement_itself_does():
    assert "x" in surroundings("def f(x):\n    for i in range(3):\n        if i:\n            x = x * 2\n").live


def test_a_function_made_before_may_read_it_after():
    assert "g" in surroundings("def f(a):\n    g = 1\n    h = lambda: g\n    if a:\n        g = 2\n    return h()").live


def test_a_handler_may_read_it():
    text = "def f(a):\n    g = 0\n    try:\n        if a:\n            g = 1\n    except E:\n        return g\n"
    assert "g" in surroundings(text).live


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("y = x * 2", ""),
        ("y = x.at[0].add(1)", ""),
        ("y = jnp.add(x, 1)", ""),
        ("for i in z:\n    if i:\n        break", ""),
        ("d = {}\nd['k'] = x", "assigns to d['k']"),
        ("x.sort()", "may change an object"),
        ("print(x)", "calls print"),
        ("logging.info('x')", "calls logging.info"),
        ("np.random.normal()", "calls np.random.normal"),
        ("jax.debug.print('x')", "calls jax.debug.print"),
        ("raise E", "raises"),
        ("assert x", "assert"),
        ("break", "leaves the loop"),
        ("y = (z := x)", ":="),
        ("await x", "awaits"),
        ("yield x", "yields"),
        ("del x", "deletes"),
        ("try:\n    y = 1\nexcept E:\n    y = 2", "handles exceptions"),
        ("y = helper(x)", "it calls helper, which does more than compute (calls print)"),
        ("y = deep(x)", "it calls deep, which does more than compute (it calls helper"),
        ("y = loop(x)", ""),
    ],
)
def test_what_speaks_against_a_branch(text, reason):
    functions = {
        part.name: part
        for part in statements(
            "def helper(a):\n    print(a)\n\ndef deep(a):\n    return helper(a)\n\ndef loop(a):\n    return loop(a)\n"
        )
    }
    found = obstacle(statements(text), functions)
    assert found == "" if not reason else reason in found
