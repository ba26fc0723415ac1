"""Findings about static values and about functions made anew."""

import pytest
from analyse_builders import capture, codes, leaf, node, program, report, spec, static
from msgspec import structs

from whyjit.model.recording import Stage

OFTEN = 50


def finding(code, *specs, **more):
    found = [one for one in report(*specs, **more).findings if one.code == code]
    assert len(found) == 1, (code, [one.text for one in report(*specs, **more).findings])
    return found[0]


def statics(*values, delta, calls=1):
    """One static with these values; the programs are apart by `delta`."""
    levels = {"identical": {}, "literals": {"literals": "l"}, "structure": {}}
    return [
        spec(
            number,
            leaf("x", 3),
            static("n", value),
            calls=calls,
            fingerprint=program("p" if delta == "identical" else number, **levels[delta]),
        )
        for number, value in enumerate(values, 1)
    ]


def test_static_decides_nothing():
    found = finding("static-decides-nothing", *statics("a", "b", "c", delta="identical"))
    assert (found.path, "all needless" in found.text) == ("n", True)


def metadata(*values, path, at="world"):
    """A pytree whose metadata at `path` takes these values; the program is the same."""
    return [
        spec(
            number,
            node(at, "World", ".pos", metadata=(static(path, value),)),
            leaf(f"{at}.pos", 3),
            fingerprint=program("p"),
        )
        for number, value in enumerate(values, 1)
    ]


def test_metadata_that_decides_nothing_is_not_the_argument_itself():
    found = finding("static-decides-nothing", *metadata((0.0,), (0.1,), path="world"))
    assert found.text.startswith("the metadata of `world` changed (to (0.1,)), but the program is identical")
    assert found.remedy.startswith(
        "make what changes in the metadata of `world` a leaf (an array), or keep it out of `world`:"
    )


def test_a_field_that_decides_nothing_is_to_be_a_leaf():
    found = finding("static-decides-nothing", *metadata(0, 1, path="world.step"))
    assert found.text.startswith("`world.step` is static and changed (to 1)")
    assert found.remedy.startswith("make `world.step` a leaf (an array), or keep it out of `world`:")


def test_one_value_written_in_two_ways_is_not_to_be_left_out():
    remedy = "write `n` in one way at every call of `step`: these values make one program"
    assert finding("static-decides-nothing", *statics(0, -2, delta="identical")).remedy == remedy
    assert finding("static-decides-nothing", *statics("f2", 2.0, delta="identical")).remedy == remedy
    assert "keep `n` out of" in finding("static-decides-nothing", *statics(1, 2, delta="identical")).remedy


def test_metadata_that_churns_is_not_the_argument_itself():
    specs = [
        spec(number, node("cfg", "Config", metadata=(static("cfg", number, text=f"Config({number})"),)), leaf("x", 3))
        for number in (1, 2, 3)
    ]
    found = finding("static-churn", *specs)
    assert found.text.startswith("the metadata of `cfg` took 3 values")
    assert found.remedy.startswith("pass what changes in the metadata of `cfg` as an array where")


def test_functions_that_make_one_program_are_not_to_be_left_out():
    specs = [
        spec(number, static("act", number, text=f"<function {name}>"), fingerprint=program("p"))
        for number, name in enumerate("fg", 1)
    ]
    remedy = "pass one and the same object as `act` at every call of `step`: all of these make one program"
    assert finding("static-decides-nothing", *specs).remedy == remedy
    assert "is made by the library that calls" in finding("static-decides-nothing", *specs, origin="library").remedy


def test_static_decides_nothing_is_quiet_where_a_value_once_mattered():
    specs = [*statics("a", "b", delta="identical"), spec(3, leaf("x", 3), static("n", "c"), fingerprint=program("q"))]
    assert "static-decides-nothing" not in codes(*specs)


def test_static_is_data():
    found = finding("static-is-data", *statics(0.1, 0.2, 0.3, delta="literals"))
    assert "remove it from the static arguments of `step`" in found.remedy


def test_static_is_data_inside_a_configuration_is_not_passed_as_it_is():
    specs = statics("Cfg(1)", "Cfg(2)", "Cfg(3)", delta="literals")
    assert "make them leaves" in finding("static-is-data", *specs).remedy


def test_static_churn():
    found = finding("static-churn", *statics(1, 2, 3, 4, delta="structure"))
    assert (found.path, "each one compiles `step` again" in found.remedy) == ("n", True)


def test_static_churn_of_names_does_not_advise_an_array():
    assert finding("static-churn", *statics("relu", "tanh", "gelu", delta="structure")).remedy == (
        "keep the values of `n` few, and write each of them in one way: each one compiles `step` again"
    )


@pytest.mark.parametrize("values", [(1, 2, 3), (0.5, -2e-05, 1.0), (True, 2, 3), ((1, 2), (3, 4), (5, 6))])
def test_static_churn_of_numbers_advises_an_array(values):
    assert "pass `n` as an array" in finding("static-churn", *statics(*values, delta="structure")).remedy


@pytest.mark.parametrize(
    ("values", "remedy"),
    [(("a", "b"), "keep `b.tag` out of `b`: "), ((1, 2), "make `b.tag` a leaf (an array), or keep")],
)
def test_metadata_that_decides_nothing_is_a_leaf_only_if_it_is_numbers(values, remedy):
    specs = [
        spec(number, node("b", "Batch", metadata=(static("b.tag", value),)), leaf("b.x", 3), fingerprint=program("p"))
        for number, value in enumerate(values, 1)
    ]
    assert finding("static-decides-nothing", *specs).remedy.startswith(remedy)


def test_statics_are_quiet_for_variants_used_often():
    assert codes(*statics("train", "eval", delta="structure", calls=OFTEN)) == []


def test_static_identity():
    specs = [spec(number, static("act", "f", type="function", look="f", identity=str(number))) for number in (1, 2, 3)]
    assert "make `act` once" in finding("static-identity", *specs).remedy


def test_static_identity_of_an_object_inside_names_the_class_that_needs_equality():
    inside = {"type": "tuple", "look": "(Config(),)", "objects": (("[0]", "Config"),)}
    specs = [spec(number, static("net", (), identity=str(number), **inside)) for number in (1, 2, 3)]
    assert "or give `Config` equality and hash by value" in finding("static-identity", *specs).remedy


def test_static_identity_of_a_function_does_not_speak_of_its_class():
    specs = [
        spec(number, static("act", "f", type="function", text="<function f>", look="f", identity=str(number)))
        for number in (1, 2, 3)
    ]
    assert finding("static-identity", *specs).remedy == (
        "make `act` once and pass the same object at every call:"
        " a function equals only itself, as do a lambda, a partial and a method of another object"
    )


def test_static_identity_of_several_statics_is_mended_together():
    def both(number):
        return [static(name, name, type="Some", look=name, identity=f"{number}{name}") for name in ("tx", "net")]

    found = finding("static-identity", *(spec(number, *both(number)) for number in (1, 2, 3)))
    assert found.text.startswith("`tx` and `net` look the same, but are compared by identity and are other objects: ")
    assert found.remedy.startswith("make `tx` and `net` once and pass the same objects at every call")


def test_static_identity_of_nan_and_of_types_have_their_own_advice():
    nan = static("x", float("nan"), note="nan equals nothing, itself included")
    assert "instead of NaN" in finding("static-identity", spec(1, nan), spec(2, nan)).remedy
    assert "one Python type" in finding("static-identity", spec(1, static("n", 1)), spec(2, static("n", True))).remedy


def makers(count, calls=1, captured=None, programs="p"):
    return [
        spec(
            number,
            leaf("x", 3),
            maker=number,
            calls=calls,
            captures=(capture("lr", str(captured and number)),),
            fingerprint=program(programs or number),
        )
        for number in range(1, count + 1)
    ]


def test_new_function_each_call():
    found = finding("new-function-each-call", *makers(4))
    assert found.path is None
    assert found.text.startswith("4 function objects were made from `step` for 4 calls; nothing they carry differs")
    assert "partial" not in found.remedy


def test_functions_that_are_kept_and_have_programs_of_their_own_are_variants():
    assert codes(*makers(4, captured=True, programs=None, calls=3)) == []
    assert "new-function-each-call" in codes(*makers(4, captured=True, programs=None))


def test_new_function_each_call_names_what_differs():
    found = finding("new-function-each-call", *makers(4, captured=True))
    assert (found.path, "pass `lr` as an argument" in found.remedy) == ("lr", True)


def test_new_function_each_call_does_not_pass_functions_as_arguments():
    specs = [
        spec(number, leaf("x", 3), maker=number, captures=(capture("tx", "Tx(init=<function f>)", str(number)),))
        for number in (1, 2, 3)
    ]
    found = finding("new-function-each-call", *specs)
    assert found.remedy.endswith("and pass what differs in `tx` as an argument (static where it decides the program)")


def test_new_function_each_call_does_not_pass_the_options_of_grad():
    specs = [
        spec(number, leaf("x", 3), maker=number, captures=(capture("argnums", str(number)),)) for number in (1, 2, 3)
    ]
    remedy = "make and jit `step` once for each `argnums`, outside the loop"
    assert finding("new-function-each-call", *specs).remedy == remedy


def test_new_function_each_call_names_all_that_differs():
    specs = [
        spec(number, leaf("x", 3), maker=number, captures=(capture("a", str(number)), capture("b", str(number))))
        for number in (1, 2, 3)
    ]
    found = finding("new-function-each-call", *specs)
    assert "`a` and `b` differ between them" in found.text
    assert "and pass `a` and `b` as arguments" in found.remedy


def test_loads_from_disk_are_counted_in_words():
    loaded = (Stage("trace", 0.0, 0.1, 0.1), Stage("cache_load", 0.0, 0.1, 0.1))
    specs = [structs.replace(one, stages=loaded) for one in makers(4)]
    assert "3 more traces and 3 more loads from disk" in finding("new-function-each-call", *specs).text


def test_new_function_each_call_knows_that_something_was_read():
    found = finding("new-function-each-call", *makers(4, programs=None))
    assert "they read something from outside that differs" in found.text
    assert found.remedy.endswith("and pass what it reads from outside as an argument")


def test_new_function_each_call_is_quiet_for_two_objects_and_for_many_calls():
    assert codes(*makers(2)) == []
    assert codes(*makers(3, calls=OFTEN)) == []


def test_values_that_begin_alike_are_not_called_one_value():
    text = "((" + "'layer', " * 30
    looks = [structs.replace(static("config", text), look=f"look {number}", text=text) for number in range(3)]
    found = finding(
        "static-churn",
        *(spec(number, leaf("x", 3), look, fingerprint=program(number)) for number, look in enumerate(looks, 1)),
    )
    assert found.text.startswith("`config` is static and changed 2 times in 3 calls, in a part that its text does not")
    assert len(found.text) < 220
