"""Which function a person means."""

import pytest
import store_samples as samples

from whyjit.cli import functions
from whyjit.cli.functions import Wanted
from whyjit.errors import WhyjitError
from whyjit.model.finding import Cause, Explained, FunctionReport, Report, Totals
from whyjit.model.recording import Function


def function(name, qualname="", file="/home/u/train.py", line=3, origin="user", numbers=()):
    known = Function(hash((name, qualname, file, line)), name, qualname or name, file, line, origin)
    specs = tuple(Explained(samples.specialization(number), Cause("first")) for number in numbers)
    return FunctionReport(known, specs, (), *[0] * 11)


def report(*found):
    return Report(samples.environment(), (), Totals(*[0] * 9), found)


def refused(*found, name):
    with pytest.raises(WhyjitError) as caught:
        functions.find(report(*found), name)
    return caught.value.message


STEP = function("step", "main.<locals>.step")
METHOD = function("loss", "Model.loss", "/home/u/model.py", 7)
OTHER = function("step", "Other.step", "/home/u/lib/other.py", 9)
LIBRARY = function("step", "optax.step", "/site/optax.py", 5, "library")
LAMBDA = function("<lambda>", "<lambda>", "/home/u/train.py", 20)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("step", Wanted("step")),
        ("step@2", Wanted("step", 2)),
        ("step@1..12", Wanted("step", 1, 12)),
        ("train.py:step@1..2", Wanted("train.py:step", 1, 2)),
        ("<lambda>@3", Wanted("<lambda>", 3)),
        ("a@b", Wanted("a@b")),
        ("step@", Wanted("step@")),
        ("step@1..", Wanted("step@1..")),
    ],
)
def test_a_name_with_numbers_is_taken_apart(text, wanted):
    assert functions.parse(text) == wanted


@pytest.mark.parametrize("name", ["loss", "Model.loss", "model.py:loss", "u/model.py:Model.loss", "model.py:7"])
def test_a_function_is_found_by_name_qualname_and_place(name):
    assert functions.find(report(STEP, METHOD), name) is METHOD


def test_the_end_of_a_qualname_is_enough():
    assert functions.find(report(STEP, METHOD), "main.<locals>.step") is STEP
    assert "no function ocals>.step" in refused(STEP, name="ocals>.step")


def test_the_users_own_goes_before_a_librarys():
    assert functions.find(report(LIBRARY, STEP), "step") is STEP
    assert functions.find(report(LIBRARY), "step") is LIBRARY


def test_several_of_one_name_are_told_apart_by_their_place():
    assert refused(STEP, OTHER, name="step") == (
        "2 functions are called step; name one by its place: other.py:9, train.py:3"
    )
    assert functions.find(report(STEP, OTHER), "other.py:step") is OTHER
    assert functions.find(report(STEP, OTHER), "train.py:3") is STEP
    assert functions.find(report(STEP, LAMBDA), "train.py:20") is LAMBDA


def test_operations_called_one_by_one_are_named_by_their_line():
    eager = function("train.py:12", file="/home/u/train.py", line=12, origin="eager")
    assert functions.find(report(STEP, eager), "train.py:12") is eager


def test_an_unknown_name_lists_near_ones():
    assert refused(STEP, METHOD, name="setp") == "no function setp in this run; did you mean step?"
    assert refused(STEP, function("train_step"), name="STEP").endswith("did you mean step, train_step?")
    assert refused(STEP, METHOD, name="zzz") == "no function zzz in this run; it has loss, step"
    many = [function(f"f{number}") for number in range(30)]
    assert refused(*many, name="zzz").endswith("and 20 more")
    assert refused(name="zzz") == "no function zzz in this run: it recorded no jitted function at all"


def test_a_specialization_is_found_by_its_number():
    known = function("step", numbers=(1, 2))
    assert functions.specialization(known, 2).specialization.number == 2
    with pytest.raises(WhyjitError, match="step has no specialization 3; it has 1 to 2"):
        functions.specialization(known, 3)
    with pytest.raises(WhyjitError, match="none of it was seen"):
        functions.specialization(STEP, 1)
