"""Each finding speaks where something can be saved, with numbers and the user's names, and is silent elsewhere."""

from analyse_builders import SITE, codes, constant, leaf, node, program, report, spec, stages, static

from whyjit.model.recording import StaleRead

OFTEN = 50
COMMITTED = {"sharding": "committed to cpu:0", "committed": True}


def finding(code, *specs, **more):
    found = [one for one in report(*specs, **more).findings if one.code == code]
    assert len(found) == 1, (code, [one.text for one in report(*specs, **more).findings])
    return found[0]


def lengths(*sizes, calls=1):
    return [spec(number, leaf("x", size), calls=calls) for number, size in enumerate(sizes, 1)]


def test_shape_churn():
    found = finding("shape-churn", *lengths(2, 3, 4, 5))
    assert found.path == "x"
    assert found.text.startswith("`x` came in 4 lengths from 2 to 5: 3 more traces and 3 more compiles, 0.9")
    padded = "pad `x` to 2, 4, 8 before calling `step` and mask the padding, with a program for each size"
    assert found.remedy.startswith(padded)


def test_shape_churn_saves_what_padding_spares():
    assert round(finding("shape-churn", *lengths(2, 3, 4, 5)).saves_s, 6) == 0.3  # of 4, the program for 4 stays
    assert round(finding("shape-churn", *lengths(4, 5, 6, 7, 8)).saves_s, 6) == 0.9  # the program for 8 stays
    assert round(finding("shape-churn", *lengths(5, 6, 7, 8)).saves_s, 6) == 0.9  # all are padded to the first's 8


def test_shape_churn_of_sizes_that_are_powers_of_two_is_padded_to_the_largest():
    found = finding("shape-churn", *lengths(4, 8, 16))
    assert found.remedy.startswith("pad `x` to 16 before calling `step` and mask the padding; or")
    assert round(found.saves_s, 6) == 0.6


def test_shape_churn_of_several_dimensions():
    found = finding("shape-churn", *(spec(n, leaf("x", size, size)) for n, size in enumerate((8, 7, 6, 4), 1)))
    assert found.remedy.startswith("pad each dimension of `x` to a power of two before calling `step`")
    assert round(found.saves_s, 6) == 0.6


def test_shape_churn_of_other_ranks_is_not_to_be_padded():
    found = finding("shape-churn", spec(1, leaf("x")), spec(2, leaf("x", 1)), spec(3, leaf("x", 1, 1)))
    assert found.remedy.startswith("give `x` one number of dimensions at every call of `step`")


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


def test_dtype_flip_keeps_the_dtype_that_can_hold_the_other():
    counts, loss = leaf("s", dtype="int32"), leaf("s")
    assert "gets float32" in finding("dtype-flip", spec(1, counts), spec(2, loss)).remedy
    assert "gets float32" in finding("dtype-flip", spec(1, loss), spec(2, counts)).remedy
    assert "gets bfloat16" in finding("dtype-flip", spec(1, leaf("s", dtype="bfloat16")), spec(2, loss)).remedy


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


def test_arrays_of_several_sizes_that_changed_their_dtype_together_are_one_finding():
    full = spec(1, leaf("w", 2, 2), leaf("b", 2))
    half = spec(2, leaf("w", 2, 2, dtype="bfloat16"), leaf("b", 2, dtype="bfloat16"))
    (found,) = report(full, half).findings
    assert found.text.startswith("`w` and `b` were f32 and then bf16: ")
    one = spec(2, leaf("w", 2, 2, dtype="bfloat16"), leaf("b", 2))
    assert finding("dtype-flip", full, one).text.startswith("`w` was f32[2,2] and then bf16[2,2]: ")


def test_none_that_comes_with_a_static_is_a_variant():
    train = spec(1, leaf("rng", dtype="key<fry>"), static("train", True), fingerprint=program("p"))
    evaluate = spec(2, node("rng", "None"), static("train", False), fingerprint=program("q"))
    assert "structure-flip" not in codes(train, evaluate)
    again = spec(2, node("rng", "None"), static("train", True), form={"rng": "positional", "train": "positional"})
    assert finding("structure-flip", train, again).remedy.startswith("pass a key as `rng` at every call")


def test_dtype_flip_of_several_dtypes_advises_the_one_that_loses_nothing():
    dtypes = ("int32", "uint8", "float32", "bool")
    specs = [spec(number, leaf("x", 3, dtype=dtype)) for number, dtype in enumerate(dtypes, 1)]
    assert finding("dtype-flip", *specs).remedy.endswith("so that every call gets float32")


def test_sharding_flip_names_every_array_to_be_placed():
    placed = {"sharding": "committed to cpu:0", "committed": True}
    found = finding(
        "sharding-flip", spec(1, leaf("w", 3), leaf("n", 3)), spec(2, leaf("w", 3, **placed), leaf("n", 3, **placed))
    )
    assert found.remedy.startswith("place `w` and `n` once, before the first call")


def test_sharding_flip_of_many_placements_does_not_advise_one_of_them():
    places = ("", "committed to cpu:0", "committed to cpu:1")
    specs = [spec(at, leaf("w", 3, sharding=text, committed=bool(text))) for at, text in enumerate(places, 1)]
    assert finding("sharding-flip", *specs).remedy.startswith("place `w` in one way before every call")


def test_call_form_flip():
    found = finding(
        "call-form-flip",
        spec(1, leaf("b", 3), form={"b": "positional"}),
        spec(2, leaf("b", 3), form={"b": "keyword"}),
    )
    assert found.remedy == "write every call of `step` in one form: always pass as positional `b`"


def test_call_form_flip_of_an_array_left_out_does_not_advise_to_write_out_none():
    found = finding(
        "call-form-flip",
        spec(1, leaf("x", 3), form={"x": "positional", "m": "default"}, fingerprint=program("p")),
        spec(2, leaf("x", 3), leaf("m", 3), form={"x": "positional", "m": "keyword"}, fingerprint=program("q")),
    )
    assert found.remedy == (
        "give `m` an array or a number at every call of `step`, and never None; or keep two functions,"
        " one for each case"
    )


def test_call_form_flips_of_several_manners_are_several_findings():
    old = spec(1, leaf("x", 3), form={"x": "positional", "m": "default"}, fingerprint=program("p"))
    named = spec(2, leaf("x", 3), form={"x": "keyword", "m": "default"}, fingerprint=program("p"))
    given = spec(3, leaf("x", 3), form={"x": "keyword", "m": "keyword"}, fingerprint=program("p"))
    found = [one for one in report(old, named, given).findings if one.code == "call-form-flip"]
    assert [(one.path, one.remedy.partition("form: ")[2]) for one in found] == [
        ("x", "always pass as positional `x`"),
        ("m", "always give `m`"),
    ]


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


def test_jit_options_that_jax_derives_from_each_other_are_one_finding():
    both = (("donate_argnums", "0"), ("donate_argnames", "x"))
    assert codes(spec(1, leaf("x", 3)), spec(2, leaf("x", 3), options=both)) == ["jit-options-differ"]
    one = (("donate_argnames", "x"),)
    assert codes(spec(1, leaf("x", 3)), spec(2, leaf("x", 3), options=one)) == ["jit-options-differ"]


def test_cache_cleared():
    specs = [spec(1, leaf("x", 3)), spec(2, leaf("x", 3), notes=("earlier-gone",))]
    assert "1 more trace and 1 more compile" in finding("cache-cleared", *specs).text


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


def test_the_first_compile_of_a_function_that_others_had_traced_is_not_needless():
    inside = spec(1, leaf("x", 3), **NESTED)
    assert codes(inside, spec(2, leaf("x", 4)), spec(3, leaf("x", 4), **NESTED)) == []
    again = finding("shape-churn", inside, *lengths(4, 5, 6, 7))
    assert again.path == "x"


def test_of_a_first_compile_to_the_same_program_the_trace_alone_is_spared():
    inside = spec(1, node("x", "list", "0"), leaf("x[0]", 3), fingerprint=program("p"), **NESTED)
    alone = spec(2, node("x", "tuple", "0"), leaf("x[0]", 3), fingerprint=program("p"))
    assert round(finding("structure-flip", inside, alone).saves_s, 6) == 0.1


def test_objects_of_two_classes_with_two_programs_are_variants():
    some = [
        spec(number, node("mean", kind, ".value"), leaf("mean.value")) for number, kind in ((1, "Mean"), (2, "Fit"))
    ]
    assert report(*some).specializations[1].cause.kind == "structure"
    assert codes(*some) == []


def test_objects_as_statics_are_not_said_to_be_arrays():
    def remedy(*texts):
        some = [spec(number, static("self", 0, text=text, look=text)) for number, text in enumerate(texts)]
        return finding("static-churn", *some).remedy

    assert remedy("CMA(n=1)", "CMA(n=2)", "CMA(n=3)").startswith("make each such object once, and keep them few")
    assert remedy("np.float32(1)", "np.float32(2)", "np.float32(3)").startswith("pass `self` as an array")


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
