"""Roles of inputs, from signatures and programs made by hand."""

from experiment_builders import Node, Static, leaf, signature
from test_analyse_touched import eq, program

from whyjit.analyse import roles
from whyjit.analyse.roles import Tried
from whyjit.model.failure import Failure
from whyjit.model.program import Fingerprint
from whyjit.model.recording import Specialization
from whyjit.model.source import Location

MODE = Static("mode", "str", "'a'", "1")


def spec(number, *statics, whole, literals="l"):
    found = Fingerprint(whole, literals, "s", "t", "k")
    return Specialization(1, number, signature(leaf("x"), statics=statics), Location("a.py", 1), fingerprint=found)


def test_values_are_used_or_not_and_asked_for_nothing_where_tracing_succeeds():
    found = roles.runtime_values(signature(leaf("x"), leaf("y")), program(2, eq("neg", (1,), 2)), None)
    assert [(one.path, one.used, one.reaches) for one in found] == [("x", False, "nothing"), ("y", True, "nothing")]


def test_rearranged_inputs_are_told_by_their_type_where_only_one_has_it():
    own = signature(leaf("x", 3), leaf("y"), leaf("z", 5))
    staged = program(3, eq("neg", (2,), 3))
    staged = type(staged)(("f32[5]", "f32[5]", "f32[]"), (), staged.equations, staged.outputs)
    found = roles.runtime_values(own, staged, None, in_order=False)
    assert [one.used for one in found] == [None, True, None]


def test_a_value_that_was_asked_for_is_named_and_of_the_others_nothing_is_said():
    failure = Failure("E", "shape-from-value", file="a.py", line=3, expression="x[:n]", arguments=("n",))
    found = roles.runtime_values(signature(leaf("n"), leaf("x['n']")), None, failure, "E")
    assert [(one.reaches, one.why) for one in found] == [
        ("shape", "a.py:3: x[:n]"),
        ("unknown", "tracing ended at a.py:3: x[:n]"),
    ]


def test_the_most_telling_value_of_a_static_speaks():
    one, other = program(1, eq("mul", (0, "2.0"), 1, 4)), program(1, eq("mul", (0, "3.0"), 1, 4))
    tried = [
        Tried("'b'", "identical", program=one),
        Tried("'c'", "literals", program=other),
        Tried("'d'", error="E: no"),
    ]
    found = roles.static_role(MODE, tried, one, lambda file, line: f"  line {line} of {file}\n")
    assert (found.tried, found.delta) == ("'c'", "literals")
    assert [(line.sign, line.source, line.operations) for line in found.lines] == [("~", "line 4 of /p/a.py", ("mul",))]


def test_a_static_that_could_not_be_varied_is_not_known():
    assert roles.static_role(MODE, [], None, str).why == "no other value of it was seen or found"
    failed = roles.static_role(MODE, [Tried("'d'", error="E: no")], None, str)
    assert (failed.delta, failed.why) == (None, "it could not be told: with 'd' tracing fails: E: no")


def test_a_recording_tells_of_values_that_differ_in_nothing_else():
    axis = Static("axis", "int", "0", "0")
    first = spec(1, MODE, axis, whole="w")
    alone = spec(2, Static("mode", "str", "'b'", "2"), axis, whole="v")
    both = spec(3, Static("mode", "str", "'c'", "3"), Static("axis", "int", "1", "1"), whole="u")
    others = [first, alone, both]
    found = list(roles.recorded_values(first, others, "mode", lambda _: None))
    assert [(one.value, one.delta) for one in found] == [("'b'", "literals")]
    assert list(roles.recorded_values(first, others, "axis", lambda _: None)) == []
    assert roles.unvaried(first, others) == ["axis"]


def test_containers_are_metadata():
    nodes = (Node("p", "dict", ("['w']",)), Node("p['b']", "None"), Node("args", "tuple"))
    found = roles.metadata(signature(leaf("p['w']"), nodes=nodes))
    assert [(one.path, one.text) for one in found] == [("p", "dict of ['w']"), ("p['b']", "None")]
