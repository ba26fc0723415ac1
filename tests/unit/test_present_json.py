"""The JSON keeps its promises: it validates, it is plain, and it says what the design says it says."""

import json

import jsonschema
import msgspec
import present_samples as samples
import pytest

from whyjit.present import json as present_json

VALIDATOR = jsonschema.Draft202012Validator(present_json.schema())


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(present_json.schema())


@pytest.mark.parametrize(
    "built",
    [
        samples.digits, samples.many, samples.flips, samples.failed, samples.calm, samples.stale, samples.nothing,
        samples.hostile, lambda: samples.churn(50),
    ],
)  # fmt: skip
def test_every_report_validates_and_can_be_written(built):
    made = present_json.report_dict(built().report)
    text = json.dumps(made, allow_nan=False, ensure_ascii=False)
    text.encode()
    msgspec.json.encode(made)
    VALIDATOR.validate(json.loads(text))


@pytest.mark.parametrize(
    "damage",
    [
        lambda made: made.pop("totals"),
        lambda made: made.update(version=2),
        lambda made: made["functions"][0].update(origin="elsewhere"),
        lambda made: made["functions"][0]["specializations"][1]["program"].update(delta="big"),
        lambda made: made["functions"][0]["specializations"][0]["arguments"][0].pop("dtype"),
        lambda made: made["functions"][0]["findings"][0].update(evidence="SURE"),
    ],
)
def test_the_schema_notices_damage(damage):
    made = present_json.report_dict(samples.digits().report)
    damage(made)
    assert not VALIDATOR.is_valid(made)


def test_new_keys_are_allowed():
    made = present_json.report_dict(samples.digits().report)
    made["more"] = made["functions"][0]["more"] = 1
    assert VALIDATOR.is_valid(made)


def test_a_specialization_as_the_design_shows_it():
    second = present_json.report_dict(samples.digits().report)["functions"][0]["specializations"][1]
    assert second["number"] == 2
    assert second["stages"] == ["trace", "lower", "compile"]
    assert second["compared_with"] == 1
    assert second["call_site"] == {"file": "digits.py", "line": 72, "function": "main"}
    assert second["arguments"][4] == {
        "path": "images", "role": "array", "shape": [3, 64], "dtype": "float32", "weak_type": False, "sharding": None,
        "committed": False, "holder": "numpy",
    }  # fmt: skip
    assert second["arguments"][6] == {"path": "eta", "role": "static", "value": "1.0", "type": "float"}
    assert second["call_form"]["images"] == "positional"
    assert second["cause"]["kind"] == "shape"
    assert second["cause"]["changes"][0] == {
        "kind": "shape", "path": "images", "old": "f32[64,64]", "new": "f32[3,64]", "note": "",
    }  # fmt: skip
    assert second["program"] == {
        "delta": "shapes", "fingerprint": "p2", "equations": 44, "note": "1/B is a literal that follows from the size",
    }  # fmt: skip


def test_the_first_specialization_is_compared_with_nothing():
    first = present_json.report_dict(samples.digits().report)["functions"][0]["specializations"][0]
    assert (first["compared_with"], first["program"]["delta"], first["cause"]["kind"]) == (None, None, "first")


def test_paths_below_the_working_directory_are_relative():
    made = present_json.report_dict(samples.digits().report)
    files = {function["name"]: function["file"] for function in made["functions"]}
    assert files["train_step"] == "digits.py"
    assert files["_normal"] == f"{samples.LIBRARY}/random.py"


def test_a_failure_keeps_its_remedies_as_text():
    failure = present_json.report_dict(samples.failed().report)["failures"][0]
    assert failure["remedies"][0] == "jnp.where: return jnp.where(x > 0, x, 0.0 * x) (computes both candidates)"
    assert (failure["columns"], failure["expression"], failure["arguments"]) == ([7, 12], "x > 0", ["x"])


def test_ten_thousand_specializations_are_quick_and_small():
    made = present_json.report_dict(samples.churn().report)
    assert len(json.dumps(made)) < 10_000_000
