"""Each finding speaks where something can be saved, with numbers and the user's names, and is silent elsewhere."""

from analyse_builders import SITE, capture, codes, constant, leaf, node, program, report, spec, stages, static

from whyjit.model.recording import StaleRead

OFTEN = 50
COMMITTED = {"sharding": "committed to cpu:0", "committed": True}


def finding(code, *specs, **more):
    found = [one for one in report(*specs, **more).findings if one.code == code]
    assert len(found) == 1, (code, [one.text for one in report(*specs, **more).findings])
    return found[0]


def lengths(*sizes, calls=1):
    return [spec(number, leaf("x", size), calls=calls) for number, size in enumerate(sizes, 1)]


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


def test_shape_churn():
    found = finding("shape-churn", *lengths(2, 3, 4, 5))
    assert found.path == "x"
    assert found.text == "`x` came in 4 lengths from 2 to 5: 3 more traces and 3 more compiles, 0.9 s"
    assert "pad `x` to 2, 4, 8 before calling `step`" in found.remedy
    assert round(found.saves_s, 6) == 0.9


def test_shape_churn_of_one_dimension_among_several():
    specs = [spec(number, leaf("x", 8, size)) for number, size in enumerate((2, 3, 4), 1)]
    assert finding("shape-churn", *specs).text.startswith("`x` came in 3 lengths of dimension 1 from 2 to 4:")


def test_shape_churn_of_leaves_that_change_together_is_one_finding():
    specs = [spec(number, leaf("x", size, 4), leaf("y", size)) for number, size in enumerate((2, 3, 4), 1)]
    assert finding("shape-churn", *specs).text.startswith("`x` and `y` came in")


def test_shape_churn_is_quiet_for_one_other_shape():
    assert codes(*lengths(16, 6)) == []


def test_shape_churn_is_quiet_for_sizes_used_often():
    assert codes(*lengths(16, 32, 64, calls=OFTEN)) == []


def test_shape_churn_is_quiet_for_what_was_only_compiled_ahead():
    assert codes(*lengths(4, 8, 16, 32, calls=0)) == []


def test_dtype_flip():
    found = finding("dtype-flip", spec(1, leaf("y", 4)), spec(2, leaf("y", 4, dtype="int8")))
    assert found.text.startswith("`y` was f32[4] and then i8[4]: 1 more trace and 1 more compile")
    assert "float32" in found.remedy


def test_dtype_flip_does_not_come_with_a_weak_type_flip_of_the_same_leaf():
    assert codes(spec(1, leaf("s", dtype="int32")), spec(2, leaf("s", weak_type=True))) == ["dtype-flip"]


def test_leaves_that_change_alike_are_one_finding_and_others_are_not():
    old = spec(1, *(leaf(name, 4) for name in "xyz"))
    new = spec(2, leaf("x", 4, dtype="int8"), leaf("y", 4, dtype="int8"), leaf("z", 4, dtype="float16"))
    texts = [found.text for found in report(old, new).findings]
    assert [text.partition(":")[0] for text in texts] == [
        "`x` and `y` were f32[4] and then i8[4]",
        "`z` was f32[4] and then f16[4]",
    ]


def test_what_several_changes_cost_is_shared_among_them():
    old, new = spec(1, leaf("x", 4), static("n", 1)), spec(2, leaf("x", 4, dtype="int8"), static("n", 2))
    assert round(finding("dtype-flip", old, new).saves_s, 6) == 0.15


def test_a_width_that_follows_from_x64_is_the_contexts_matter():
    old = spec(1, leaf("s"), context=(("jax_enable_x64", "False"),))
    new = spec(2, leaf("s", dtype="float64"), context=(("jax_enable_x64", "True"),))
    assert codes(old, new) == ["context-flip"]


def test_kinds_of_keys_have_their_own_advice():
    found = finding("dtype-flip", spec(1, leaf("key", 2, dtype="uint32")), spec(2, leaf("key", dtype="key<fry>")))
    assert "jax.random.key" in found.remedy


def test_weak_type_flip():
    found = finding("weak-type-flip", spec(1, leaf("s", weak_type=True)), spec(2, leaf("s")))
    assert (found.path, "jnp.float32" in found.remedy) == ("s", True)


def test_flips_are_quiet_for_variants_used_often():
    assert codes(spec(1, leaf("s", weak_type=True), calls=OFTEN), spec(2, leaf("s"), calls=OFTEN)) == []


def test_structure_flip():
    found = finding(
        "structure-flip",
        spec(1, node("p", "list", "[0]"), leaf("p[0]", 3)),
        spec(2, node("p", "tuple", "[0]"), leaf("p[0]", 3)),
    )
    assert found.text.startswith("`p` was list of 1 and then tuple of 1 (another container)")


def test_structure_flip_of_none_advises_zeros():
    found = finding(
        "structure-flip",
        spec(1, node("m", "None"), form={"m": "positional"}),
        spec(2, leaf("m", 3)),
    )
    assert "instead of None" in found.remedy


def test_call_form_flip():
    found = finding(
        "call-form-flip",
        spec(1, leaf("b", 3), form={"b": "positional"}),
        spec(2, leaf("b", 3), form={"b": "keyword"}),
    )
    assert found.remedy == "write every call of `step` in one form: always pass as positional `b`"


def test_call_form_flip_is_quiet_when_something_else_changed_too():
    old = spec(1, leaf("b", 3), form={"b": "positional"})
    assert "call-form-flip" not in codes(old, spec(2, leaf("b", 4), form={"b": "keyword"}))


def test_context_flip():
    old = spec(1, leaf("x", 3), context=(("jax_enable_x64", "False"),), fingerprint=program("p"))
    new = spec(2, leaf("x", 3), context=(("jax_enable_x64", "True"),), fingerprint=program("p"))
    found = finding("context-flip", old, new)
    assert "the program is identical" in found.text
    assert "set jax_enable_x64 once, before the first call of `step`" in found.remedy


def test_transformations_are_no_context_flip():
    assert codes(spec(1, leaf("x", 3)), spec(2, leaf("x", 3), transforms=("vmap",))) == []


def test_sharding_flip():
    old, new = spec(1, leaf("x", 3), calls=3), spec(2, leaf("x", 3, **COMMITTED), stages=stages(trace=False))
    found = finding("sharding-flip", old, new)
    assert "1 more compile" in found.text
    assert "device_put" in found.remedy


def test_jit_options_differ():
    specs = [spec(1, leaf("x", 3)), spec(2, leaf("x", 3), options=(("donate_argnums", "0"),))]
    assert finding("jit-options-differ", *specs).path == "donate_argnums"


def test_cache_cleared():
    specs = [spec(1, leaf("x", 3)), spec(2, leaf("x", 3), notes=("earlier-gone",))]
    assert "1 more trace and 1 more compile" in finding("cache-cleared", *specs).text


def test_static_decides_nothing():
    found = finding("static-decides-nothing", *statics("a", "b", "c", delta="identical"))
    assert (found.path, "all needless" in found.text) == ("n", True)


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


def test_statics_are_quiet_for_variants_used_often():
    assert codes(*statics("train", "eval", delta="structure", calls=OFTEN)) == []


def test_static_identity():
    specs = [spec(number, static("act", "f", type="function", look="f", identity=str(number))) for number in (1, 2, 3)]
    assert "make `act` once" in finding("static-identity", *specs).remedy


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


def test_new_function_each_call_names_what_differs():
    found = finding("new-function-each-call", *makers(4, captured=True))
    assert (found.path, "pass `lr` as an argument" in found.remedy) == ("lr", True)


def test_new_function_each_call_knows_that_something_was_read():
    found = finding("new-function-each-call", *makers(4, programs=None))
    assert "they read something from outside that differs" in found.text
    assert found.remedy.endswith("and pass what it reads from outside as an argument")


def test_new_function_each_call_is_quiet_for_two_objects_and_for_many_calls():
    assert codes(*makers(2)) == []
    assert codes(*makers(3, calls=OFTEN)) == []


def test_second_step_recompile():
    first = spec(1, leaf("t", weak_type=True), outputs=(leaf("result"),))
    found = finding("second-step-recompile", first, spec(2, leaf("t"), calls=9))
    assert (found.path, "jnp.float32" in found.remedy) == ("t", True)


def test_second_step_counts_the_other_leaves():
    first = spec(1, leaf("t", weak_type=True), leaf("u", weak_type=True), outputs=(leaf("result"),))
    second = spec(2, leaf("t"), leaf("u"), calls=9)
    assert "and one more leaf with it" in finding("second-step-recompile", first, second).text


def test_second_step_needs_a_loop():
    first = spec(1, leaf("t", weak_type=True), outputs=(leaf("result"),))
    assert codes(first, spec(2, leaf("t"))) == ["weak-type-flip"]


def test_second_step_needs_the_types_that_the_first_call_returned():
    first = spec(1, leaf("t", weak_type=True), outputs=(leaf("result", 5),))
    assert "second-step-recompile" not in codes(first, spec(2, leaf("t"), calls=9))


def test_slow_path():
    effect = spec(1, leaf("x", 3), calls=5, misses=5, slow_path="Debug")
    assert "5 calls" in finding("slow-path", effect).text
    assert codes(spec(1, leaf("x", 3), calls=5, misses=1, slow_path="Debug")) == []


def test_baked_constant():
    found = finding("baked-constant", spec(1, leaf("x", 3), constants=(constant("table", 2 * 1024 * 1024),)))
    assert "2 MiB" in found.text
    assert found.remedy == "pass `table` as an argument of `step`"
    assert codes(spec(1, leaf("x", 3), constants=(constant("kernel", 64),))) == []


def test_stale_constant_ranks_first():
    stale = (StaleRead(1, 1, "self.k", "1.0", "2.0", SITE, 3),)
    found = report(*lengths(2, 3, 4, 5), stale=stale).findings
    assert [one.code for one in found] == ["stale-constant", "shape-churn"]
    assert "3 calls since then still used 1.0" in found[0].text


def test_stale_constant_is_quiet_for_a_change_that_no_call_followed():
    assert codes(spec(1, leaf("x", 3)), stale=(StaleRead(1, 1, "K", "1", "2", SITE, 0),)) == []


def operations(name, *sizes):
    return [spec(number, leaf("x", size), operation=name) for number, size in enumerate(sizes, 1)]


def test_eager_ops():
    found = finding("eager-ops", *operations("tanh", 3, 4, 5), origin="eager", qualname="normalise")
    assert "tanh 3x" in found.text
    assert "put `jax.jit` on `normalise`" in found.remedy
    assert codes(*operations("tanh", 3), origin="eager") == []


def test_eager_control_flow():
    specs, bodies = operations("scan", 3, 3, 3), (("scan body", 3),)
    found = finding("eager-control-flow", *specs, origin="eager", bodies=bodies, qualname="smooth")
    assert "put `jax.jit` on `smooth`" in found.remedy


def test_a_loop_over_ever_new_lengths_is_not_blamed_on_its_body():
    found = codes(*operations("scan", 3, 4, 5), origin="eager", bodies=(("scan body", 1),))
    assert found == ["eager-ops"]


def test_a_loop_whose_body_is_kept_is_quiet():
    assert codes(*operations("while", 3), origin="eager", bodies=(("while_body f", 1),)) == []


NESTED = {"stages": stages(lower=False, compile_=False), "calls": 0, "nested_calls": 1, "parent": (2, 1)}


def test_what_is_traced_inside_another_trace_is_not_blamed():
    specs = [spec(number, leaf("x", number), **NESTED) for number in (1, 2, 3)]
    assert codes(*specs) == []


def test_what_repeats_itself_inside_one_trace_is():
    specs = [spec(number, maker=number, fingerprint=program("p"), **NESTED) for number in (1, 2, 3, 4)]
    assert codes(*specs) == ["new-function-each-call"]


def test_a_library_function_that_only_the_library_calls_is_not_the_users_matter():
    specs = [spec(number, leaf("x", number), **NESTED) for number in (1, 2, 3)]
    assert codes(*specs, origin="library") == []


def test_a_function_with_one_program_has_no_findings():
    assert codes(spec(1, leaf("x", 3), calls=300)) == []


def test_nothing_recorded():
    assert codes(spec(1)) == []
