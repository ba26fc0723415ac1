"""SARIF: the parts of version 2.1.0 that are used, in the order and with the values that the standard asks for."""

import json
from urllib.parse import unquote

import jsonschema
import msgspec
import present_samples as samples
import pytest

from whyjit.present import sarif

# What the standard says of the objects that a log of whyjit's holds. Nothing else may be in them.
TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
HELP = {
    "type": "object", "required": ["text"], "additionalProperties": False,
    "properties": {"text": {"type": "string"}, "markdown": {"type": "string"}},
}  # fmt: skip
LEVEL = {"enum": ["none", "note", "warning", "error"]}
POSITIVE = {"type": "integer", "minimum": 1}
ARTIFACT = {
    "type": "object", "required": ["uri"], "additionalProperties": False,
    "properties": {"uri": {"type": "string", "pattern": "^[!-~]+$"}, "uriBaseId": {"const": "SRCROOT"}},
}  # fmt: skip
LOCATION = {
    "type": "object", "additionalProperties": False,
    "properties": {
        "physicalLocation": {
            "type": "object", "required": ["artifactLocation"], "additionalProperties": False,
            "properties": {
                "artifactLocation": ARTIFACT,
                "region": {
                    "type": "object", "required": ["startLine"], "additionalProperties": False,
                    "properties": dict.fromkeys(["startLine", "startColumn", "endLine", "endColumn"], POSITIVE),
                },
            },
        },
        "logicalLocations": {
            "type": "array",
            "items": {
                "type": "object", "required": ["fullyQualifiedName"], "additionalProperties": False,
                "properties": {"fullyQualifiedName": {"type": "string"}, "kind": {"const": "function"}},
            },
        },
    },
}  # fmt: skip
RULE = {
    "type": "object", "required": ["id"], "additionalProperties": False,
    "properties": {
        "id": {"type": "string"}, "name": {"type": "string", "pattern": "^[A-Z][A-Za-z]*$"},
        "shortDescription": TEXT, "fullDescription": TEXT, "help": HELP,
    },
}  # fmt: skip
RESULT = {
    "type": "object", "required": ["message", "ruleId", "ruleIndex"], "additionalProperties": False,
    "properties": {
        "ruleId": {"type": "string"}, "ruleIndex": {"type": "integer", "minimum": 0}, "level": LEVEL, "message": TEXT,
        "locations": {"type": "array", "items": LOCATION}, "properties": {"type": "object"},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}  # fmt: skip
LOG = {
    "type": "object", "required": ["version", "runs"], "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"}, "version": {"const": "2.1.0"},
        "runs": {"type": "array", "minItems": 1, "items": {
            "type": "object", "required": ["tool", "results"], "additionalProperties": False,
            "properties": {
                "tool": {"type": "object", "required": ["driver"], "properties": {"driver": {
                    "type": "object", "required": ["name"], "additionalProperties": False,
                    "properties": {
                        "name": {"const": "whyjit"}, "version": {"type": "string"},
                        "rules": {"type": "array", "uniqueItems": True, "items": RULE},
                    },
                }}},
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "originalUriBaseIds": {"type": "object", "additionalProperties": {
                    "type": "object", "required": ["uri"], "properties": {"uri": {"pattern": "^file:///.*/$"}},
                }},
                "invocations": {"type": "array", "items": {
                    "type": "object", "required": ["executionSuccessful"], "additionalProperties": False,
                    "properties": {
                        "executionSuccessful": {"type": "boolean"},
                        "arguments": {"type": "array", "items": {"type": "string"}},
                        "toolExecutionNotifications": {"type": "array", "items": {
                            "type": "object", "required": ["message"], "properties": {"message": TEXT, "level": LEVEL},
                        }},
                    },
                }},
                "results": {"type": "array", "items": RESULT},
            },
        }},
    },
}  # fmt: skip
SAMPLES = [
    samples.digits, samples.many, samples.flips, samples.failed, samples.calm, samples.stale, samples.nothing,
    samples.hostile,
]  # fmt: skip


def run(built, **more):
    return json.loads(sarif.render(built.report, **more))["runs"][0]


@pytest.mark.parametrize("built", SAMPLES)
def test_every_log_keeps_to_the_standard(built):
    text = sarif.render(built().report, page_of=lambda code: f"# {code}", version="1.0")
    text.encode()
    log = json.loads(text)
    jsonschema.validate(log, LOG)
    made = log["runs"][0]
    rules = made["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in made["results"]] == [
        result["ruleId"] for result in made["results"]
    ]


def test_a_finding_stands_at_its_line():
    made = run(samples.digits(), page_of=lambda code: f"# the page of {code}")
    first = made["results"][0]
    assert (first["ruleId"], first["level"]) == ("static-is-data", "warning")
    assert first["message"]["text"].startswith("'eta' is static and changed on 19 of 20 epochs")
    assert "Pass 'eta' as an array" in first["message"]["text"]
    place = first["locations"][0]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "digits.py", "uriBaseId": "SRCROOT"}, "region": {"startLine": 51},
    }  # fmt: skip
    assert place["logicalLocations"][0]["fullyQualifiedName"] == "train_step"
    assert first["properties"] == {"evidence": "PROVEN", "saves_s": 7.4}
    assert made["originalUriBaseIds"]["SRCROOT"]["uri"] == "file:///srv/ada/digits/"
    rule = made["tool"]["driver"]["rules"][0]
    assert (rule["id"], rule["name"]) == ("static-is-data", "StaticIsData")
    assert rule["help"]["markdown"] == "# the page of static-is-data"
    assert rule["fullDescription"]["text"]


def test_an_error_marks_its_expression():
    built = samples.failed()
    (failure,) = built.report.failures
    (result,) = run(built)["results"]
    assert (result["ruleId"], result["level"]) == ("branch-on-value", "error")
    region = result["locations"][0]["physicalLocation"]["region"]
    line = next(line.text for line in failure.source_lines if line.number == failure.line)
    assert region["startLine"] == region["endLine"] == failure.line
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == failure.expression


def test_wrong_results_are_errors():
    (result,) = run(samples.stale())["results"]
    assert (result["ruleId"], result["level"]) == ("stale-constant", "error")


def test_fingerprints_outlast_moved_lines_and_tell_subjects_apart():
    built = samples.digits()
    (step, *rest) = built.report.functions
    replace = msgspec.structs.replace
    moved = replace(
        step,
        findings=tuple(
            replace(each, location=replace(each.location, line=each.location.line + 9)) for each in step.findings
        ),
    )

    def prints(functions):
        made = run(built._replace(report=replace(built.report, functions=tuple(functions))))
        return [result["partialFingerprints"]["whyjit/v1"] for result in made["results"]]

    before = prints([step, *rest])
    assert prints([moved, *rest]) == before
    assert len(set(before)) == len(before)


def test_signs_that_mean_something_are_escaped():
    made = run(samples.hostile())
    for result in made["results"]:
        text = result["message"]["text"]
        assert "](javascript" not in text.replace("\\](", "")
        for place in result["locations"]:
            uri = place["physicalLocation"]["artifactLocation"]["uri"]
            assert "<" not in uri
            assert "<script>" in unquote(uri)
    braces = with_text("{'a': 1} and `x`")
    assert braces.startswith("{{'a': 1}} and 'x'")


def with_text(text):
    built = samples.stale()
    (function,) = built.report.functions
    finding = msgspec.structs.replace(function.findings[0], text=text)
    function = msgspec.structs.replace(function, findings=(finding,))
    report = msgspec.structs.replace(built.report, functions=(function,))
    return run(built._replace(report=report))["results"][0]["message"]["text"]


def test_what_could_not_be_observed_is_told():
    (invocation,) = run(samples.digits())["invocations"]
    assert invocation["executionSuccessful"] is True
    assert invocation["arguments"] == ["digits.py", "--epochs", "20"]
    assert "hits of thread 7" in invocation["toolExecutionNotifications"][0]["message"]["text"]
