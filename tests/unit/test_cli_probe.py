"""What `whyjit probe` and `whyjit show --roles` make of their arguments: no process is started, no JAX is needed."""

import json

import msgspec
import pytest
import store_samples as samples

from whyjit import cli, probing
from whyjit.model.probe import Probe
from whyjit.model.program import Fingerprint
from whyjit.model.signature import Static
from whyjit.present.roles_json import schema
from whyjit.probing import Probed
from whyjit.store import runs
from whyjit.store.writer import Writer


@pytest.fixture
def whyjit(capsys):
    def whyjit(*arguments):
        with pytest.raises(SystemExit) as ended:
            cli.main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return whyjit


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """What the experiment is asked for, instead of running it."""
    monkeypatch.chdir(tmp_path)
    found = []

    def run(job, only, **options):
        found.append((job, tuple(only), options))
        return Probed(Probe("step", "", 0, "jitted", (), (), ()))

    monkeypatch.setattr(probing, "run", run)
    return found


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run with two specializations of `step`, which differ in the static `mode`."""
    monkeypatch.chdir(tmp_path)
    folder = runs.create_run(tmp_path / ".whyjit", "train")
    writer = Writer.create(folder, samples.environment())
    first = samples.specialization(1)
    second = samples.specialization(2)
    specs = [with_mode(first, "'sum'"), with_mode(second, "'mean'")]
    writer.write(msgspec.structs.replace(samples.full_batch(), specializations=tuple(specs), final=True))
    writer.close()
    return folder


def with_mode(spec, text):
    signature = samples.specialization(1).signature
    signature = msgspec.structs.replace(signature, statics=(Static("mode", "str", text, text),))
    fingerprint = Fingerprint(text, "l", "s", "t", "k", equations=1)
    return msgspec.structs.replace(spec, signature=signature, fingerprint=fingerprint)


def refused(answer):
    status, out, err = answer
    assert (status, out) == (2, "")
    assert err.startswith("whyjit: ")
    assert err.count("\n") == 1
    return err


def test_the_function_is_in_a_file_or_a_module(whyjit, asked, tmp_path):
    (tmp_path / "train.py").write_text("")
    assert whyjit("probe", "train.py:Net.step", "--args", "(1,), {}", "--only", "shape", "--most", "9")[0] == 0
    assert whyjit("probe", "pkg.train:step", "--vary", "mode='a=b'", "--static", "mode", "--compile")[0] == 0
    (first, only, options), (second, *_) = asked
    assert (first.target.kind, first.target.place, first.target.name) == ("file", "train.py", "Net.step")
    assert first.target.directory == str(tmp_path)
    assert (first.source.kind, first.source.expression) == ("expression", "(1,), {}")
    assert (only, options["most"]) == (("shape",), 9)
    assert (second.target.kind, second.target.place) == ("module", "pkg.train")
    assert (second.source.kind, second.vary) == ("annotations", (("mode", "'a=b'"),))
    assert (second.static, second.compile) == (("mode",), True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no function is named; name it as FILE.py:FUNCTION or MODULE:FUNCTION"),
        (("train",), "train names no function"),
        (("gone.py:f",), "there is no file gone.py"),
        (("a/b:f",), "a/b is neither a Python file nor a module"),
        (("m:f", "--vary", "mode"), "--vary mode is not NAME=EXPR"),
        (("m:f", "--args", "1", "--call", "f@1"), "--args and --call both give the call"),
        (("m:f", "--timeout", "0"), "0.0 is not in the range"),
        (("--call", "nowhere@1"), "nothing has been recorded in .whyjit yet"),
    ],
)
def test_what_makes_no_sense_is_one_line(whyjit, asked, arguments, said):
    assert said in refused(whyjit("probe", *arguments))
    assert asked == []


def test_a_recorded_call_brings_its_signature_and_the_other_values_of_its_statics(whyjit, asked, run):
    place = f"{run}:step@1"
    assert whyjit("probe", "m:step", "--call", place)[0] == 0
    assert whyjit("probe", "m:step", "--call", "step@2")[0] == 0
    (first, *_), (second, *_) = asked
    assert first.source.kind == "recorded"
    assert [static.text for static in first.source.signature.statics] == ["'sum'"]
    assert (first.recorded, second.recorded) == ((("mode", "'mean'"),), (("mode", "'sum'"),))


def test_roles_of_a_recorded_function(whyjit, run):
    jsonschema = pytest.importorskip("jsonschema")
    status, out, err = whyjit("show", "step@1", "--roles")
    assert (status, err) == (0, "")
    assert "inputs of step" in out
    assert "mode" in out
    status, out, _ = whyjit("show", "step@1", run, "--roles", "--json", "-")
    told = json.loads(out)
    jsonschema.validate(told, schema())
    (mode,) = told["statics"]
    assert (mode["path"], mode["value"], mode["tried"]) == ("mode", "'sum'", "'mean'")
    assert (told["source"], mode["delta"]) == ("recorded", "literals")


def test_roles_are_of_one_specialization(whyjit, run):
    assert "--roles is about one specialization" in refused(whyjit("show", "step@1..2", "--roles"))
