"""Full names by Python's rules of scope: only what surely is an import has one."""

import ast

import pytest

from whyjit.lint.names import Names

HEAD = "import jax\nimport jax.numpy as jnp\nfrom functools import partial as p\n"


def name_of(text):
    """The full name of the function that is called with `HERE`."""
    tree = ast.parse(text)
    calls = (one for one in ast.walk(tree) if isinstance(one, ast.Call) and one.args)
    (call,) = [one for one in calls if isinstance(one.args[0], ast.Name) and one.args[0].id == "HERE"]
    return Names(tree).full(call.func)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("jax.jit(HERE)", "jax.jit"),
        ("jnp.linalg.norm(HERE)", "jax.numpy.linalg.norm"),
        ("p(HERE)", "functools.partial"),
        ("def f():\n    def g():\n        return jax.jit(HERE)", "jax.jit"),
        ("def f():\n    from jax import jit\n    return jit(HERE)", "jax.jit"),
        ("class A:\n    jax = 1\n    def f(self):\n        return jax.jit(HERE)", "jax.jit"),
        ("x = [jax for jax in (1, 2)]\njax.jit(HERE)", "jax.jit"),
        ("x = [0 for jax in jax.jit(HERE)]", "jax.jit"),
        ("try:\n    import jax\nexcept ImportError:\n    pass\njax.jit(HERE)", "jax.jit"),
        ("def f(jax=jax.jit(HERE)):\n    pass", "jax.jit"),
        ("@jax.jit(HERE)\ndef f(jax):\n    pass", "jax.jit"),
    ],
)
def test_an_import_is_found(text, name):
    assert name_of(HEAD + text) == name


@pytest.mark.parametrize(
    "text",
    [
        "jit(HERE)",
        "jax.jit().lower(HERE)",
        "jax = 1\njax.jit(HERE)",
        "def f(jax):\n    jax.jit(HERE)",
        "lambda jax: jax.jit(HERE)",
        "class A:\n    jax = 1\n    y = jax.jit(HERE)",
        "[jax.jit(HERE) for jax in (1, 2)]",
        "def f():\n    for jax in ():\n        pass\n    jax.jit(HERE)",
        "def f():\n    [(jax := 1) for _ in ()]\n    jax.jit(HERE)",
        "def f():\n    global jax\n    jax = 1\njax.jit(HERE)",
        "try:\n    x\nexcept E as jax:\n    jax.jit(HERE)",
        "match x:\n    case [jax, *_]:\n        jax.jit(HERE)",
        "with x as jax:\n    jax.jit(HERE)",
        "def jax(): pass\njax.jit(HERE)",
        "from other import jax\njax.jit(HERE)",
    ],
)
def test_what_may_be_something_else_has_none(text):
    assert name_of(HEAD + text) == ""
