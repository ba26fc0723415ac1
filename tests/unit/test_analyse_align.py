"""Alignments keep both programs whole and in order, pair what belongs together, and say in which ways it differs."""

import random

import pytest

from whyjit.analyse.align import align, counts
from whyjit.model.program import Equation, Literal, Program, Variable


def chain(*steps, inputs=("f32[3]",)):
    """A program in which each equation takes the result of the one before; a step is (primitive, line, keywords)."""
    equations = []
    first = len(inputs)
    for at, (primitive, line, more) in enumerate(steps):
        values = {"aval": "f32[3]", "literal": None, "params": (), "programs": (), **more}
        operands = (Variable(first + at - 1),)
        if values["literal"] is not None:
            operands += (Literal(values["literal"], "f32[]"),)
        equations.append(
            Equation(
                *(primitive, operands, (first + at,), (values["aval"],)),
                *(values["params"], values["programs"], "a.py", line),
            )
        )
    return Program(inputs, (), tuple(equations), (Variable(first + len(steps) - 1),))


def step(primitive, line=1, **more):
    return primitive, line, more


def names(aligned):
    return [(row.left and row.left.primitive, row.right and row.right.primitive) for row in aligned.rows]


def test_equal_programs_are_the_same():
    program = chain(step("sin"), step("mul", 2, literal="2.0"))
    assert align(program, program).same
    assert counts(align(program, program)) == (0, 0, 0, ())


@pytest.mark.parametrize("seed", range(60))
def test_both_programs_are_kept_whole_and_in_order(seed):
    chance = random.Random(seed)  # noqa: S311 - no secret
    steps = [
        step(chance.choice("abcd"), chance.randrange(4), literal=chance.choice((None, "1", "2")))
        for _ in range(chance.randrange(50))
    ]
    other = [each for each in steps if chance.random() > 0.2]
    for _ in range(chance.randrange(6)):
        other.insert(chance.randrange(len(other) + 1), step("new", 9))
    left, right = chain(*steps), chain(*other)
    aligned = align(left, right)
    assert [row.left for row in aligned.rows if row.left] == list(left.equations)
    assert [row.right for row in aligned.rows if row.right] == list(right.equations)
    assert all(row.left or row.right for row in aligned.rows)


@pytest.mark.parametrize(
    ("left", "right", "differs"),
    [
        (step("mul", literal="0.1"), step("mul", literal="0.2"), ("literal",)),
        (step("sin"), step("sin", aval="f32[7]"), ("size",)),
        (step("sin"), step("sin", aval="bf16[3]"), ("type",)),
        (step("sin"), step("sin", aval="bf16[7]"), ("size", "type")),
        (step("iota", params=(("shape", "(3,)"),)), step("iota", params=(("shape", "(7,)"),)), ("size",)),
        (step("cast", params=(("new_dtype", "i8"),)), step("cast", params=(("new_dtype", "i4"),)), ("type",)),
        (step("sort", params=(("stable", "True"),)), step("sort", params=(("stable", "False"),)), ("parameter",)),
        (step("sin"), step("cos"), ("primitive",)),
    ],
)
def test_what_differs_is_named(left, right, differs):
    (row,) = align(chain(left), chain(right)).rows
    assert row.differs == differs
    assert not row.same


def test_an_equation_that_was_added_moves_no_other():
    steps = [step("sin"), step("mul", 2), step("exp", 3)]
    aligned = align(chain(*steps), chain(*steps[:2], step("tanh", 4), steps[2]))
    assert names(aligned) == [("sin", "sin"), ("mul", "mul"), (None, "tanh"), ("exp", "exp")]
    # Variables after it have other names, but only the one that takes the new value takes another one.
    assert [row.differs for row in aligned.rows] == [(), (), (), ("operand",)]
    assert aligned.rows[-1].operands == (0,)
    assert counts(aligned) == (1, 1, 0, (("operand", 1),))


def test_operands_in_another_order_differ():
    def program(*operands):
        equation = Equation("sub", tuple(map(Variable, operands)), (2,), ("f32[]",))
        return Program(("f32[]", "f32[]"), (), (equation,), (Variable(2),))

    (row,) = align(program(0, 1), program(1, 0)).rows
    assert (row.differs, row.operands) == (("operand",), (0, 1))


def test_rounds_of_a_loop_are_paired_from_the_first():
    one = [step("dot", 5), step("tanh", 6)]
    aligned = align(chain(*one * 4), chain(*one * 6))
    assert names(aligned) == [("dot", "dot"), ("tanh", "tanh")] * 4 + [(None, "dot"), (None, "tanh")] * 2


def test_programs_inside_are_aligned_too():
    inner = [chain(step("sin"), *extra, step("cos", 2)) for extra in ((), (step("exp", 3),))]
    left, right = (chain(step("scan", programs=(("jaxpr", each),))) for each in inner)
    (row,) = align(left, right).rows
    assert row.differs == ()
    assert not row.same
    (within,) = row.programs
    assert names(within) == [("sin", "sin"), (None, "exp"), ("cos", "cos")]
    assert counts(align(left, right)).added == 1


def test_inputs_and_outputs_count():
    assert not align(chain(step("sin")), chain(step("sin"), inputs=("f32[4]",))).same
    two = Program(("f32[]", "f32[]"), (), (), (Variable(0), Variable(1)))
    swapped = Program(two.inputs, (), (), (Variable(1), Variable(0)))
    assert align(two, swapped).outputs == (0, 1)
    assert align(two, Program(two.inputs, (), (), (Variable(0),))).outputs == (1,)


def test_nothing_is_said_of_inputs_whose_number_differs():
    def program(inputs, operand):
        equation = Equation("neg", (Variable(operand),), (inputs,), ("f32[]",))
        return Program(("f32[]",) * inputs, (), (equation,), (Variable(inputs),))

    aligned = align(program(1, 0), program(2, 1))
    assert aligned.rows[0].differs == ()
    assert not aligned.heads


def test_ten_thousand_equations_without_a_common_line():
    chance = random.Random(1)  # noqa: S311 - no secret
    left = chain(*[step(chance.choice(("sin", "cos", "exp")), at) for at in range(5000)])
    right = chain(*[step(chance.choice(("sin", "cos", "exp")), -at) for at in range(5000)])
    aligned = align(left, right)
    assert [row.right for row in aligned.rows if row.right] == list(right.equations)
    assert counts(aligned).changed > 1500
