"""A failure as plain text and as JSON."""

from __future__ import annotations

import json

from whyjit.model.failure import Failure, InnerArguments, Leak, Mismatch, Remedy, SourceLine, Step
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
