"""Every changed factor is reported, with its path, old and new, and nothing that did not change."""

import pytest
from analyse_builders import capture, leaf, node, spec, static
from msgspec import structs

from whyjit.analyse.difference import changes


def found(old, new):
    return [(change.kind, change.path, change.old, change.new) for change in changes(old, new)]


def test_shape():
    assert found(spec(1, leaf("x", 3)), spec(2, leaf("x", 4))) == [("shape", "x", "f32[3]", "f32[4]")]


def test_number_of_dimensions_is_a_shape():
    assert found(spec(1, leaf("x")), spec(2, leaf("x", 1))) == [("shape", "x", "f32[]", "f32[1]")]


def test_dtype_and_weak_type_of_one_leaf():
    old, new = spec(1, leaf("x", dtype="float32")), spec(2, leaf("x", dtype="int32", weak_type=True))
    assert found(old, new) == [("dtype", "x", "f32[]", "~i32[]"), ("weak_type", "x", "f32[]", "~i32[]")]


def test_only_the_leaf_that_changed_is_named():
    old = spec(1, leaf("p['a']", 3), leaf("p['b']", 3))
    assert found(old, spec(2, leaf("p['a']", 3), leaf("p['b']", 5))) == [("shape", "p['b']", "f32[3]", "f32[5]")]


def test_several_changes_are_all_told_and_the_most_telling_comes_first():
    old = spec(1, leaf("x", 3), static("n", 1), context=(("jax_enable_x64", "False"),))
    new = spec(2, leaf("x", 4, dtype="int32"), static("n", 2), context=(("jax_enable_x64", "True"),))
    assert [kind for kind, *_ in found(old, new)] == ["static", "dtype", "shape", "context"]


def test_static_value():
    assert found(spec(1, static("n", 1)), spec(2, static("n", 2))) == [("static", "n", "1", "2")]


def test_fields_of_a_structured_static_are_named():
    old = spec(1, static("cfg", "a", parts=((".depth", "2"), (".name", "'a'"))))
    new = spec(2, static("cfg", "b", parts=((".depth", "2"), (".name", "'b'"))))
    (change,) = changes(old, new)
    assert change.note == "name: 'a' -> 'b'"


@pytest.mark.parametrize("other", [1.0, True])
def test_equal_numbers_of_other_types_are_an_identity(other):
    (change,) = changes(spec(1, static("n", 1)), spec(2, static("n", other)))
    assert change.kind == "static_identity"
    assert "by type" in change.note


def test_a_numpy_number_is_equal_and_another_type():
    new = static("n", 3, type="numpy.int64", text="int64(3)", look="int64(3)")
    (change,) = changes(spec(1, static("n", 3)), spec(2, new))
    assert change.kind == "static_identity"


def test_another_numpy_number_is_another_value():
    new = static("n", 4, type="numpy.int64", text="int64(4)", look="int64(4)")
    (change,) = changes(spec(1, static("n", 3)), spec(2, new))
    assert change.kind == "static"


def test_objects_that_look_the_same_are_an_identity():
    old, new = (static("act", "f", type="function", look="same", identity=number) for number in ("4", "9"))
    assert found(spec(1, old), spec(2, new)) == [("static_identity", "act", "'f'", "'f'")]


def test_the_object_inside_that_is_another_is_named():
    inside = {"type": "Net", "look": "same", "objects": ((".act", "function"), (".act.scale", "Scale"))}
    old, new = (static("net", "n", identity=numbers, **inside) for numbers in ("4,5", "8,9"))
    (change,) = changes(spec(1, old), spec(2, new))
    assert change.note == "looks the same, but `act` in it (a function) is compared by identity and is another object"


def test_several_objects_inside_are_named_together():
    inside = {"type": "Tx", "look": "same", "objects": ((".init", "function"), (".update", "function"))}
    old, new = (static("tx", "t", identity=numbers, **inside) for numbers in ("4,5", "8,9"))
    (change,) = changes(spec(1, old), spec(2, new))
    assert change.note == (
        "looks the same, but `init`, `update` in it (functions) are compared by identity and are other objects"
    )


def test_another_object_inside_is_told_beside_changed_fields():
    old = static("net", "a", type="Net", parts=((".at", "1"),), identity="4", objects=((".act", "function"),))
    new = static("net", "b", type="Net", parts=((".at", "2"),), identity="8", objects=((".act", "function"),))
    (change,) = changes(spec(1, old), spec(2, new))
    assert (change.kind, change.note) == ("static", "at: 1 -> 2; act is another object")


def test_another_array_in_an_nnx_module_is_no_change_of_its_graph():
    def module(look, *keys, parts=()):
        graph = static("m._graphdef", "g", type="GraphDef", look=look, parts=parts)
        return node("m", "NodeStates", *keys, metadata=(graph,))

    old, more = module("a", ".w"), module("b", ".w", ".extra")
    assert [(kind, path) for kind, path, *_ in found(spec(1, old), spec(2, more))] == [("structure", "m")]
    flag = module("a", ".w", parts=((".d.deterministic", "False"),))
    both = module("b", ".w", ".extra", parts=((".d.deterministic", "True"),))
    assert [kind for kind, *_ in found(spec(1, flag), spec(2, both))] == ["static", "structure"]


def test_nan_differs_from_itself():
    nan = static("x", float("nan"), note="nan equals nothing, itself included")
    assert [kind for kind, *_ in found(spec(1, nan), spec(2, nan))] == ["static_identity"]


def test_static_in_the_metadata_of_a_node():
    old = spec(1, node("box", "Box", ".w", metadata=(static("box.unit", "m"),)), leaf("box.w", 3))
    new = spec(2, node("box", "Box", ".w", metadata=(static("box.unit", "km"),)), leaf("box.w", 3))
    assert found(old, new) == [("static", "box.unit", "'m'", "'km'")]


def test_container():
    old = spec(1, node("p", "list", "[0]"), leaf("p[0]", 3))
    new = spec(2, node("p", "tuple", "[0]"), leaf("p[0]", 3))
    assert found(old, new) == [("structure", "p", "list of 1", "tuple of 1")]


def test_new_and_gone_keys_are_named():
    old = spec(1, node("p", "dict", "['a']", "['b']"), leaf("p['a']", 3), leaf("p['b']", 3))
    new = spec(2, node("p", "dict", "['a']", "['c']"), leaf("p['a']", 3), leaf("p['c']", 3))
    (change,) = changes(old, new)
    assert change.note == "p['c'] is new; p['b'] is gone"


def test_order_of_keys():
    old = spec(1, node("p", "OrderedDict", "['a']", "['b']"), leaf("p['a']", 3), leaf("p['b']", 3))
    new = spec(2, node("p", "OrderedDict", "['b']", "['a']"), leaf("p['a']", 3), leaf("p['b']", 3))
    (change,) = changes(old, new)
    assert (change.kind, change.note) == ("structure", "another order of keys")


def test_none_becomes_an_array():
    old = spec(1, node("m", "None"), form={"m": "positional"})
    assert found(old, spec(2, leaf("m", 3))) == [("structure", "m", "None", "f32[3]")]


def test_what_lies_in_a_changed_container_is_not_told_again():
    old = spec(1, node("p", "list", "[0]"), node("p[0]", "dict", "['a']"), leaf("p[0]['a']", 3))
    new = spec(2, node("p", "tuple", "[0]"), node("p[0]", "list", "[0]"), leaf("p[0][0]", 3))
    assert [(kind, path) for kind, path, *_ in found(old, new)] == [("structure", "p")]


def test_an_array_becomes_a_static_value():
    old, new = spec(1, leaf("m.bias", 3)), spec(2, static("m.bias", 0.0))
    (change,) = changes(old, new)
    assert (change.kind, change.path, change.note) == ("structure", "m.bias", "an array became a static value")


def test_other_static_arguments_are_a_change_of_the_options_alone():
    old = spec(1, leaf("n", weak_type=True))
    new = spec(2, static("n", 2), options=(("static_argnums", "1"),))
    assert [kind for kind, *_ in found(old, new)] == ["jit_options"]


def test_more_positional_arguments():
    old = spec(1, node("xs", "tuple", "[0]"), leaf("xs[0]", 3))
    new = spec(2, node("xs", "tuple", "[0]", "[1]"), leaf("xs[0]", 3), leaf("xs[1]", 3))
    assert [(kind, path) for kind, path, *_ in found(old, new)] == [("structure", "xs")]


def test_keyword_instead_of_position():
    old = spec(1, leaf("b", 3), form={"b": "positional"})
    new = spec(2, leaf("b", 3), form={"b": "keyword"})
    assert found(old, new) == [("call_form", "b", "positional", "keyword")]


def test_a_default_that_is_given_is_one_change_and_no_structure():
    old = spec(1, leaf("x", 3), form={"x": "positional", "by": "default"})
    new = spec(2, leaf("x", 3), leaf("by", weak_type=True), form={"x": "positional", "by": "keyword"})
    assert found(old, new) == [("call_form", "by", "left out", "keyword")]


def test_placement_is_told_in_words():
    old = spec(1, leaf("x", 3))
    new = spec(2, leaf("x", 3, sharding="committed to cpu:0", committed=True))
    assert found(old, new) == [("sharding", "x", "not committed to a device", "committed to cpu:0")]


def left_out(number, default):
    """A call that leaves the static `mode` out, where it has this default."""
    made = spec(number, leaf("x", 3), form={"x": "positional", "mode": "default"})
    form = structs.replace(made.signature.form, defaults=(static("mode", default),))
    return structs.replace(made, signature=structs.replace(made.signature, form=form))


def test_a_default_and_another_value_are_a_change_of_the_static():
    given = spec(2, leaf("x", 3), static("mode", "tanh"), form={"x": "positional", "mode": "keyword"})
    both = [("static", "mode", "'relu'", "'tanh'"), ("call_form", "mode", "left out", "keyword")]
    assert found(left_out(1, "relu"), given) == both
    assert found(left_out(1, "tanh"), given) == both[1:]
    assert changes(left_out(1, "relu"), given)[0].note == "it was left out, and its default held"
    back = changes(given, left_out(3, "relu"))[0]
    assert (back.old, back.new, back.note) == ("'tanh'", "'relu'", "it is left out now, and its default holds")


def test_context_options_and_transformations():
    old = spec(1, leaf("x", 3), context=(("jax_default_device", "default"),))
    new = spec(
        2,
        leaf("x", 3),
        context=(("jax_default_device", "cpu:1"),),
        options=(("donate_argnums", "0"),),
        transforms=("vmap",),
    )
    assert found(old, new) == [
        ("context", "jax_default_device", "default", "cpu:1"),
        ("context", "transformation", "none", "vmap"),
        ("jit_options", "donate_argnums", "default", "0"),
    ]


def test_new_function_names_the_captured_variable():
    old = spec(1, leaf("x", 3), maker=1, captures=(capture("lr", "0.1"), capture("n", "2")))
    new = spec(2, leaf("x", 3), maker=2, captures=(capture("lr", "0.2"), capture("n", "2")))
    assert found(old, new) == [("function", "lr", "0.1", "0.2")]


def test_new_function_that_captures_another_array():
    old = spec(1, maker=1, captures=(capture("w", "f32[3]", identity=" arrays 4"),))
    new = spec(2, maker=2, captures=(capture("w", "f32[3]", identity=" arrays 5"),))
    (change,) = changes(old, new)
    assert (change.kind, change.path) == ("function", "w")
    assert "contents were not compared" in change.note


def test_new_function_that_carries_nothing_new():
    (change,) = changes(spec(1, maker=1), spec(2, maker=2))
    assert (change.kind, change.path) == ("function", None)
    assert "captures nothing" in change.note


def test_the_same_has_no_changes():
    assert changes(spec(1, leaf("x", 3), static("n", 1)), spec(2, leaf("x", 3), static("n", 1))) == ()


def test_how_a_value_is_held_is_no_change():
    assert changes(spec(1, leaf("x", 3, holder="numpy")), spec(2, leaf("x", 3, holder="jax"))) == ()
