"""The schemas that the package ships: each names its format, says what every key is, and knows every key made."""

from importlib import resources

import jsonschema
import present_failures as failures
import present_samples as samples
import pytest

from whyjit.model.advice import Advice, Effort
from whyjit.present import advice_json, doctor_json, failure_json, function_json, schemas
from whyjit.present import json as report_json

NAMES = sorted(
    file.name.removesuffix(".schema.json")
    for file in resources.files("whyjit.present").iterdir()
    if file.name.endswith(".json")
)


def properties(node, at=""):
    """Every key that a schema knows, with its place."""
    if isinstance(node, list):
        for each in node:
            yield from properties(each, at)
    elif isinstance(node, dict):
        for name, value in node.get("properties", {}).items():
            yield f"{at}.{name}", value
        for name, value in node.items():
            if name in ("properties", "$defs"):
                for key, each in value.items():
                    yield from properties(each, f"{at}.{key}")
            elif name not in ("if", "then"):
                yield from properties(value, at)


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_names_its_format_and_says_what_every_key_is(name):
    schema = schemas.load(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    form = "whyjit" if name == "report" else f"whyjit-{name}"
    assert schema["properties"]["format"]["const"] == form
    assert schema["title"] == f"{form}, version {schema['properties']['version']['const']}"
    assert schema["description"].endswith("Keys are only ever added.")
    assert [place for place, value in properties(schema) if not value.get("description")] == []


def resolved(node, schema):
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].removeprefix("#/$defs/")]
    return node


def unknown(made, schema, node, at=""):
    """The keys of what was made that its schema does not know; of several choices, the one that knows most counts."""
    node = resolved(node, schema)
    if "anyOf" in node:
        return min((unknown(made, schema, each, at) for each in node["anyOf"]), key=len)
    if isinstance(made, list):
        return {key for each in made for key in unknown(each, schema, node.get("items", {}), f"{at}[]")}
    if not isinstance(made, dict) or isinstance(node.get("additionalProperties"), dict):
        return set()
    known = node.get("properties", {})
    found = {f"{at}.{name}" for name in made if name not in known}
    return found.union(*(unknown(made[name], schema, known[name], f"{at}.{name}") for name in made if name in known))


@pytest.mark.parametrize("sample", [samples.digits, samples.many, samples.failed, samples.stale, samples.flips])
def test_the_schema_of_a_report_knows_every_key_that_is_made(sample):
    schema = report_json.schema()
    made = report_json.report_dict(sample().report)
    assert unknown(made, schema, schema) == set()
    made["functions"][0]["specializations"][0]["cause"]["more"] = 1
    assert unknown(made, schema, schema) == {".functions[].specializations[].cause.more"}


@pytest.mark.parametrize("failure", [failures.failure, failures.carry_failure, failures.leak_failure])
def test_the_schema_of_a_report_knows_every_key_of_a_failure(failure):
    schema = report_json.schema()
    assert unknown(failure_json.as_json(failure()), schema, schema["$defs"]["failure"]) == set()


def test_the_other_schemas_know_every_key_that_is_made():
    advice = Advice("step", "rate", "make-dynamic", "TESTED", "why", Effort(2, 1.0), Effort(1, 0.5))
    report = samples.digits().report
    function = report.functions[0]
    for made, schema in (
        (advice_json.advice_dict([advice]), advice_json.schema()),
        (doctor_json.doctor_dict(samples.DOCTOR), doctor_json.schema()),
        (function_json.function_dict(report, function), function_json.function_schema()),
        (function_json.ledger_dict(report, function, ()), function_json.ledger_schema()),
    ):
        jsonschema.validate(made, schema)
        assert unknown(made, schema, schema) == set()
