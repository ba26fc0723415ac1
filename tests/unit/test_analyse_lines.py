"""Equations by line: each is counted once, under the calls that led to it."""

from whyjit.analyse.lines import by_line, largest
from whyjit.model.program import Equation, Place, Program


def equation(place, programs=(), file="a.py", line=1):
    return Equation("add", (), (0,), ("f32[]",), (), programs, file, line, place)


def tree(node):
    return [(child.line, child.function, child.own, child.total, tree(child)) for child in node.children]


PLACES = (
    Place("a.py", 3, "step"),
    Place("a.py", 9, "layer", 0),
    Place("a.py", 4, "step"),
    Place("a.py", 9, "layer", 2),
)


def test_calls_stand_below_the_line_that_made_them():
    program = Program((), (), (equation(1), equation(1), equation(0), equation(3)), (), PLACES)
    root = by_line(program)
    assert root.total == 4
    assert tree(root) == [
        (3, "step", 1, 3, [(9, "layer", 2, 2, [])]),
        (4, "step", 0, 1, [(9, "layer", 1, 1, [])]),
    ]
    assert [(node.line, node.own) for node in largest(root)] == [(9, 2), (3, 1), (9, 1)]


def test_bodies_stand_below_the_line_that_holds_them():
    body = Program((), (), (equation(0), equation(0)), (), (Place("b.py", 7, "body"),))
    nameless = Program((), (), (equation(-1, file=""),), ())
    program = Program((), (), (equation(0, (("jaxpr", body), ("cond", nameless))),), (), PLACES)
    # What is in a body of JAX's own, whose line is not known, is the line's that holds the body.
    assert tree(by_line(program)) == [(3, "step", 2, 4, [(7, "body", 2, 2, [])])]


def test_lines_that_are_not_known_are_counted():
    program = Program((), (), (equation(-1, file=""), equation(0)), (), PLACES)
    assert sorted(tree(by_line(program))) == [(0, "", 1, 1, []), (3, "step", 1, 1, [])]


def test_programs_recorded_before_places_were():
    program = Program((), (), (equation(-1, line=5), equation(-1, line=5)), ())
    assert tree(by_line(program)) == [(5, "", 2, 2, [])]
