"""Several functions made of one code: told apart, and their trials taken together."""

import types

import pytest

from whyjit.model.concrete import ConcreteTrial
from whyjit.model.trial import Point, Trial
from whyjit.rewrite import nested
from whyjit.rewrite.control.propose import together
from whyjit.rewrite.control.rounds import Answer
from whyjit.rewrite.loading import CannotLoad
from whyjit.rewrite.statics import concrete_trial, trial

GOOD = Trial(programs="constants", points=(Point("0.1", "equal"),), traces=1, traced=(True,), outputs="", gradients="")


def make(n, name="a"):
    def f(x):
        return x, n, name

    return f


def test_calls_are_grouped_by_the_function_object_that_made_them():
    assert nested.groups_of([4, 7, 4, 4]) == [[0, 2, 3], [1]]


def test_a_function_that_carries_something_else_later_is_refused_by_name():
    one, other = make(1), make(2)
    assert nested.first_of_each([one, one, other], [[0, 1], [2]]) == [one, other]
    with pytest.raises(CannotLoad, match="`f` closes over changed between the recorded calls \\(`n` from 1 to 2\\)"):
        nested.first_of_each([one, other], [[0, 1]])


def test_a_function_is_called_by_what_differs():
    functions = [make(1), make(2)]
    assert nested.label(functions, functions[1]) == ", made with `n` = 2"
    assert nested.label([make(1), make(1)], make(1)) == ""
    assert nested.label([make(make), make(print)], make(print)) == ""


def test_trials_together_keep_the_order_of_the_calls():
    second = Trial(
        programs="equal", points=(Point("0.2", "equal"),), traces=3, traced=(False,), outputs="", gradients="none"
    )
    found = trial.merged([GOOD, second], [[1], [0]], lambda at: f", number {at}")
    assert [point.value for point in found.points] == ["0.2", "0.1"]
    assert found.traced == (False, True)
    assert (found.traces, found.programs, found.outputs, found.gradients) == (4, "constants", "", "")
    assert found.functions == 2


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("failed", "it raises", "it raises, number 1"),
        ("outputs", "values differ", "values differ, number 1"),
        ("gradients", "lost: TypeError", "lost: TypeError, number 1"),
        ("gradients", "not run", "not run"),
        ("unstable", "two programs", "two programs, number 1"),
    ],
)
def test_what_speaks_against_one_speaks_against_all(field, value, told):
    bad = Trial(**{"outputs": "", "gradients": "", field: value})
    assert getattr(trial.merged([GOOD, bad], [[0], [1]], lambda at: f", number {at}"), field) == told


def test_so_it_does_where_arguments_become_static():
    good = ConcreteTrial("", ("3",), (), "", "", 1, 0.1, 1)
    bad = ConcreteTrial("", ("4",), (), "values differ", "none", 1, 0.1, 1)
    found = concrete_trial.merged([good, bad], lambda at: f", number {at}")
    assert (found.outputs, found.gradients, found.values, found.traces) == (
        "values differ, number 1",
        "",
        ("3", "4"),
        2,
    )
    failed = ConcreteTrial("it raises")
    assert concrete_trial.merged([good, failed], lambda at: f", number {at}").failed == "it raises, number 1"


def test_a_rewrite_must_serve_every_function():
    one = Answer("new", (("cond", "c"),), proven=True, checked="1 call", traces=1)
    assert together([one]) is one
    both = together([one, Answer("new", proven=False, checked="2 calls", traces=1)])
    assert (both.text, both.proven, both.traces) == ("new", False, 2)
    assert both.checked == "1 call, and so for each of the 2 functions made of it"
    refused = together([one, Answer(reasons=("it raises",))])
    assert (refused.text, refused.reasons) == ("", ("it raises (function 2 of the 2 made of it)",))


SOURCE = """
def jit(function):
    return ("jitted", function)


def other(function):
    return ("other", function)


def make(k):
    from math import floor as wrap

    @other
    @jit
    @doubled
    def f(x):
        return x * k

    @jit_with(local)
    def g(x):
        return x * k

    return f, g
"""


@pytest.mark.parametrize(("name", "wanted"), [("f", ("other", "jitted")), ("g", None)])
def test_decorators_from_the_jit_upwards_are_those_of_the_text(name, wanted):
    module = types.ModuleType("decorated")
    module.__dict__["__whyjit_source__"] = SOURCE
    namespace = {"doubled": lambda f: f, "jit_with": None, "local": None}
    exec(compile(SOURCE.replace("@jit_with(local)", "@doubled"), "decorated.py", "exec"), namespace)  # noqa: S102
    functions = namespace["make"](2)
    plain = functions[0][1][1] if name == "f" else functions[1]
    module.__dict__.update({part: namespace[part] for part in ("jit", "other")})
    lines = {"f": 13, "g": 18}
    code = plain.__code__.replace(co_firstlineno=lines[name])
    made = types.FunctionType(code, namespace, name, None, plain.__closure__)
    found = nested.decorated(module, made)
    assert (found is None) if wanted is None else (found[0], found[1][0]) == wanted
