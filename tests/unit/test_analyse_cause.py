"""The cause of a specialization: never a wrong one, and where nothing is known, that."""

import pytest
from analyse_builders import capture, leaf, node, program, report, spec, stages, static


def cause(*specs):
    return report(*specs).specializations[-1].cause


def test_first():
    assert cause(spec(1, leaf("x", 3))).kind == "first"


def test_kind_is_that_of_the_most_telling_change():
    made = cause(spec(1, leaf("x", 3), static("n", 1)), spec(2, leaf("x", 4), static("n", 2)))
    assert made.kind == "static"
    assert [change.kind for change in made.changes] == ["static", "shape"]
    assert made.text == "static `n` changed from 1 to 2; `x` changed from f32[3] to f32[4]"


def test_more_than_three_changes_are_counted_in_the_sentence():
    old = spec(1, *(leaf(name, 3) for name in "abcde"))
    new = spec(2, *(leaf(name, 4) for name in "abcde"))
    assert cause(old, new).text.endswith("; and 2 more")


def test_the_same_key_whose_program_is_gone_was_cleared():
    assert cause(spec(1, leaf("x", 3)), spec(2, leaf("x", 3), notes=("earlier-gone",))).kind == "cleared"


def test_the_same_key_whose_program_was_alive_is_not_called_cleared():
    assert cause(spec(1, leaf("x", 3)), spec(2, leaf("x", 3), notes=("earlier-alive",))).kind == "unknown"


def test_without_evidence_nothing_is_called_cleared():
    """The observer saw another key and the analysis sees no difference: something that is not recorded differs."""
    assert cause(spec(1, leaf("x", 3)), spec(2, leaf("x", 3))).kind == "unknown"


def test_an_operation_is_not_called_cleared_for_its_other_parameters():
    made = cause(spec(1, leaf("x", 3), operation="reshape"), spec(2, leaf("x", 3), operation="reshape"))
    assert made.kind == "unknown"
    assert "parameters" in made.text


def test_compiled_again_without_a_trace_and_without_a_difference():
    assert cause(spec(1, leaf("x", 3)), spec(2, leaf("x", 3), stages=stages(trace=False))).kind == "unknown"


def test_same_key_after_an_error():
    made = cause(spec(1, leaf("x", 3), error="TypeError"), spec(2, leaf("x", 3)))
    assert made.kind == "retry_after_error"
    assert made.changes[0].old == "TypeError"


def test_other_arguments_after_an_error_are_the_cause():
    assert cause(spec(1, leaf("x", 3), error="TypeError"), spec(2, leaf("x", 4))).kind == "shape"


def test_statics_of_classes_with_odd_equality():
    odd = static("cfg", "Cfg(n=2)", type="Cfg")
    made = cause(spec(1, odd), spec(2, odd, notes=("earlier-alive",)))
    assert (made.kind, made.changes[0].path) == ("static_identity", "cfg")
    assert "__eq__" in made.text


def test_statics_that_hold_arrays_are_not_said_to_look_the_same():
    odd = static("taps", "Taps(f32[3])", type="Taps", note="array contents are not compared")
    made = cause(spec(1, odd), spec(2, odd, notes=("earlier-alive",)))
    assert made.text.startswith("static `taps` holds arrays, whose contents were not compared, and its __eq__")


def test_plain_statics_are_not_suspected():
    plain = static("n", 2)
    assert cause(spec(1, plain), spec(2, plain, notes=("earlier-alive",))).kind == "unknown"


def test_new_function_with_another_program_read_something_else():
    old = spec(1, leaf("x", 3), maker=1, fingerprint=program(1, literals="l"))
    new = spec(2, leaf("x", 3), maker=2, fingerprint=program(2, literals="l"))
    made = cause(old, new)
    assert (made.kind, made.changes[0].path) == ("function", None)
    assert "read a global or an attribute" in made.text


def test_new_function_with_the_identical_program_says_that_nothing_differs():
    old, new = (spec(number, leaf("x", 3), maker=number, fingerprint=program("p")) for number in (1, 2))
    assert "nothing differs" in cause(old, new).text


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            spec(1, maker=1, captures=(capture("lr", "0.1"),)),
            spec(2, maker=2, captures=(capture("lr", "0.2"),)),
            "a new function object whose `lr` changed from 0.1 to 0.2",
        ),
        (
            spec(1, leaf("b", 3), form={"b": "positional"}),
            spec(2, leaf("b", 3), form={"b": "keyword"}),
            "`b` was positional, now keyword",
        ),
        (
            spec(1, leaf("x", weak_type=True)),
            spec(2, leaf("x")),
            "`x` changed its weak type: ~f32[] to f32[]",
        ),
        (
            spec(1, node("p", "dict", "['a']"), leaf("p['a']", 3)),
            spec(2, node("p", "dict", "['a']", "['b']"), leaf("p['a']", 3), leaf("p['b']", 3)),
            "`p` changed from dict with ['a'] to dict with ['a'], ['b']: p['b'] is new",
        ),
        (
            spec(1, options=(("donate_argnums", "0"),)),
            spec(2),
            "jit option donate_argnums changed from 0 to default",
        ),
        (
            spec(1, context=(("jax_enable_x64", "False"),)),
            spec(2, context=(("jax_enable_x64", "True"),)),
            "jax_enable_x64 changed from False to True",
        ),
        (
            spec(1, leaf("x", 3)),
            spec(2, leaf("x", 3, sharding="committed to cpu:1", committed=True)),
            "`x` was not committed to a device, now committed to cpu:1",
        ),
        (
            spec(1, static("f", "f", look="f", identity="1")),
            spec(2, static("f", "f", look="f", identity="2")),
            "static `f` looks the same, but is compared by identity and is another object",
        ),
    ],
)
def test_sentences(old, new, sentence):
    assert cause(old, new).text == sentence


def test_another_array_that_a_function_captured_is_not_a_change_of_type():
    old = spec(1, maker=1, captures=(capture("mask", "bool[4]", identity=" arrays 1"),))
    new = spec(2, maker=2, captures=(capture("mask", "bool[4]", identity=" arrays 2"),))
    assert cause(old, new).text == "a new function object whose `mask` is another array (bool[4])"


def test_a_long_static_is_told_by_what_changed_in_it():
    long = "Config(" + "x" * 200 + "…"
    old = spec(1, static("cfg", "a", text=long, parts=((".at", "1"),)))
    new = spec(2, static("cfg", "b", text=long, parts=((".at", "2"),)))
    assert cause(old, new).text == "static `cfg` changed (at: 1 -> 2)"
    other = spec(2, static("cfg", "c", text=long, parts=((".at", "1"),)))
    assert cause(old, other).text == "static `cfg` changed (in a part that its text does not show)"
    more = spec(2, static("cfg", "c", text=long, parts=((".at", "1"), (".tag", "'q'"))))
    assert cause(old, more).text == "static `cfg` changed (tag is new)"


def test_one_that_existed_before_the_recording_has_no_cause():
    assert cause(spec(1, leaf("x", 3)), spec(2, leaf("x", 4), stages=(), earlier=True)).kind == "first"
