"""The JSON of programs fits its schema, in each of its forms."""

import jsonschema
import pytest
from present_samples import DIRECTORY, SOURCE, program

from whyjit.analyse.align import align
from whyjit.analyse.lines import by_line
from whyjit.model.recording import Function, Unrolled
from whyjit.present.program_json import ProgramJson, schema

VALIDATOR = jsonschema.Draft202012Validator(schema())
MAKER = ProgramJson(SOURCE, DIRECTORY)
FUNCTION = Function(1, "step", "Model.step", f"{DIRECTORY}/digits.py", 3, "user")
HEAD = MAKER.head(FUNCTION, [1], ["a note"])
STAGED = MAKER.staged(
    "hlo",
    text="HloModule step",
    jax="0.10.2",
    platform="cpu",
    lowered=[("flops", 3.0)],
    compiled=[],
    memory=[("temp_size_in_bytes", 8)],
    missing=["no cost analysis after XLA's passes on this platform"],
)
FORMS = {
    "program": MAKER.program(program()),
    "difference": MAKER.difference(align(program(), program(3, "0.05", extra=True))),
    "lines": MAKER.lines(by_line(program())),
    "unrolled": [MAKER.unrolled(Unrolled(f"{DIRECTORY}/digits.py", 4, "step", 12, 48))],
    "staged": STAGED,
}


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("form", FORMS)
def test_each_form_fits_the_schema(form):
    VALIDATOR.validate({**HEAD, form: FORMS[form]})


@pytest.mark.parametrize("form", FORMS)
def test_the_schema_notices_damage(form):
    made = FORMS[form]
    first = made[0] if isinstance(made, list) else made
    damaged = {**first, next(iter(first)): 1.5}
    damaged = [damaged] if isinstance(made, list) else damaged
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate({**HEAD, form: damaged})


@pytest.mark.parametrize("form", ["program", "difference", "lines", "staged"])
def test_new_keys_are_allowed(form):
    VALIDATOR.validate({**HEAD, "more": 1, form: {**FORMS[form], "more": 1}})


def test_an_equation_names_its_source_and_its_operands():
    first = FORMS["program"]["equations"][0]
    assert first["primitive"] == "mul"
    assert first["source"] == {"file": "digits.py", "line": 55, "text": "y = (x * eta) @ w"}
    assert first["inputs"] == [{"variable": 0}, {"literal": "0.1", "type": "f32[]"}]


def test_a_difference_says_what_differs():
    first = FORMS["difference"]["rows"][0]
    assert first["differs"] == ["literal", "size"]
    assert first["operands_differ"] == [1]
    assert not FORMS["difference"]["same"]
