"""The rules for control flow, each held to its own examples, and to what every rewrite promises."""

import ast
import itertools
import re

import pytest

from whyjit.rewrite.control import rules
from whyjit.rewrite.control.change import Change, Refusal
from whyjit.rewrite.control.site import Span, imported, open_site, span_of

WRITTEN = [(module, example) for module in rules.MODULES for example in module.REWRITTEN]
REFUSED = [(module, example) for module in rules.MODULES for example in module.REFUSED]


def named(pairs):
    return [f"{module.__name__.rpartition('.')[2]}: {example.at}" for module, example in pairs]


def site_of(module, example):
    return open_site(example.before, span_of(example.before, example.at), getattr(module, "CODE", "branch-on-value"))


@pytest.mark.parametrize(("module", "example"), WRITTEN, ids=named(WRITTEN))
def test_a_rule_rewrites_its_examples(module, example):
    found = module.rewrite(site_of(module, example))
    assert isinstance(found, Change), found
    assert found.text == example.after
    ast.parse(found.text)


@pytest.mark.parametrize(("module", "example"), REFUSED, ids=named(REFUSED))
def test_a_rule_leaves_alone_what_it_must_and_says_why(module, example):
    found = module.rewrite(site_of(module, example))
    if not example.reason:
        assert found is None
    else:
        assert isinstance(found, Refusal), found
        assert example.reason in found.reason


@pytest.mark.parametrize(("module", "example"), WRITTEN, ids=named(WRITTEN))
def test_a_forced_rewrite_differs_from_the_real_one_in_its_condition_only(module, example):
    site = site_of(module, example)
    found, forced = module.rewrite(site), module.rewrite(site.with_forced("FORCED"))
    if not found.branches:
        assert forced == found
        return
    real = [part for part in ast.walk(ast.parse(found.text)) if isinstance(part, ast.Call)]
    other = [part for part in ast.walk(ast.parse(forced.text)) if isinstance(part, ast.Call)]
    chosen = [part for part in other if part.args and ast.unparse(part.args[0]) == "FORCED"]
    assert len(chosen) == 1
    assert ast.unparse(chosen[0].func) in {ast.unparse(part.func) for part in real}
    assert "FORCED" not in found.text


AROUND = '''"""Docs."""
from __future__ import annotations

import jax          # aligned
import jax.numpy as jnp

TABLE = {  'a':1,   # odd spacing
}


def before(x):    # kept
    return (x
            +1)


{function}

def after( x ):
    if x: return 1   ;
    return  2
'''


# Those that need no imports but the ones above.
PLAIN = [pair for pair in WRITTEN if "def f" in pair[1].before and "from math" not in pair[1].before]


@pytest.mark.parametrize(("module", "example"), PLAIN, ids=named(PLAIN))
def test_nothing_else_in_the_file_changes(module, example):
    function = "def f" + example.before.partition("def f")[2]
    head, tail = AROUND.replace("import jax.numpy as jnp", "import jax.numpy as jnp, math\nimport numpy as np").split(
        "{function}"
    )
    text = head + function + tail
    inside = span_of(function, example.at)
    above = head.count("\n")
    span = inside._replace(line=inside.line + above, end_line=inside.end_line + above)
    found = module.rewrite(open_site(text, span, getattr(module, "CODE", "branch-on-value")))
    assert isinstance(found, Change), found
    assert found.text.startswith(head)
    assert found.text.endswith(tail)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import jax", {"jax": "jax"}),
        ("import jax.numpy as np", {"jax.numpy": "np"}),
        ("from jax import numpy as jnp, lax", {"jax.numpy": "jnp", "jax.lax": "lax"}),
        ("import jax.lax", {"jax": "jax", "jax.lax": "jax.lax"}),
        ("def f():\n    import jax.numpy as jnp", {}),
        ("try:\n    import jax\nexcept ImportError:\n    jax = None", {"jax": "jax"}),
    ],
)
def test_the_names_a_file_gives_to_modules_are_found(text, names):
    import libcst

    found = imported(libcst.parse_module(text))
    assert {name: found.get(name) for name in names} == names
    assert names or not found


BODY = "    if t > 2:\n        return x\n    return -x\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def f(x, t, jax):\n" + BODY, "hides the module"),
        ("jax = 1\n\ndef f(x, t):\n" + BODY, "taken by something else"),
        ("def f(x, t):\n    jax = 2\n" + BODY, "hides the module"),
    ],
)
def test_a_name_that_hides_the_module_is_noticed(text, reason):
    found = rules.changes(open_site(text, span_of(text, "t > 2"), "branch-on-value"))
    assert any(reason in one.reason for one in found.refusals if one.kind == "cond")
    assert not any(change.kind == "cond" for change, _ in found.changes)


def test_new_functions_get_names_that_are_free():
    body = "    if t > 2:\n        x = x + 1\n        x = x * 2\n    return x\n"
    text = "import jax\n\ndef true_branch():\n    pass\n\ndef f(x, t):\n" + body
    found = rules.changes(open_site(text, span_of(text, "t > 2"), "branch-on-value"))
    assert "def true_branch_2(x):" in found.changes[0][0].text
    assert "def false_branch_2(x):" in found.changes[0][0].text


def test_an_expression_that_is_not_there_gives_no_site():
    assert open_site("x = 1\n", Span(1, 0, 1, 3)) is None
    assert open_site("x = = 1\n", Span(1, 0, 1, 1)) is None


def test_columns_count_characters():
    text = 'import jax\n\ndef f(x, t):\n    é = "日本"; return x if t > 2 else -x\n'
    found = rules.changes(open_site(text, span_of(text, "t > 2"), "branch-on-value"))
    assert found.changes[0][0].text == text.replace("x if t > 2 else -x", "jax.lax.cond(t > 2, lambda: x, lambda: -x)")


def test_each_code_has_rules_and_each_rule_a_code():
    used = itertools.chain.from_iterable(rules._RULES.values())
    assert {getattr(rule, "func", rule).__module__ for rule in used} == {module.__name__ for module in rules.MODULES}


COMMENTED = [
    "    if t > 2:  # 1\n        # 2\n        return x  # 3\n    # 4\n    return -x  # 5\n    # 6\n",
    "    # 1\n    if t > 2:  # 2\n        y = x  # 3\n    # 5\n    else:  # 6\n        y = -x\n    return y\n",
    "    if t > 2: return x  # 1\n    # 2\n    y = x * 2  # 3\n    return y\n    # 4\n# 5\n",
    "    if t > 2:\n        return x  # 1\n    # 2\n    elif t > 1:  # 3\n        return 2 * x\n    return -x  # 4\n",
    "    y = x\n\n    # 1\n    if t > 2:\n        y = (  # 2\n            x  # 3\n        )\n    return y\n",
    "    return (  # 1\n        x  # 2\n        if t > 2  # 3\n        else -x  # 4\n    )\n",
]


OTHERS = [
    ("t > 2", "    ok = (t > 2  # 1\n          and x > 1)\n    return ok\n", "branch-on-value"),
    ("t > 2", "    if (t > 2  # 1\n            and x > 1):\n        return x\n    return -x\n", "branch-on-value"),
    ("max(t, 1, x)", "    return max(t, 1, x)  # 1\n", "branch-on-value"),
    ("x[0]", "    x[0] = (  # 1\n        2\n    )\n    return x\n", "in-place"),
    ("x[0]", "    x[0] = 2  # 1\n    return x\n", "in-place"),
    ("x[x > 0]", "    return x[x > 0].sum(  # 1\n    )\n", "boolean-mask"),
    ("np.sin(\n        t  # 1\n    )", "    return np.sin(\n        t  # 1\n    )\n", "numpy-on-tracer"),
]


@pytest.mark.parametrize(("at", "body", "code"), [*(("t > 2", body, "branch-on-value") for body in COMMENTED), *OTHERS])
def test_every_comment_is_kept(at, body, code):
    text = f"import jax  # a\nimport jax.numpy as jnp\nimport numpy as np\n\n\ndef f(x, t):  # b\n{body}"
    found = rules.changes(open_site(text, span_of(text, at), code))
    assert found.changes or any("comment" in one.reason for one in found.refusals), found
    for change, _ in found.changes:
        before, after = (sorted(re.findall(r"# \w", one)) for one in (text, change.text))
        assert after == before, change.text
        ast.parse(change.text)
