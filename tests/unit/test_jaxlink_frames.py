"""Loops are read from bytecode, whichever Python compiled it: what stands in one, and what only leaves it."""

import dis

import pytest

from whyjit.jaxlink.frames import Frames

SOURCE = """\
def f(x, n):
    x = before(x)
    for i in range(n):
        if x:
            return leaves(x)
        x = for_body(x)
        if i:
            continue
        x = for_rest(x)
    while n:
        x = while_body(x)
        n -= 1
    y = [in_list(k) for k in range(n)]
    for a in range(3):
        x = outer(x)
        for b in range(4):
            x = inner(x)
    try:
        x = tried(x)
    except ValueError:
        x = caught(x)
    return after(x)
"""
EXPECTED = {
    "before": None, "leaves": None, "for_body": 3, "for_rest": 3, "while_body": 10, "in_list": 13, "outer": 14,
    "inner": 16, "tried": None, "caught": None, "after": None,
}  # fmt: skip


def calls(code, frames):
    """The name of each function that a code object calls, with the line of the loop that the call stands in."""
    name = ""
    for instruction in dis.get_instructions(code):
        if instruction.opname == "LOAD_GLOBAL":
            name = instruction.argval
        elif instruction.opname == "CALL" and name in EXPECTED:
            _, loop = frames._code(code).at(instruction.offset)
            yield name, loop and loop.line
            name = ""
    for inner in code.co_consts:
        if hasattr(inner, "co_code"):
            yield from calls(inner, frames)


@pytest.fixture
def found():
    names = {}
    exec(compile(SOURCE, "loops.py", "exec"), names)  # noqa: S102 - the source above
    return dict(calls(names["f"].__code__, Frames()))


@pytest.mark.parametrize("name", EXPECTED)
def test_the_loop_around_a_call(found, name):
    assert found[name] == EXPECTED[name]
