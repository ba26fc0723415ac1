"""What differs between two programs, and which inputs a program uses: on programs made by hand."""

from whyjit.analyse.touched import added_removed, touched
from whyjit.analyse.uses import used_inputs
from whyjit.model.program import Equation, Literal, Program, Variable


def eq(name, inputs, output, line=1, programs=(), **params):
    operands = tuple(Variable(one) if isinstance(one, int) else Literal(one, "f32[]") for one in inputs)
    return Equation(name, operands, (output,), ("f32[]",), tuple(params.items()), programs, "/p/a.py", line)


def program(inputs, *equations, outputs=None):
    last = equations[-1].outputs[0] if equations else 0
    chosen = (last,) if outputs is None else outputs
    return Program(("f32[]",) * inputs, (), equations, tuple(map(Variable, chosen)))


ONE = program(2, eq("mul", (0, "2.0"), 2, 4), eq("add", (2, 1), 3, 5))


def test_a_literal_that_differs_is_told_with_its_line():
    other = program(2, eq("mul", (0, "3.0"), 2, 4), eq("add", (2, 1), 3, 5))
    assert touched(ONE, other) == [("~", "/p/a.py", 4, ("mul",))]
    assert added_removed(ONE, other) == (0, 0)


def test_equations_of_one_program_alone_are_told_with_their_lines():
    other = program(2, eq("mul", (0, "2.0"), 2, 4), eq("div", (2, 1), 3, 7), eq("neg", (3,), 4, 7))
    assert touched(ONE, other) == [("-", "/p/a.py", 5, ("add",)), ("+", "/p/a.py", 7, ("div", "neg"))]
    assert added_removed(ONE, other) == (2, 1)


def test_equal_programs_differ_nowhere():
    assert touched(ONE, ONE) == []
    assert added_removed(ONE, ONE) == (0, 0)


def test_large_programs_are_compared_by_counting():
    many = [eq("add", (at, at), at + 1, at % 7) for at in range(2500)]
    assert touched(program(1, *many), program(1, *many, eq("neg", (2500,), 2501, 9))) == [("+", "/p/a.py", 9, ("neg",))]


def test_an_input_is_used_where_a_result_depends_on_it():
    assert used_inputs(ONE) == (True, True)
    dead = program(3, eq("mul", (0, 2), 3), eq("add", (1, "1.0"), 4))
    assert used_inputs(dead) == (False, True, False)
    assert used_inputs(program(2, outputs=(1,))) == (False, True)


def test_an_effect_uses_its_inputs():
    shown = program(2, eq("debug_callback", (0,), 2), eq("neg", (1,), 3))
    assert used_inputs(shown) == (True, True)


def test_calls_are_looked_into_and_loops_are_not():
    inner = program(2, eq("neg", (0,), 2))
    assert used_inputs(program(2, eq("pjit", (0, 1), 2, programs=(("jaxpr", inner),)))) == (True, False)
    assert used_inputs(program(2, eq("while", (0, 1), 2, programs=(("body", inner),)))) == (True, True)
