"""A failure as plain text and as JSON."""

from __future__ import annotations

import json

import pytest

from whyjit.model.failure import Failure, Given, InnerArguments, Leak, Mismatch, Remedy, SourceLine, Step
from whyjit.present import compose, markdown
from whyjit.present.failure_json import as_json
from whyjit.present.failure_text import render

FILE = "/project/train.py"


def failure(**changes):
    fields = {
        "error": "TracerBoolConversionError",
        "code": "branch-on-value",
        "function": "step",
        "file": FILE,
        "line": 7,
        "end_line": 7,
        "columns": (7, 18),
        "end_column": 18,
        "expression": "loss < best",
        "source_lines": (
            SourceLine(6, "    loss = jnp.sum(w)"),
            SourceLine(7, "    if loss < best:"),
            SourceLine(8, "        return w"),
        ),
        "asked": "a Python bool: `if` takes one of two paths",
        "called": "train",
        "arguments": ("w", "best"),
        "argument_types": ("float32[3]", ""),
        "inner_arguments": (InnerArguments("step", "jit", ("w",)),),
        "chain": (Step("reduce_sum", "jnp.sum(w)", FILE, 6), Step("lt", "loss < best", FILE, 7)),
        "operations": 2,
        "nature": "data",
        "nature_evidence": "it is computed from the elements of w (float32[3])",
        "remedies": (Remedy("jnp.where", "jnp.where(loss < best, a, b)", "computes both candidates"),),
        "text": "`loss < best` is traced.",
        "notes": ("something is not known",),
    }  # fmt: skip
    return Failure(**{**fields, **changes})


WHOLE = """\
branch-on-value: TracerBoolConversionError in step, train.py:7

  6 |     loss = jnp.sum(w)
  7 |     if loss < best:
    |        ^^^^^^^^^^^
  8 |         return w

  asked for   a Python bool: `if` takes one of two paths
  comes from  w (float32[3]), best, arguments of train
  through     w of step (jit)
  by way of   jnp.sum(w)  line 6  (reduce_sum)
              loss < best  line 7  (lt)
  it is       data: it is computed from the elements of w (float32[3])

What to do:
  1. jnp.where: jnp.where(loss < best, a, b)
     cost: computes both candidates

note: something is not known
"""


def test_the_order_of_what_is_said():
    assert render(failure(), "/project") == WHOLE


def test_an_expression_over_several_lines_is_underlined_in_each():
    lines = (SourceLine(7, "    if (loss"), SourceLine(8, "            < best):"))
    text = render(failure(line=7, end_line=8, columns=(8, 12), end_column=18, source_lines=lines))
    assert "  7 |     if (loss\n    |         ^^^^\n  8 |             < best):\n    |             ^^^^^^\n" in text


def test_wide_characters_and_tabs_are_underlined_where_they_stand():
    lines = (SourceLine(7, "\tx = '日本' if t else 1"),)
    text = render(failure(columns=(13, 14), end_column=14, source_lines=lines))
    assert "  7 |     x = '日本' if t else 1\n    |                   ^\n" in text


def test_a_long_chain_is_cut_in_its_middle():
    chain = tuple(Step("add", f"x + {n}", FILE, n) for n in range(24))
    text = render(failure(chain=chain, operations=6000))
    assert "... 5992 more ..." in text
    assert "x + 0  line 0" in text
    assert "x + 23  line 23" in text
    assert "x + 12" not in text


def test_leak():
    leak = Leak("run", Step("mul", "a * 2", FILE, 3), "self.mean", Step("", "self.mean = a * 2", FILE, 3))
    text = render(failure(leak=leak, arguments=(), chain=(), inner_arguments=()), "/project")
    assert "  leaked from the trace of run\n" in text
    assert "  made by     a * 2  train.py:3\n" in text
    assert "  kept in     self.mean, by self.mean = a * 2  train.py:3\n" in text


def test_mismatch():
    one = Mismatch("c[1]", "int32[]", "float32[]", "the dtypes do not match", None, Step("", "n + 1.0", FILE, 3))
    text = render(failure(mismatches=(one,)), "/project")
    assert "  leaf        c[1]\n  is          int32[]\n  becomes     float32[], by n + 1.0  train.py:3\n" in text


def test_control_characters_do_no_harm():
    text = render(failure(function="f\x1b[31m", source_lines=(SourceLine(7, "    if \x1b[0m:"),)))
    assert "\x1b" not in text


def test_nothing_known_is_short():
    text = render(Failure("UnexpectedTracerError", "tracer-leak"))
    assert text == "tracer-leak: UnexpectedTracerError\n"


def test_json_has_the_keys_of_the_format():
    found = as_json(failure(), "/project")
    assert json.loads(json.dumps(found)) == found
    assert found["file"] == "train.py"
    assert found["columns"] == [7, 18]
    assert found["arguments"] == ["w", "best"]
    assert found["remedies"] == ["jnp.where: jnp.where(loss < best, a, b) (computes both candidates)"]
    assert found["chain"][0]["file"] == "train.py"


GIVEN = [
    (Given("n", "python", "int", "3", ("3",), 1, 1), "the Python int 3"),
    (Given("n", "python", "int", "3", ("3",), 1, 4), "the Python int 3, the same in 4 uncached calls"),
    (Given("n", "python", "int", "4", ("3", "4"), 2, 12), "the Python int 4; 2 values in 12 uncached calls: 3, 4"),
    (
        Given("t", "python", "float", "0.9", tuple(f"0.{at}" for at in range(1, 9)), 20, 30),
        "the Python float 0.9; 20 values in 30 uncached calls: 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, ...",
    ),
    (
        Given("n", "python", "int", "<hidden>", (), 2, 12),
        "a Python int, its value hidden; 2 values in 12 uncached calls",
    ),
    (Given("x", "jax", "Array"), "a JAX array, whose values are not read"),
    (Given("x", "numpy", "ndarray"), "a NumPy array, whose values are not read"),
    (Given("x", "numpy", "float32"), "a NumPy float32, whose value is not read"),
]


@pytest.mark.parametrize(("given", "text"), GIVEN)
def test_what_was_passed_in_words(given, text):
    assert given.text == text


def test_what_was_passed_stands_below_where_it_comes_from():
    given = (Given("n", "python", "int", "3", ("3",), 1, 1), Given("x", "jax", "Array"), Given("y", "jax", "Array"))
    fields = {"arguments": ("n", "x", "y"), "argument_types": ("int32[]", "", ""), "called": "f", "given": given}
    text = render(Failure("E", "branch-on-value", **fields))
    assert "  comes from  n (int32[]), x, y, arguments of f\n  given as    n: the Python int 3\n" in text
    assert "              x, y: a JAX array, whose values are not read\n" in text


def test_a_document_says_what_was_passed():
    given = (Given("n", "python", "int", "3", ("3",), 1, 1),)
    document = compose.failure(Failure("E", "branch-on-value", arguments=("n",), called="f", given=given))
    assert "`n` was the Python int 3." in markdown.render(document)


def test_many_alike_are_told_together():
    given = tuple(Given(f"w{at}", "jax", "Array") for at in range(9))
    failure = Failure("E", "branch-on-value", arguments=tuple(one.path for one in given), called="f", given=given)
    told = "a JAX array, whose values are not read"
    assert f"w0, w1, w2, 6 more: {told}\n" in render(failure)
    assert f"`w0`, `w1`, `w2`, `w3` and 5 more each was {told}." in markdown.render(compose.failure(failure))
