"""`whyjit learn`: the dialogue, with programs that are not run."""

import sys

import pytest
from click.testing import CliRunner

from whyjit import cli
from whyjit.lesson import catalogue, grading, progress, running, source
from whyjit.lesson.model import Exercise, Prediction, Program, Question
from whyjit.lesson.seen import Remark


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """An empty folder, and programs that print their name."""
    monkeypatch.chdir(tmp_path)
    ledger = [1, 1, 2, 2, 3, 3]

    def run(program, ledgers=()):
        ended = running.Ended(0, f"ran {program.name}\n", "")
        return [running.Ran(ended, {}, {}, dict.fromkeys(ledgers, ledger))] * program.times

    monkeypatch.setattr(running, "run", run)
    return tmp_path


def learn(*arguments, typed=""):
    done = CliRunner().invoke(cli.command, ["learn", *map(str, arguments)], input=typed)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done.exit_code, done.output


def refused(*arguments, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["whyjit"])
    with pytest.raises(SystemExit) as ended:
        cli.main(["learn", *map(str, arguments)])
    assert ended.value.code == 2
    return capsys.readouterr().err


def answers(part):
    """What somebody types who gets everything right."""
    typed = []
    for step in part.steps:
        match step:
            case Program():
                predicted = any(isinstance(each, Prediction) and each.program == step.name for each in part.steps)
                typed += [] if predicted else [""]
            case Prediction():
                typed += ["1", "1", "2", "2", "3", "3"]
            case Question():
                typed.append(source.LETTERS[step.answer])
            case Exercise():
                typed.append("")
    return typed


def test_the_whole_lesson_can_be_walked_through(place):
    typed = "\n\n".join("\n".join(answers(part)) for part in source.parts()) + "\n"
    status, out = learn(typed=typed)
    assert status == 0
    assert out.rstrip().endswith("That was the lesson.")
    assert "is right." in out
    assert "Not " not in out
    assert "All as you said." in out
    assert (place / "foundation.py").read_text() == catalogue.find("foundation").text("starter.py")


def test_it_goes_on_where_one_stopped():
    status, out = learn(typed="\nq\n")
    assert status == 0
    assert "ran wall" in out
    assert "Go on with: whyjit learn" in out
    status, out = learn(typed="b\n")
    assert "ran wall" not in out
    assert "b is right." in out
    assert progress.load().answers == {"wall-when": "b"}


def test_the_reasoning_is_shown_after_the_answer_only():
    question = next(step for step in source.parts()[0].steps if isinstance(step, Question))
    reason = question.reasoning.split()[:3]
    _, out = learn(typed="\nx\nh\nh\nh\na\nq\n")
    before, after = out.split("Not a: b is right.")
    assert " ".join(reason) not in before
    assert " ".join(reason) in after
    assert "Write a letter from a to c" in before
    assert before.count("Hint:") == len(question.hints)
    assert "There are no more hints." in before


def test_a_prediction_is_compared_with_the_ledger():
    learn(3, typed="q\n")
    _, out = learn(3, typed="1\nmany\n2\n3\n3\n4\n4\nq\n")
    assert "Write a number" in out
    assert "5 of 6 are otherwise." in out
    assert "ran rows" in out


def test_a_part_may_be_chosen_and_the_list_says_where_one_is():
    _, out = learn(2, typed="q\n")
    assert "2. Three roles" in out
    _, out = learn("--list")
    assert "2. Three roles (8 min)  <- you are here" in out
    assert "exercise 1: A reduction selected by a mode (Foundation)" in out


def test_a_starter_is_written_and_never_over_ones_work(place, monkeypatch, capsys):
    status, out = learn("starter", 2, "mine.py")
    assert status == 0
    assert "whyjit learn check 2 mine.py" in out
    assert (place / "mine.py").read_text() == catalogue.find("practice").text("starter.py")
    assert "exists already" in refused("starter", 2, "mine.py", monkeypatch=monkeypatch, capsys=capsys)


@pytest.mark.parametrize("passed", [True, False])
def test_a_check_is_told_and_kept(place, monkeypatch, passed):
    grade = grading.Grade(passed, (Remark("note", "the ledger shows"), Remark("right" if passed else "wrong", "so")))
    monkeypatch.setattr(grading, "check", lambda task, file: grade)
    status, out = learn("check", "practice", "any.py")
    assert status == (0 if passed else 1)
    assert "-- the ledger shows" in out
    assert ("passed." if passed else "not yet.") in out
    assert progress.load().passed == (["practice"] if passed else [])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((9,), "there is no part 9"),
        (("check", "7", "x.py"), "there is no exercise '7'"),
        (("check", "1"), "write: whyjit learn"),
        (("begin",), "write: whyjit learn"),
        (("check", "1", "none.py"), "there is no file none.py"),
    ],
)
def test_what_is_not_there_is_named(arguments, said, monkeypatch, capsys):
    assert said in refused(*arguments, monkeypatch=monkeypatch, capsys=capsys)
