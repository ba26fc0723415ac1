"""`whyjit show` on programs made by hand: no JAX is needed."""

import json

import jsonschema
import msgspec
import pytest
import store_samples as samples

from whyjit import cli
from whyjit.model.program import Equation, Fingerprint, Place, Program, Variable
from whyjit.model.recording import Unrolled
from whyjit.present.program_json import schema
from whyjit.store import programs, runs
from whyjit.store.writer import Writer

BODY = Program(("f32[4]",), (), (Equation("tanh", (Variable(0),), (1,), ("f32[4]",)),), (Variable(1),))


def program(file, size, extra=()):
    """`x + 2` in a helper, then a scan whose body is one equation, then what `extra` names."""
    places = (Place(file, 5, "step"), Place(file, 2, "add", 0), Place(file, 6, "step"))
    aval = f"f32[{size}]"
    equations = [
        Equation("add", (Variable(0), Variable(0)), (1,), (aval,), (), (), file, 2, 1),
        Equation("scan", (Variable(1),), (2,), (aval,), (("length", "3"),), (("jaxpr", BODY),), file, 6, 2),
    ]
    for at, name in enumerate(extra):
        equations.append(Equation(name, (Variable(2 + at),), (3 + at,), (aval,), (), (), file, 6, 2))
    return Program((aval,), (), tuple(equations), (Variable(2 + len(extra)),), places)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run with two specializations of `step`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    file = str(tmp_path / "train.py")
    (tmp_path / "train.py").write_text(
        "def add(x):\n    return x + x\n\ndef step(x):\n    y = add(x)\n    return scan(y)\n"
    )
    folder = runs.create_run(tmp_path / ".whyjit", "train")
    environment = msgspec.structs.replace(samples.environment(), directory=str(tmp_path), started=2e9)
    writer = Writer.create(folder, environment)
    loop = Unrolled(file, 5, "step", 20, 40)
    specs = tuple(
        msgspec.structs.replace(samples.specialization(number), program=f"p{number}", unrolled=(loop,))
        for number in (1, 2)
    )
    kept = (("p1", programs.encode(program(file, 4))), ("p2", programs.encode(program(file, 8, ("neg",)))))
    batch = samples.full_batch()
    writer.write(
        msgspec.structs.replace(batch, environment=environment, specializations=specs, programs=kept, final=True)
    )
    writer.close()
    return folder


@pytest.fixture
def show(capsys):
    def show(*arguments):
        with pytest.raises(SystemExit) as ended:
            cli.main(["show", *arguments])
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return show


def shown(answer):
    status, out, err = answer
    assert (status, err) == (0, "")
    return out


def refused(answer):
    status, out, err = answer
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    return err


def test_programs_inside_are_folded(show, run):
    said = shown(show("step@1"))
    assert "3 equations, 1 of them in programs that are folded; --unfold shows them" in said
    assert "scan[length=3] b  {jaxpr: 1 equation}" in said
    assert "tanh" not in said


def test_unfold_shows_them(show, run):
    said = shown(show("step@1", "--unfold"))
    assert "tanh" in said
    assert "{jaxpr" not in said


def test_the_source_stands_beside_its_equations(show, run):
    said = shown(show("step@1"))
    (line,) = [line for line in said.split("\n") if "add a a" in line]
    assert line.endswith("train.py:2  return x + x")


def test_a_narrow_terminal_has_it_above(show, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    lines = shown(show("step@1")).split("\n")
    (place,) = [at for at, line in enumerate(lines) if "add a a" in line]
    assert lines[place - 1].strip() == "# train.py:2  return x + x"


def test_the_difference_has_the_source_of_both(show, run):
    said = shown(show("step@1..2"))
    assert "2 equations differ (2 in sizes); 1 equation only in the second; the inputs differ" in said
    assert "# train.py:6  return scan(y)" in said
    assert "+   d:f32[8] = neg c" in said


def test_source_that_changed_since_is_said_to_have(show, run, tmp_path):
    import os

    os.utime(tmp_path / "train.py", (2.1e9, 2.1e9))
    assert "train.py has changed since it was recorded: its lines are shown as they are now" in " ".join(
        shown(show("step@1")).split()
    )


def test_by_line_is_a_tree_of_calls(show, run):
    lines = shown(show("step@1", "--by-line")).split("\n")
    rows = [line.split() for line in lines if "train.py:" in line and "equations" not in line and "Python" not in line]
    assert [row[:-1][:3] for row in rows][:1] == [["2", "train.py:6", "step"]]
    assert ["1", "0", "train.py:5", "step"] in [row[:4] for row in rows]
    assert ["1", "train.py:2", "add"] in [row[:3] for row in rows]
    assert "The Python loop at train.py:5 in step was unrolled" in " ".join(lines)


@pytest.mark.parametrize(
    ("arguments", "form"),
    [(("step@1",), "program"), (("step@1..2",), "difference"), (("step@1", "--by-line"), "lines")],
)
def test_json_fits_its_schema(show, run, arguments, form):
    made = json.loads(shown(show(*arguments, "--json", "-")))
    jsonschema.Draft202012Validator(schema()).validate(made)
    assert form in made


def test_json_has_the_calls_that_led_to_an_equation(show, run):
    made = json.loads(shown(show("step@1", "--json", "-")))
    calls = [(call["line"], call["function"]) for call in made["program"]["equations"][0]["calls"]]
    assert calls == [(5, "step"), (2, "add")]


@pytest.mark.parametrize("option", [("--by-line",), ("--stage", "hlo"), ("--cost",)])
def test_some_things_are_about_one_program(show, run, option):
    assert "name it as FUNCTION@N" in refused(show("step@1..2", *option))


def test_a_later_stage_needs_a_fingerprint_to_compare_with(show, run, tmp_path):
    assert "could not be compared with it" in refused(show("step@1", "--stage", "hlo"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"qualname": "main.<locals>.step"}, "made inside another function"),
        ({"origin": "eager"}, "operations that JAX was called for one by one"),
    ],
)
def test_what_cannot_be_staged_again_is_refused_with_the_reason(change, said):
    from whyjit.errors import WhyjitError
    from whyjit.experiment import stages
    from whyjit.model.recording import Function

    made = msgspec.structs.replace(
        samples.specialization(1), fingerprint=Fingerprint("w", "l", "s", "t", "k", equations=3)
    )
    function = msgspec.structs.replace(Function(1, "step", "step", "train.py", 3, "user"), **change)
    with pytest.raises(WhyjitError, match=said):
        stages.staged(function, made, samples.environment(), stage="hlo")
