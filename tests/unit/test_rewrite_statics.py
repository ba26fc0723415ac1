"""Candidates from a recording alone, made-up arguments, side effects in the source, and the registry of advisers."""

from pathlib import Path

import analyse_builders as build
import pytest

from whyjit.model.advice import Advice, Effort
from whyjit.model.arguments import KeptCall, Made, Node, Plain
from whyjit.model.finding import Report
from whyjit.model.recording import Environment
from whyjit.rewrite.advisers import Context, advise
from whyjit.rewrite.kept import Unavailable, arguments_for
from whyjit.rewrite.statics.candidates import candidates, programs, used
from whyjit.rewrite.statics.doing import reads, side_effect
from whyjit.rewrite.synthetic import describe
from whyjit.store import kept


def specs(*values, fingerprints=None):
    prints = fingerprints or [build.program(number, literals="same") for number in range(len(values))]
    return [
        build.spec(number, build.leaf("x", 3), build.static("s", value), fingerprint=prints[number - 1])
        for number, value in enumerate(values, 1)
    ]


def test_a_static_with_several_values_is_a_candidate():
    (found,) = candidates(specs(0.1, 0.2))
    assert (found.name, found.values, found.numeric) == ("s", ("0.1", "0.2"), True)
    assert candidates(specs(0.1, 0.1)) == []


@pytest.mark.parametrize(
    ("values", "numeric"),
    [((1, 2), True), ((True, False), True), (((1, 2), (3, 4)), True), (("a", "b"), False), ((None, 1), False)],
)
def test_only_numbers_could_be_arguments(values, numeric):
    assert candidates(specs(*values))[0].numeric is numeric


def test_a_nan_is_a_candidate_though_its_text_never_changes():
    assert candidates(specs(float("nan"), float("nan")))


def test_recorded_programs_are_compared_where_only_the_static_differs():
    assert programs(specs(1, 2), "s") == "constants"
    same = build.program("one")
    assert programs(specs(1, 2, fingerprints=[same, same]), "s") == "equal"
    assert programs(specs(1, 2, fingerprints=[build.program("one"), build.program("two")]), "s") == "different"
    two = specs(1, 2)
    other = build.spec(2, build.leaf("x", 4), build.static("s", 2))
    assert programs([two[0], other], "s") == ""


def test_what_failed_or_was_never_called_is_left_out():
    found = build.report(*specs(1, 2), build.spec(3, build.static("s", 3), error="TypeError"))
    assert [spec.number for spec in used(found)] == [1, 2]


def test_made_up_arguments_have_the_recorded_structure():
    signature = build.spec(
        1,
        build.node("batch", "dict", "['x']", "['y']"),
        build.node("batch['y']", "list", "[0]"),
        build.leaf("batch['x']", 4),
        build.leaf("batch['y'][0]", dtype="int32"),
        build.static("mode", "sum"),
        form={"batch": "positional", "mode": "keyword"},
    ).signature
    assert describe(signature) == KeptCall(
        (
            Node(
                "dict",
                (Made((4,), "float32"), Node("list", (Made((), "int32"),))),
                (Plain("'x'"), Plain("'y'")),
            ),
        ),
        (("mode", Plain("'sum'")),),
        kept=False,
    )


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (build.static("s", 1, text="<hidden>"), "not known whole"),
        (build.static("s", 1, type="Config", text="Config(1)"), "not known whole"),
        (build.node("s", "Model", ".w"), "is a Model"),
        (build.leaf("s", holder="other"), "nothing that JAX takes"),
    ],
)
def test_what_cannot_be_made_up_says_why(part, said):
    assert said in describe(build.spec(1, part, form={"s": "positional"}).signature)


def context(tmp_path, *found, only=""):
    report = Report(Environment("3.11", "0.10", "0.10", "cpu"), (), None, tuple(found))
    return Context(report, tmp_path / "1-1.whyjit", tmp_path, only=only)


def test_kept_arguments_come_before_made_up_ones(tmp_path):
    found = build.report(*specs(1, 2))
    run = context(tmp_path, found)
    call = KeptCall((Plain("1"),), nbytes=0)
    kept.write(run.file, 1, 1, call)
    assert arguments_for(run, 1, 1) == call
    assert arguments_for(run, 1, 2).kept is False
    assert isinstance(arguments_for(run, 1, 9), Unavailable)
    assert (run.file.with_suffix(".arguments").stat().st_mode & 0o077) == 0


def test_a_damaged_file_of_arguments_counts_as_none(tmp_path):
    run = context(tmp_path, build.report(*specs(1)))
    kept.write(run.file, 1, 1, KeptCall())
    (kept.folder_of(run.file) / "1-1").write_bytes(b"damage")
    assert arguments_for(run, 1, 1).kept is False
    assert "cannot be read" in kept.read(run.file, 1, 1).missing


EFFECTS = {
    "print(x)": "print",
    "global n": "outside",
    "seen.append(x)": "seen",
    "self.count = 1": "self.count",
    "TABLE[0] = x": "TABLE[0]",
    "y = time.time()": "another answer",
    "y = {}\ny['a'] = x\ny.update(b=x)": "",
    "y = jnp.sin(x)": "",
    "y = x.at[0].set(1)": "",
}


@pytest.mark.parametrize(("body", "said"), EFFECTS.items())
def test_what_a_function_does_besides_computing_is_found(body, said):
    source = "@jax.jit\ndef f(x):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    found = side_effect(source, "f", 1)
    assert said in found
    assert bool(said) is bool(found)


def test_whether_a_body_reads_a_name():
    source = "def f(x, tag, mode):\n    return x if mode else -x\n"
    assert reads(source, 1, "f", "mode")
    assert not reads(source, 1, "f", "tag")
    assert reads("f = lambda x, s: x * s\n", 1, "<lambda>", "s")
    assert not reads("f = lambda x, s: x\n", 1, "<lambda>", "s")


def test_an_optimizers_update_computes_and_a_dictionarys_changes_it():
    computes = "def f(x):\n    updates, state = tx.update(x, state)\n    return tx.update(x)\n"
    assert side_effect(computes, "f", 1) == ""
    assert "changes `table`" in side_effect("def f(x):\n    table.update(a=x)\n    return x\n", "f", 1)


def test_an_effect_in_a_lambda_is_seen():
    assert "changes `seen`" in side_effect("f = lambda x, s: (seen.append(s), x)[1]\n", "main.<locals>.<lambda>", 1)


def test_advice_is_sorted_by_what_it_saves_and_a_fault_takes_nothing_with_it(tmp_path, monkeypatch):
    items = [
        Advice("f", "s", "make-dynamic", "PROVEN", "because", Effort(2, saved + 1.0), Effort(1, 1.0))
        for saved in (1, 3, 2)
    ]
    module = tmp_path / "advising_kinds"
    (module / "good").mkdir(parents=True)
    (module / "bad").mkdir()
    for folder in (module, module / "good", module / "bad"):
        (folder / "__init__.py").write_text("")
    (module / "good" / "propose.py").write_text("ITEMS = []\ndef propose(context):\n    return ITEMS\n")
    (module / "bad" / "propose.py").write_text("def propose(context):\n    raise RuntimeError('broken')\n")
    monkeypatch.syspath_prepend(tmp_path)
    import advising_kinds.good.propose as good

    good.ITEMS += items
    names = ("advising_kinds.bad.propose", "advising_kinds.good.propose", "advising_kinds.missing.propose")
    advised = advise(context(tmp_path), names)
    assert [item.saved for item in advised.items] == [3.0, 2.0, 1.0]
    assert ["broken" in fault for fault in advised.faults] == [True]


def test_functions_of_libraries_and_others_than_asked_for_are_left_out(tmp_path):
    mine, other = build.report(*specs(1)), build.report(*specs(1), name="other")
    library = build.report(*specs(1), origin="library")
    assert [one.function.name for one in context(tmp_path, mine, other, library).functions()] == ["step", "other"]
    assert [one.function.name for one in context(tmp_path, mine, other, only="other").functions()] == ["other"]


def test_the_registry_names_modules_that_exist():
    import importlib

    from whyjit.rewrite.advisers import ADVISERS

    assert all(callable(importlib.import_module(name).propose) for name in ADVISERS)
    assert all(Path(importlib.import_module(name).__file__).is_file() for name in ADVISERS)
