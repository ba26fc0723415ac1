"""The plan of an experiment, from a description made by hand."""

import pytest
from experiment_builders import Node, Parameter, Static, described, leaf, other

from whyjit.errors import WhyjitError
from whyjit.experiment.plan import VALUES, plan
from whyjit.model.probe import ByKeyword, ByPosition, Cast, Give, LeaveOut, Remake, Resize, SpellOut

X, Y = leaf("x", 4, 3), leaf("batch['y']", 4)


def moves(found, kind):
    return [arm.move for arm in found.arms if arm.factor.kind == kind]


def named(found, kind):
    return [(arm.factor.path, arm.factor.old, arm.factor.new) for arm in found.arms if arm.factor.kind == kind]


def test_the_control_comes_first_and_stays_whatever_is_asked():
    for only in ((), ("dtype",), ("sizes",)):
        assert plan(described(X), only=only).arms[0].factor.kind == "control"


def test_each_axis_grows_by_one_and_shrinks_to_one_where_it_was_not():
    found = moves(plan(described(leaf("x", 4, 1, 0))), "shape")
    sizes = [(move.axes, move.size) for move in found]
    assert sizes == [((("x", 0),), 5), ((("x", 1),), 2), ((("x", 2),), 1), ((("x", 0),), 1)]


def test_axes_of_one_size_change_together_too():
    found = moves(plan(described(X, Y)), "shape")
    both = (("x", 0), ("batch['y']", 0))
    assert found[:2] == [Resize(both, 5), Resize(both, 1)]
    (arm, *_) = [arm for arm in plan(described(X, Y)).arms if arm.factor.kind == "shape"]
    assert arm.factor.path == "x.shape[0], batch['y'].shape[0]"


def test_element_types_have_neighbours_and_64_bits_only_where_they_are_on():
    assert moves(plan(described(X)), "dtype") == [Cast("x", "bfloat16", False), Cast("x", "int32", False)]
    assert moves(plan(described(X, x64=True)), "dtype")[-1] == Cast("x", "float64", False)


def test_weak_becomes_strong_and_strong_weak():
    found = plan(described(leaf("t", weak_type=True, holder="python"), X))
    assert moves(found, "weak_type") == [Cast("t", "float32", False), Cast("x", "float32", True)]
    assert all(move.path == "x" for move in moves(found, "dtype"))


def test_leaves_take_turns_so_that_a_cut_plan_has_seen_all():
    leaves = [leaf(f"p[{at}]", 1) for at in range(4)]
    found = plan(described(*leaves), only=("shape", "dtype"), most=5)
    assert {arm.factor.path for arm in found.arms[1:]} == {f"p[{at}].shape[0]" for at in range(4)}
    assert found.left_out == ("8 arms of kind dtype, beyond the limit; raise it or narrow the plan",)


def test_statics_get_their_other_values_and_arrays_those_that_were_named():
    mode = Parameter("mode", "keyword", True, "'a'", others=(other("mode", "'b'"),))
    mask = Parameter(
        "mask", "default", False, "None", "None", is_none=True, others=(other("mask", "f(3)", "expression"),)
    )
    x = Parameter("x", "positional", False, "f32[4,3]", others=(other("x", "f32[9]", "kept"),))
    found = plan(described(X, parameters=(x, mode, mask)))
    assert named(found, "static") == [("mode", "'a'", "'b'")]
    assert named(found, "structure") == [("mask", "None (left out)", "f(3)")]
    assert named(found, "given") == [("x", "f32[4,3]", "f32[9]")]


def test_of_many_recorded_values_a_few_are_tried_and_all_that_were_named():
    others = [other("lr", str(at)) for at in range(9)] + [other("lr", "f()", "expression")]
    found = plan(described(X, parameters=(Parameter("lr", "keyword", True, "0.1", others=tuple(others)),)))
    assert len(moves(found, "static")) == VALUES + 1
    assert moves(found, "static")[0].source == "expression"
    assert "4 more recorded or found values of lr" in found.left_out


def test_what_is_not_known_is_not_tried_and_said():
    mode = Parameter("mode", "keyword", True, "'a'")
    mask = Parameter("mask", "default", False, "None", "None", is_none=True)
    left = plan(described(X, parameters=(mode, mask))).left_out
    assert [text.partition(":")[0] for text in left] == ["mode = 'a'", "mask is None"]
    assert all("--vary" in text for text in left)
    assert plan(described(X, parameters=(mode, mask)), only=("shape",)).left_out == ()


def test_an_optional_array_becomes_none():
    mask = Parameter("mask", "positional", False, "f32[4,3]", optional=True)
    assert moves(plan(described(leaf("mask", 4, 3), parameters=(mask,))), "structure") == [
        Give("mask", "literal", "None")
    ]


def test_forms_of_the_call():
    parameters = (
        Parameter("x", "positional", False, "f32[4,3]"),
        Parameter("y", "positional", False, "f32[4]"),
        Parameter("mode", "keyword", True, "'a'", "'a'"),
        Parameter("eps", "default", True, "1", "1"),
    )
    found = plan(described(X, Y, parameters=parameters), only=("call_form",))
    assert moves(found, "call_form") == [
        ByKeyword("y"),
        ByKeyword("x"),
        ByPosition("mode"),
        LeaveOut("mode"),
        SpellOut("eps"),
    ]


def test_a_value_that_is_not_the_default_is_not_left_out():
    mode = Parameter("mode", "keyword", True, "'b'", "'a'", position=False)
    assert moves(plan(described(X, parameters=(mode,))), "call_form") == []


def test_objects_among_the_statics_are_made_anew():
    config = Static("config", "Config", "Config(1)", "look")
    inside = Node("net", "Net", (".w",), (Static("net.act", "function", "<function relu>", "look"),))
    found = plan(described(X, statics=(Static("n", "int", "3", "l"), config), nodes=(inside,)))
    assert moves(found, "static_identity") == [Remake()]
    assert named(found, "static_identity")[0][0] == "config, net.act"
    assert moves(plan(described(X, statics=(Static("n", "int", "3", "l"),))), "static_identity") == []


def test_transformations_need_arrays_and_a_gradient_floats():
    assert len(moves(plan(described(X)), "transform")) == 2
    assert len(moves(plan(described(leaf("n", 3, dtype="int32"))), "transform")) == 1
    assert moves(plan(described(leaf("n", holder="python"))), "transform") == []


def test_sizes_are_tried_small_near_and_far_for_axes_that_go_together():
    (first, second) = plan(described(X, Y)).sizes
    assert (first.axes, first.sizes) == ((("x", 0), ("batch['y']", 0)), (4, 1, 2, 3, 5, 8))
    assert (second.base, second.sizes) == (3, (3, 1, 2, 4, 6))
    assert plan(described(X), only=("dtype",)).sizes == ()


def test_an_unknown_kind_is_refused():
    with pytest.raises(WhyjitError, match="there is no kind 'shapes'; choose from: values, static"):
        plan(described(X), only=("shapes",))
