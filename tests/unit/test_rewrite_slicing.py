"""The part of a program that a function needs, and what cannot be told apart from its work."""

import ast

import pytest

from whyjit.rewrite.slicing import CannotSlice, is_guarded, needed

PROGRAM = """
import math
import numpy as np

RATE = 0.5
UNUSED = expensive()
W = np.ones(3)


def helper(x):
    return x * RATE


class Config:
    scale = RATE


def step(x, batch):
    total = helper(x)
    for k in range(3):
        total = total + k
    return total + math.pi


def other():
    return UNUSED


batch = load()
w = W
for k in range(10):
    w = step(w, batch)
print(w)
"""


def kept(source, *names):
    return ast.unparse(needed(source, names))


def test_definitions_and_constants_are_kept_and_work_is_not():
    part = kept(PROGRAM, "step")
    assert "def step" in part
    assert "def helper" in part
    assert "RATE = 0.5" in part
    assert not any(word in part for word in ("expensive", "load()", "for k in range(10)", "print", "def other", "W ="))


def test_local_names_lead_nowhere():
    assert "batch = load()" not in kept(PROGRAM, "step")


def test_classes_are_kept_when_they_are_named():
    assert "class Config" in kept(PROGRAM, "step", "Config")


def test_settings_and_imports_are_always_kept():
    part = kept("import jax\njax.config.update('jax_enable_x64', True)\ndef f():\n    pass\n", "f")
    assert "jax_enable_x64" in part


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("n = 1\nn = 2\ndef f():\n    return n\n", "several places (lines 1, 2)"),
        ("for n in range(3):\n    pass\ndef f():\n    return n\n", "line 1 binds as part of its work"),
        ("with open('x') as n:\n    pass\ndef f():\n    return n\n", "line 1 binds as part of its work"),
        ("def f():\n    return 1\ndef f():\n    return 2\n", "several places"),
    ],
)
def test_a_global_whose_value_is_not_known_is_refused(source, said):
    with pytest.raises(CannotSlice) as raised:
        needed(source, ["f"])
    assert said in str(raised.value)


def test_a_choice_of_imports_or_definitions_is_kept_whole():
    source = "try:\n    import fast\nexcept ImportError:\n    fast = None\ndef f():\n    return fast\n"
    assert "except ImportError" in kept(source, "f")


def test_a_guard_is_recognised():
    assert is_guarded("def f():\n    pass\nif __name__ == '__main__':\n    f()\n")
    assert not is_guarded("if True:\n    pass\n")
