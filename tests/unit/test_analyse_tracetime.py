"""The time of a trace as a tree: every second is somebody's own, and nobody's twice."""

import pytest
from analyse_builders import SITE, spec

from whyjit.analyse.explain import explain
from whyjit.analyse.tracetime import Traces, slowest
from whyjit.model.recording import Body, Environment, Function, Recording, Stage


def traced(function, number, seconds, own, **more):
    made = spec(number, **more)
    stage = Stage("trace", 0.0, seconds, own)
    return type(made)(**{
        **{name: getattr(made, name) for name in made.__struct_fields__}, "function": function, "stages": (stage,),
        "call_site": SITE,
    })  # fmt: skip


def report(*specs):
    functions = tuple(Function(at, f"f{at}", f"f{at}", "a.py", at, "user") for at in (1, 2, 3))
    environment = Environment("3.11", "0.10.2", "0.10.2", "cpu")
    return explain(Recording(environment, (), functions, specs))


SCAN = Body("scan", "body", "a.py", 20, 2, 3.0, 1.0)
COND = Body("cond", "branch", "a.py", 30, 1, 0.5, 0.5, parent=0)
SPECS = (
    # 10 s in all; 2 s of f2 directly, 3 s of the scan, in which 1.5 s of f3 and 0.5 s of a branch.
    traced(1, 1, 10.0, 6.5, bodies=(SCAN, COND)),
    traced(2, 1, 2.0, 2.0, parent=(1, 1)),
    traced(3, 1, 1.0, 1.0, parent=(1, 1), within=0),
    traced(3, 2, 0.5, 0.5, parent=(1, 1), within=0),
)


def flat(span):
    yield span.kind, span.name, span.count, span.seconds, span.own
    for child in span.children:
        yield from flat(child)


def test_a_trace_with_bodies_and_functions_inside():
    made = report(*SPECS)
    first = next(each for each in made.functions if each.function.id == 1)
    assert slowest(first).number == 1
    tree = Traces(made.functions).tree(slowest(first))
    assert list(flat(tree)) == [
        ("jit", "f1", 1, 10.0, 5.0),
        ("scan", "body", 2, 3.0, 1.0),
        ("jit", "f3", 2, 1.5, 1.5),
        ("cond", "branch", 1, 0.5, 0.5),
        ("jit", "f2", 1, 2.0, 2.0),
    ]
    assert sum(own for *_, own in flat(tree)) == pytest.approx(tree.seconds)


def test_a_function_that_was_never_traced_has_no_tree():
    made = report(spec(1, stages=()))
    assert slowest(made.functions[0]) is None
