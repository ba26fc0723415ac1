"""The matrix of specializations: what differs stays in sight, however long the values are."""

import msgspec
import present_samples as samples
import pytest
from present_builders import FIRST, function_report, signature, static
from present_samples import Explained, Specialization

from whyjit.model.finding import Cause, Change
from whyjit.model.recording import Function
from whyjit.model.signature import CallForm
from whyjit.model.source import Location
from whyjit.present.compose.matrix import matrix

SITE = Location("/home/me/train.py", 9, "main")


def cells(*statics, note=""):
    """The column of one static argument, and the causes, of a function that was called with these values."""
    function = Function(1, "step", "step", "/home/me/train.py", 3, "user")
    made = []
    for number, given in enumerate(statics, 1):
        spec = Specialization(1, number, signature([], [given]), SITE)
        change = Cause("static", (Change("static", "opt", "", "", note),))
        made.append(Explained(spec, FIRST) if number == 1 else Explained(spec, change, number - 1))
    table = matrix(function_report(function, made), "/home/me")
    at = [column.title for column in table.columns].index("opt")
    text = [["".join(span.text for span in row.cells[place]) for row in table.rows] for place in (at, -1)]
    return text[0], text[1]


def test_of_two_long_values_what_differs_is_in_sight():
    begin, end = "Config(" + "a=1, " * 20, ", " + "z=2, " * 20 + ")"
    values, _ = cells(*(static("opt", f"{begin}rate={rate}{end}") for rate in ("0.1", "0.25")))
    assert "rate=0.25" in values[1]
    assert len(values[1]) <= 36


@pytest.mark.parametrize("identities", [("#3", "#4"), ("#3,4,5", "#6,7,5")])
def test_objects_that_look_alike_are_told_apart_by_their_numbers(identities):
    look = "GradientTransformationExtraArgs(init=<function>, update=<function>)"
    values, _ = cells(*(msgspec.structs.replace(static("opt", look), identity=each) for each in identities))
    numbers = ["#3", "#4"] if identities[0] == "#3" else ["#1", "#2"]
    assert [value.rpartition(" ")[2] for value in values] == numbers
    assert all(value.startswith("'Gradient") for value in values)


def test_the_cause_says_where_in_an_object_it_changed():
    _, causes = cells(static("opt", "a"), static("opt", "b"), note="tx.step_size: -0.1 -> -0.05")
    assert causes == ["first call", "static opt (tx.step_size: -0.1 -> -0.05)"]


def test_a_static_that_is_left_out_is_shown_with_its_default():
    form = CallForm((("opt", "default"),), (static("opt", "relu"),))
    function = Function(1, "step", "step", "/home/me/train.py", 3, "user")
    calls = (msgspec.structs.replace(signature(), form=form), signature([], [static("opt", "gelu")]))
    made = [Explained(Specialization(1, number, each, SITE), FIRST) for number, each in enumerate(calls, 1)]
    table = matrix(function_report(function, made), "/home/me")
    at = next(place for place, column in enumerate(table.columns) if column.title.startswith("opt"))
    assert [row.cells[at][0].text for row in table.rows] == ["'relu'", "'gelu'"]


def test_the_samples_have_their_matrix():
    first = samples.digits().report.functions[0]
    assert [column.title for column in matrix(first, "").columns][3:5] == ["eta", "images (+1)"]
