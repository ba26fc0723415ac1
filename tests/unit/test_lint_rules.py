"""The rules for hazards, each held to its own programs: those it must find, and those it must leave alone."""

import ast

import pytest

from whyjit.analyse import pages
from whyjit.lint import RULES, check

HAZARDS = [(rule, *hazard) for rule in RULES for hazard in rule.HAZARDS]
FINE = [(rule, text) for rule in RULES for text in rule.FINE]


@pytest.mark.parametrize(
    ("rule", "text", "line"), HAZARDS, ids=[f"{rule.CODE}-{at}" for at, (rule, *_) in enumerate(HAZARDS)]
)
def test_a_hazard_is_found_where_it_stands_and_no_other_is(rule, text, line):
    ast.parse(text)
    assert [(place.code, place.line) for place in check(text)] == [(rule.CODE, line)]


@pytest.mark.parametrize(("rule", "text"), FINE, ids=[f"{rule.CODE}-{at}" for at, (rule, _) in enumerate(FINE)])
def test_what_is_right_is_left_alone(rule, text):
    ast.parse(text)
    assert check(text) == []


def test_a_loop_on_a_value_has_a_code_of_its_own():
    body = "    while jnp.any(x > 1):\n        x = x / 2\n    return x\n"
    text = f"import jax, jax.numpy as jnp\n\n@jax.jit\ndef f(x):\n{body}"
    assert [(place.code, place.line) for place in check(text)] == [("loop-on-value", 5)]


def test_every_code_has_a_page():
    assert [rule.CODE for rule in RULES if pages.page(rule.CODE) is None] == []


def test_a_file_without_jax_is_not_read():
    assert check("x = = 1") == []


def test_what_is_no_python_is_told():
    with pytest.raises(SyntaxError, match="line 1"):
        check("import jax; x = = 1\n")


def test_a_place_is_counted_in_characters():
    text = "import jax, jax.numpy as jnp\r\n\r\n@jax.jit\r\ndef f(x):\r\n    return 'é', 1 if jnp.any(x) else 2\r\n"
    assert [(place.line, place.column) for place in check(text)] == [(5, 21)]


def test_what_nobody_can_read_is_told_and_what_python_warns_of_is_not(recwarn):
    with pytest.raises(SyntaxError, match="line 1"):
        check("import jax\0")
    assert check("import jax\n'\\d'\n") == []
    assert list(recwarn) == []
