"""Static arguments taken out of the source, or put in: only the option changes, and what cannot be edited says why."""

import difflib

import pytest

from whyjit.rewrite.jit_options import Edited, Target, Uneditable, with_static, without

HEAD = "import functools\nimport jax\nfrom functools import partial\n\n\n"
BODY = "def f(x, s, mode='a'):\n    return x * s  # the sum\n"


def edited(edit, decorator, tail="", *, names=("s",), head=HEAD):
    source = f"{head}{decorator}{BODY}{tail}"
    line = head.count("\n") + 1
    found = edit(source, Target("f", line, ("x", "s", "mode")), names)
    if isinstance(found, Uneditable):
        return found.reason
    assert isinstance(found, Edited)
    compile(found.source, "edited.py", "exec")
    return [line for line in difflib.ndiff(source.splitlines(), found.source.splitlines()) if line[0] in "+-"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('@functools.partial(jax.jit, static_argnames="s")', "@jax.jit"),
        ('@partial(jax.jit, static_argnames=("s", "mode"))', '@partial(jax.jit, static_argnames=("mode",))'),
        ('@partial(jax.jit, static_argnames=["mode", "s"])', '@partial(jax.jit, static_argnames=["mode"])'),
        ('@partial(jax.jit, static_argnames={"mode", "s"})', '@partial(jax.jit, static_argnames={"mode"})'),
        ("@partial(jax.jit, static_argnums=(1, 2))", "@partial(jax.jit, static_argnums=(2,))"),
        ("@partial(jax.jit, static_argnums=-2)", "@jax.jit"),
        (
            '@partial(jax.jit, static_argnums=1, static_argnames="s", donate_argnums=0)',
            "@partial(jax.jit, donate_argnums=0)",
        ),
        ('@partial(jax.jit, donate_argnums=(0,), static_argnames="s")', "@partial(jax.jit, donate_argnums=(0,))"),
        ('@jax.jit(static_argnames="s")', "@jax.jit"),
        ('@partial(  jax.jit ,  static_argnames=("s",  "mode") )', '@partial(  jax.jit ,  static_argnames=("mode",) )'),
    ],
)
def test_a_decorator_loses_one_static(before, after):
    assert edited(without, before + "\n") == [f"- {before}", f"+ {after}"] or _hinted(before, after)


def _hinted(before, after):
    """The same, without the lines of question marks that point into a line."""
    return [line for line in edited(without, before + "\n") if line[0] != "?"] == [f"- {before}", f"+ {after}"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("g = jax.jit(f, static_argnums=(1,))", "g = jax.jit(f)"),
        (
            "g = jax.jit(f, static_argnums=(1, 2), donate_argnums=0)",
            "g = jax.jit(f, static_argnums=(2,), donate_argnums=0)",
        ),
        ("def main():\n    return jax.jit(f, static_argnames='s')", "    return jax.jit(f)"),
    ],
)
def test_a_call_elsewhere_loses_one_static(before, after):
    assert edited(without, "", f"\n\n{before}\n")[-1] == f"+ {after}"


def test_comments_and_other_functions_stay():
    other = '\n\n@partial(jax.jit, static_argnames="s")\ndef g(x, s):\n    return x\n'
    assert edited(without, '@partial(jax.jit, static_argnames="s")  # why\n', other) == [
        '- @partial(jax.jit, static_argnames="s")  # why',
        "+ @jax.jit  # why",
    ]


@pytest.mark.parametrize(
    ("decorator", "reason"),
    [
        ("@partial(jax.jit, static_argnames=STATICS)\n", "not written out"),
        ("@partial(jax.jit, static_argnames='mode')\n", "no jax.jit of `f`"),
        ("", "no jax.jit of `f`"),
        ("@partial(other.jit, static_argnames='s')\n", "no jax.jit of `f`"),
    ],
)
def test_what_cannot_be_edited_says_why(decorator, reason):
    assert reason in edited(without, decorator)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@jax.jit", '@functools.partial(jax.jit, static_argnames="s")'),
        ("@partial(jax.jit, donate_argnums=0)", '@partial(jax.jit, donate_argnums=0, static_argnames="s")'),
        ('@partial(jax.jit, static_argnames="mode")', '@partial(jax.jit, static_argnames=("mode", "s"))'),
        ('@partial(jax.jit, static_argnames=("mode",))', '@partial(jax.jit, static_argnames=("mode", "s"))'),
    ],
)
def test_a_decorator_gains_a_static(before, after):
    assert [line for line in edited(with_static, before + "\n") if line[0] in "+-"] == [f"- {before}", f"+ {after}"]


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("import jax\n\n\n", 1),
        ('"""A module."""\n\nimport jax\n\n\n', 3),
        ('"""A module."""\nfrom __future__ import annotations\n\nimport jax\n\n\n', 4),
    ],
)
def test_functools_is_imported_where_it_is_missing(head, line):
    source = f"{head}@jax.jit\n{BODY}"
    found = with_static(source, Target("f", head.count("\n") + 1, ("x", "s", "mode")), ("s",))
    assert found.source.splitlines()[line - 1] == "import functools"
    compile(found.source, "edited.py", "exec")


def test_the_import_under_another_name_is_used():
    assert edited(with_static, "@jax.jit\n", head="import jax\nfrom functools import partial as bind\n") == [
        "- @jax.jit",
        '+ @bind(jax.jit, static_argnames="s")',
    ]


def test_options_with_a_part_for_each_argument_are_left_alone():
    reason = edited(without, "@partial(jax.jit, static_argnames='s', in_shardings=(None, None))\n")
    assert "in_shardings" in reason


def test_what_names_the_encoding_stays_first():
    head = "#!/usr/bin/env python\n# -*- coding: latin-1 -*-\nimport jax\n\n\n"
    found = with_static(f"{head}@jax.jit\n{BODY}", Target("f", 6, ("x", "s", "mode")), ("s",))
    assert found.source.splitlines()[:4] == [
        "#!/usr/bin/env python",
        "# -*- coding: latin-1 -*-",
        "",
        "import functools",
    ]


FACTORIES = """import jax


def first():
    def step(x, s):
        return x * s
    return jax.jit(step, static_argnames="s")


def second():
    def step(x, s):
        return x + s
    step = jax.jit(step, static_argnames="s")
    return step
"""


@pytest.mark.parametrize(("line", "changed"), [(5, 7), (11, 13)])
def test_of_two_functions_of_one_name_the_one_in_scope_is_edited(line, changed):
    found = without(FACTORIES, Target("step", line, ("x", "s")), ("s",))
    assert found.lines == (changed,)
    assert found.source.count("static_argnames") == 1


def test_a_name_that_may_be_another_function_is_left_alone():
    source = "import jax\n\nif fast:\n    def f(x, s):\n        return x\nelse:\n    def f(x, s):\n        return s\n"
    source += "g = jax.jit(f, static_argnames='s')\n"
    assert "may be another function" in without(source, Target("f", 4, ("x", "s")), ("s",)).reason


METHODS = """import jax


class Model:
    def __init__(self):
        self.call = jax.jit(self._call, static_argnums=(1, 2))

    def _call(self, x, a, b):
        return x * a * b


class Other:
    def __init__(self):
        self.call = jax.jit(self._call, static_argnums=(1, 2))

    def _call(self, x, a, b):
        return x


model = Model()
g = jax.jit(model._call, static_argnums=(1, 2))
h = jax.jit(Model._call, static_argnums=(0, 2, 3))
k = jax.jit(unknown._call, static_argnums=(1, 2))
"""


def test_the_numbers_of_a_bound_method_do_not_count_self():
    found = without(METHODS, Target("_call", 8, ("self", "x", "a", "b")), ("a",))
    assert sorted(found.lines) == [6, 21, 22]
    lines = found.source.splitlines()
    assert lines[5].endswith("jax.jit(self._call, static_argnums=(2,))")
    assert lines[20] == "g = jax.jit(model._call, static_argnums=(2,))"
    assert lines[21] == "h = jax.jit(Model._call, static_argnums=(0, 3))"


def test_a_lambda_is_found_where_it_is_jitted_or_by_its_name():
    direct = "import jax\n\ng = jax.jit(lambda x, s: x * s, static_argnums=1)\n"
    assert "jax.jit(lambda x, s: x * s)" in without(direct, Target("<lambda>", 3, ("x", "s")), ("s",)).source
    by_name = "import jax\n\nf = lambda x, s: x * s\ng = jax.jit(f, static_argnums=1)\n"
    assert "g = jax.jit(f)" in without(by_name, Target("<lambda>", 3, ("x", "s")), ("s",)).source
    two = "import jax\n\nf = lambda x, s: x * s; g = lambda x, s: x + s\nh = jax.jit(f, static_argnums=1)\n"
    assert "2 lambdas" in without(two, Target("<lambda>", 3, ("x", "s")), ("s",)).reason
