"""Findings about objects: what differs inside those that look alike, and whose code they belong to."""

import pytest
from analyse_builders import SITE, codes, leaf, node, program, report, spec, stages, static

from whyjit.model.recording import StaleRead


def finding(code, *specs, **more):
    found = [one for one in report(*specs, **more).findings if one.code == code]
    assert len(found) == 1, (code, [one.text for one in report(*specs, **more).findings])
    return found[0]


def optimizers(*rates, delta="literals"):
    """One static object that looks the same each time, but for a number deep inside."""
    level = {"literals": {"literals": "l"}, "shapes": {"shapes": "s"}, "structure": {}}[delta]
    return [
        spec(
            number,
            leaf("x", 3),
            static("tx", rate, type="Transform", text="Transform(...)", parts=((".update.rate", str(rate)),)),
            fingerprint=program(number, **level),
        )
        for number, rate in enumerate(rates, 1)
    ]


def test_objects_that_look_alike_are_told_by_what_differs_inside():
    found = finding("static-is-data", *optimizers(0.1, 0.2, 0.3))
    inside = "update.rate: 0.1 -> 0.2, update.rate: 0.2 -> 0.3"
    assert f"`tx` is static and was 3 objects in 3 calls ({inside})" in found.text
    assert "pass the numbers in `tx` as arrays" in found.remedy


def test_objects_that_hold_arrays_of_other_sizes_are_to_be_padded():
    specs = optimizers("f32[20]", "f32[21]", "f32[22]", delta="shapes")
    found = finding("static-churn", *specs)
    assert "update.rate: f32[20] -> f32[21]" in found.text
    assert "keep the sizes of the arrays that `tx` holds few, by padding" in found.remedy


def test_alike_changes_inside_are_told_once():
    parts = [((".a", size), (".b", size), (".c", size)) for size in ("1", "2")]
    specs = [spec(at, static("tx", at, text="T", parts=part)) for at, part in enumerate(parts, 1)]
    (change,) = report(*specs).specializations[1].cause.changes
    assert change.note == "a: 1 -> 2 (and 2 more alike)"


def test_a_static_of_a_wrapper_that_splits_leaves_becomes_an_array():
    options = (("static_argnums", "2"), ("static_argnames", "static"))
    specs = [
        spec(
            number, leaf("x", 3), static("model.rate", rate), options=options, fingerprint=program(number, literals="l")
        )
        for number, rate in enumerate((0.1, 0.2, 0.3), 1)
    ]
    assert "make `model.rate` an array" in finding("static-is-data", *specs).remedy


def remade(count=3, *, same=True, also=False, origin="user"):
    """A static object made again each time; with `also` another static changes with it."""
    specs = []
    for number in range(1, count + 1):
        parts = [static("tx", 0, type="Transform", text="T", look="l", identity=str(number))]
        parts += [static("apply", 0, type="method", text="M", look=str(number))] if also else []
        whole = "p" if same else number
        specs.append(spec(number, leaf("x", 3), *parts, fingerprint=program(whole, shapes="s")))
    return specs


def test_all_needless_only_where_the_programs_are_the_same():
    assert "all needless" in finding("static-identity", *remade()).text
    assert "needless" not in finding("static-identity", *remade(same=False)).text


def test_statics_that_change_together_are_mended_together():
    found = finding("static-identity", *remade(also=True))
    assert "and `apply` changed with it" in found.text
    assert found.remedy.startswith("make `tx` and `apply` once")


def test_an_object_of_a_librarys_is_not_the_users_to_change():
    found = finding("static-identity", *remade(), origin="library")
    assert "made by the library that calls `step`: make what you call on this line once" in found.remedy


def test_a_graph_that_was_not_looked_at_whole_is_not_said_to_be_equal():
    metadata = [(static("model.graph", 0, type="Graph", text="G", note="only part of it was looked at"),)]
    first = spec(1, node("model", "Model", metadata=metadata[0]), fingerprint=program("p"))
    again = spec(2, node("model", "Model", metadata=metadata[0]), fingerprint=program("p"), notes=("earlier-alive",))
    assert "looks the same as far as it was looked at" in report(first, again).specializations[1].cause.text


def eager(*marks, operations=("add", "mul", "sub", "add"), seconds=(0.1, 0.1, 0.1, 0.1)):
    return [
        spec(
            number,
            leaf("x", number),
            operation=operations[number - 1],
            notes=(mark,) if mark else (),
            calls=1,
            stages=stages(trace=False, lower=False, seconds=seconds[number - 1]),
        )
        for number, mark in enumerate(marks, 1)
    ]


def test_operations_inside_a_librarys_function_name_it():
    found = finding("eager-ops", *eager(*["by flax's Module.init"] * 4), origin="eager", qualname="<module>")
    assert "at this line, all of them inside flax's `Module.init`" in found.text
    assert found.remedy == (
        "set-up that runs once may stay as it is; else call flax's `Module.init` from a jitted function,"
        " if it can be traced"
    )
    again = eager(*["by flax's Module.init"] * 4, operations=("add",) * 4)
    assert finding("eager-ops", *again, origin="eager").remedy.startswith("call flax's `Module.init` from a jitted")


def test_one_program_of_different_operations_spares_what_any_compile_costs_and_no_more():
    found = finding("eager-ops", *eager("", "", "", "", seconds=(0.9, 0.1, 0.4, 0.2)), origin="eager")
    assert round(found.saves_s, 6) == 0.3
    inside = eager(*["by flax's init"] * 4, operations=("add",) * 4, seconds=(0.9, 0.1, 0.4, 0.2))
    assert round(finding("eager-ops", *inside, origin="eager").saves_s, 6) == 0.3


def test_an_operation_compiled_for_ever_new_sizes_leaves_one_when_padded():
    some = eager("", "", "", "", operations=("add", "mul", "add", "add"), seconds=(0.4, 0.1, 0.2, 0.3))
    assert round(finding("eager-ops", *some, origin="eager").saves_s, 6) == 0.6


def test_what_is_private_to_a_library_is_not_named():
    found = finding("eager-ops", *eager(*["by equinox's _JitWrapper.__call__"] * 4), origin="eager")
    assert ", all of them inside equinox (" in found.text
    assert "else call what is equinox's from a jitted function" in found.remedy


def test_operations_in_a_callback_and_of_an_array_that_is_gone_through_want_numpy():
    called = finding("eager-ops", *eager(*["in a callback"] * 4), origin="eager", qualname="train.<locals>.log")
    assert "in `log`, which is called back by a staged program" in called.text
    assert called.remedy.startswith("work with NumPy in a callback")
    gone = finding("eager-ops", *eager(*["iterated"] * 4), origin="eager")
    assert gone.remedy.startswith("make a NumPy array of it first")


def test_what_cannot_be_jitted_is_not_said_to_be():
    for name in ("<module>", "<lambda>", "load.<locals>.<genexpr>"):
        found = finding("eager-ops", *eager("", "", "", ""), origin="eager", qualname=name)
        assert found.remedy.startswith("put the lines into a function and jit it")
    assert "in `load`" in found.text


def test_operations_of_which_few_are_a_librarys():
    found = finding("eager-ops", *eager("by flax's init", "", "", ""), origin="eager", qualname="<module>")
    assert "inside" not in found.text
    some = finding(
        "eager-ops",
        *eager("by flax's init", "by flax's init", "by flax's init", ""),
        origin="eager",
        qualname="<module>",
    )
    assert "most of them inside flax's `init`" in some.text


def test_a_constructor_cannot_be_jitted_itself():
    once = eager("", "", "", "", operations=("add", "mul", "sub", "neg"))
    found = finding("eager-ops", *once, origin="eager", qualname="Model.__init__")
    assert found.remedy.startswith("make `Model` in a jitted function; or use NumPy")


def returned(*weak):
    return tuple(leaf(f"result[{at}]", dtype="float32", weak_type=one) for at, one in enumerate(weak))


def step(number, w, m, *, calls=1):
    leaves = leaf("w", weak_type=w), leaf("m", weak_type=m)
    return spec(number, *leaves, calls=calls, outputs=returned(False, True) if w else returned(False, False))


def test_a_loop_that_settles_in_the_third_step():
    found = finding("second-step-recompile", step(1, True, True), step(2, False, True), step(3, False, False, calls=8))
    assert found.text.startswith(
        "the second and third calls compiled again: `w` began as ~f32[] and was f32[] from then on"
    )
    assert "make the initial `w` and `m` as `step` returns it" in found.remedy
    assert round(found.saves_s, 6) == 0.6


@pytest.mark.parametrize("holder", ["numpy", "python"])
def test_what_no_function_returns_was_not_fed_back(holder):
    fed = spec(2, leaf("w", weak_type=False, holder=holder), calls=8)
    assert codes(spec(1, leaf("w", weak_type=True), outputs=returned(False)), fed) == ["weak-type-flip"]


@pytest.mark.parametrize(
    ("beside", "code"),
    [
        ((), "sharding-flip"),
        ((leaf("b", 4, sharding="P('d') on mesh (d: 4) of devices 0 to 3", committed=True),), "second-step-recompile"),
        ((leaf("b", 4, sharding="P('d') on mesh (d: 2) of devices 0, 1", committed=True),), "sharding-flip"),
    ],
)
def test_a_result_lies_where_an_argument_lay(beside, code):
    outputs = (leaf("result", 3),)
    placed = leaf("w", 3, sharding="P() on mesh (d: 4) of devices 0 to 3", committed=True)
    assert codes(spec(1, leaf("w", 3), *beside, outputs=outputs), spec(2, placed, *beside, calls=8)) == [code]


def test_a_loop_that_did_not_go_on_is_no_loop():
    specs = step(1, True, True), step(2, False, True), step(3, False, False)
    assert "second-step-recompile" not in codes(*specs)


def test_static_values_taken_for_the_same_rank_first():
    specs = [spec(1, leaf("x", 3), static("s", -0.0), calls=4)]
    (found,) = report(*specs, stale=(StaleRead(1, 1, "s", "-0.0", "0.0", SITE, 3, "static"),)).findings
    assert (found.code, found.path, found.wrong) == ("static-identity", "s", True)
    assert "was -0.0 when the program was traced and 0.0 at 3 calls that used this program" in found.text
    assert found.remedy.endswith("`s + 0.0`")


def test_zeros_inside_a_tuple():
    read = StaleRead(1, 1, "s", "(-0.0,)", "(0.0,)", SITE, 1, "static")
    (found,) = report(spec(1, leaf("x", 3), static("s", (-0.0,))), stale=(read,)).findings
    assert "pass the numbers in `s` as arrays" in found.remedy
