"""The text of a warm-up: it parses, says what it needs, and stays within its width."""

import ast

import pytest
from analyse_builders import leaf, node, report, spec, static

from whyjit.analyse.warmup.plan import plan
from whyjit.analyse.warmup.references import Home
from whyjit.model.finding import Report, Totals
from whyjit.model.recording import Environment
from whyjit.present import warmup

SOURCE = "@jax.jit\ndef step(x): ...\n"
ENVIRONMENT = Environment("3.11", "0.10.2", "0.10.2", "cpu")


def text(*functions, program=False):
    whole = Report(ENVIRONMENT, (), Totals(0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0), functions)
    made = plan(whole, {"train.py": Home("my.train", program, SOURCE)})
    return warmup.module(made, ENVIRONMENT, run="a-run", program_file="train.py")


def function_named(tree, name):
    return next(item for item in tree.body if isinstance(item, ast.FunctionDef) and item.name == name)


def test_a_run_with_nothing_to_make_is_still_a_module():
    made = text()
    tree = ast.parse(made)
    assert ast.unparse(function_named(tree, "work").body[-1]) == "return []"
    assert "0 programs" in ast.get_docstring(tree)


def test_modules_are_imported_when_they_are_asked_for():
    tree = ast.parse(text(report(spec(1, leaf("x", 3)))))
    body = [ast.unparse(item) for item in function_named(tree, "work").body[1:]]
    assert body[0] == "import my.train"
    assert "Work('step@1', 0.3, lambda: (my.train.step, (array('float32', 3),), {}))" in body[1]
    imported = {alias.name for item in tree.body if isinstance(item, ast.Import) for alias in item.names}
    assert imported == {"argparse", "sys", "time", "jax", "jax.numpy"}


@pytest.mark.parametrize(("text_of", "imported"), [("float32(1.5)", True), ("dtype('int32')", False)])
def test_numpy_is_imported_where_it_is_used(text_of, imported):
    made = text(report(spec(1, static("x", 0, type=f"numpy.{text_of[:7]}", text=text_of))))
    assert ("import numpy as np" in made) == imported


def test_the_program_itself_may_be_what_is_running():
    made = text(report(spec(1, leaf("x", 3))), program=True)
    body = [ast.unparse(item) for item in function_named(ast.parse(made), "work").body[1:]]
    assert body[0] == "main_module = program()"
    assert "main_module.step" in body[1]
    assert '== "train.py"' in made


def test_what_is_needed_is_named_and_asked_for():
    made = text(report(spec(1, node("x", "State", ".w"), leaf("x.w", 3), form={"x": "positional"})))
    tree = ast.parse(made)
    assert "Needed, in `given` of warm_up():\n- step.x: it is a State" in ast.get_docstring(tree)
    assert "need(given, 'step.x')" in ast.unparse(function_named(tree, "work"))
    assert [arg.arg for arg in function_named(tree, "warm_up").args.args] == ["given"]
    plain = ast.parse(text(report(spec(1, leaf("x", 3)))))
    assert function_named(plain, "warm_up").args.args == []


def test_an_argument_that_was_not_always_the_same_is_needed_for_each():
    states = [
        spec(n, node("x", "State", ".w"), leaf("x.w", size), form={"x": "positional"}) for n, size in ((1, 3), (2, 4))
    ]
    made = text(report(*states))
    assert "\n- step@1.x, step@2.x: it is a State" in made
    assert 'need(given, "step@2.x")' in made


def test_one_that_cannot_be_made_does_not_stop_the_others(tmp_path, monkeypatch):
    pytest.importorskip("jax")
    (tmp_path / "my_train.py").write_text("import jax\n\n@jax.jit\ndef step(x): return x\n")
    monkeypatch.syspath_prepend(tmp_path)
    specs = (
        spec(1, leaf("x", 3, sharding="committed to cpu:99", committed=True)),
        spec(2, static("x", 0, type="my_train.Mode", text="Mode.SUM"), leaf("y", 3)),
        spec(3, leaf("x", 3)),
    )
    whole = Report(ENVIRONMENT, (), Totals(0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0), (report(*specs),))
    made = plan(whole, {"train.py": Home("my_train", False, SOURCE)})
    module = {}
    exec(warmup.module(made, ENVIRONMENT, run="a-run", program_file="train.py"), module)  # noqa: S102 - it is ours
    notes = {name: note for name, _, note in module["warm_up"]()}
    assert notes == {
        "step@1": "failed: KeyError: 'cpu:99'",
        "step@2": "failed: AttributeError: module 'my_train' has no attribute 'Mode'",
        "step@3": "",
    }


def test_long_arguments_go_on_lines_of_their_own():
    leaves = [leaf(f"p['{name * 12}']", 128, 128) for name in "abcdef"]
    names = [f"['{name * 12}']" for name in "abcdef"]
    made = text(report(spec(1, node("p", "dict", *names), *leaves, static("mode", "a"), form={"p": "positional"})))
    assert max(map(len, made.splitlines())) <= 88
    assert '                        "aaaaaaaaaaaa": array("float32", 128, 128),\n' in made


def test_long_arguments_that_several_have_are_written_once():
    tree = [node("p", "dict", "['weights']", "['bias']"), leaf("p['weights']", 128, 64), leaf("p['bias']", 64)]
    form = {"p": "positional", "x": "positional"}
    made = text(report(*(spec(n, *tree, leaf("x", n), form=form) for n in (1, 2, 3))))
    body = [ast.unparse(item) for item in function_named(ast.parse(made), "work").body[1:]]
    shared = "return {'weights': array('float32', 128, 64), 'bias': array('float32', 64)}"
    assert body[1] == f"def shared_1():\n    {shared}"
    assert made.count("weights") == 1
    assert made.count('(shared_1(), array("float32", ') == 3


def test_what_is_left_out_stands_at_the_top():
    made = text(report(spec(1, leaf("x", 3)), qualname='main.<locals>."""\\n'))
    assert "Left out:\n- step: it is made inside `main`" in ast.get_docstring(ast.parse(made))
