"""The failing expression is found on every Python: the traps of 3.11, 3.12 and 3.13 are among these forms."""

from __future__ import annotations

import linecache
import textwrap

import pytest

from whyjit.analyse.failure.locate import characters, locate
from whyjit.analyse.failure.use import use_of
from whyjit.observe.stack import levels_of, point_of


class Untrue:
    """A value that cannot be a bool, an int or a float, as a tracer cannot."""

    name = "t"
    __hash__ = None

    def _same(self, *_):
        return Untrue()

    __lt__ = __gt__ = __le__ = __ge__ = __eq__ = __ne__ = __add__ = __mul__ = __rmul__ = __radd__ = __neg__ = _same

    def _refuse(self):
        raise LookupError

    __bool__ = __index__ = __float__ = _refuse

    def any(self):
        return Untrue()

    def item(self, key):
        return Untrue()


FORMS = [
    ("if t: return 1", "t", "if"),
    ("if t > u: return 1", "t > u", "if"),
    ("if not t: return 1", "t", "not"),
    ("if not d['a']: return 1", "d['a']", "not"),
    ("if d['a']: return 1", "d['a']", "if"),
    ("if o.a: return 1", "o.a", "if"),
    ("if t.any(): return 1", "t.any()", "if"),
    ("x = t or 1.0", "t", "or"),
    ("x = 2 * (t or 1.0)", "t", "or"),
    ("return u * (t or 1.0)", "t", "or"),
    ("a = b = t or u", "t", "or"),
    ("print('a', t or u)", "t", "or"),
    ("x = t and u", "t", "and"),
    ("x = u; return (t and u) or 1", "t", "and"),
    ("if True and t > u: return 1", "t > u", "and"),
    ("if t.name and u: return 1", "u", "and"),
    ("if t > 0 and u > 0: return 1", "t > 0", "and"),
    ("if t.any() is not None and (t > u).any(): return 1", "(t > u).any()", "and"),
    ("if not (t > u or u > t): return 1", "t > u", "or"),
    ("if None or t: return 1", "t", "or"),
    ("if not t and u: return 1", "t", "not"),
    ("x = 1 if t else 2", "t", "conditional"),
    ("return 1 if t > 0 else 2", "t > 0", "conditional"),
    ("return t.name if u else t", "u", "conditional"),
    ("x = t if t is not None and t else u", "t", "and"),
    ("x = '日本' if t else 2", "t", "conditional"),
    ("x = ('日本', 1 if t > u else 2)", "t > u", "conditional"),
    ("while t: pass", "t", "while"),
    ("while t < u: pass", "t < u", "while"),
    ("while not t: pass", "t", "not"),
    ("while 1 and t < u: pass", "t < u", "and"),
    ("while True:\n    if t: break", "t", "if"),
    ("if t.name == 'z':\n    pass\nelif u:\n    pass", "u", "elif"),
    ("assert t", "t", "assert"),
    ("assert t > 0, 'message'", "t > 0", "assert"),
    ("assert not t, u", "t", "not"),
    ("return [v for v in [t] if v]", "v", "filter"),
    ("return [v for v in [t] if v > 0]", "v > 0", "filter"),
    ("return {k: v for k, v in [(1, t)] if v}", "v", "filter"),
    ("return sum(v for v in [t] if v > 0)", "v > 0", "filter"),
    ("return any(v > 0 for v in [t])", "any(v > 0 for v in [t])", "call"),
    ("return list(filter(lambda v: v > 0, [t]))", "list(filter(lambda v: v > 0, [t]))", "call"),
    ("return max(t, u)", "max(t, u)", "call"),
    ("return sorted([t, u])", "sorted([t, u])", "call"),
    ("return bool(t)", "bool(t)", "call"),
    ("return float(t)", "float(t)", "call"),
    ("if all([t, u]): return 1", "all([t, u])", "call"),
    ("return 0 < t < 2", "0 < t < 2", "chained"),
    ("if 0 < t < 2: return 1", "0 < t < 2", "chained"),
    ("return t in (1, 2)", "t in (1, 2)", "in"),
    ("match t:\n    case 1: return 1\n    case _: return 2", "1", "match"),
    ("match t:\n    case 1 | 2: return 1", "1", "match"),
    ("match t:\n    case x if x > 1: return 1", "x > 1", "match"),
    ("for i in range(t): pass", "range(t)", "loop"),
    ("for i, j in enumerate(range(t)): pass", "range(t)", "loop"),
    ("return [i for i in range(t)]", "range(t)", "loop"),
    ("return len(range(t))", "range(t)", "call"),
    ("return [1, 2][t]", "[1, 2][t]", "index"),
    ("return [1, 2][:t]", "[1, 2][:t]", "slice"),
    ("y = not t", "t", "not"),
    ("if (y := t > u): return 1", "t > u", "if"),
    ("if (t\n    > u):\n    return 1", "t\n        > u", "if"),
    ("return (1 if (t.any()\n    > u) else 2)", "t.any()\n        > u", "conditional"),
    ("return (lambda q: 1 if q else 2)(t)", "q", "conditional"),
    ("try:\n    if t: return 1\nfinally:\n    pass", "t", "if"),
]


@pytest.mark.parametrize(("body", "expression", "kind"), FORMS, ids=[body.replace("\n", " ") for body, _, _ in FORMS])
def test_form(body, expression, kind):
    located = located_in(body)
    assert located.text.strip("()") in {expression, f"y := {expression}"} or located.text == expression
    assert use_of(located).kind == kind


def located_in(body):
    source = (
        "class O: a = None\no = O()\ndef f(t, u):\n    o.a = t; d = {'a': t}\n" + textwrap.indent(body, "    ") + "\n"
    )
    file = "/nowhere/form.py"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space = {}
    exec(compile(source, file, "exec"), space)  # noqa: S102 - the forms above
    with pytest.raises(LookupError) as caught:
        space["f"](Untrue(), Untrue())
    level = next(level for level in levels_of(caught.value) if level.frame.f_code.co_filename == file)
    point = point_of(level, direct=False)
    assert point.function in {"f", "f.<locals>.<lambda>"}
    return locate(point, linecache.getlines(file), truth=True)


def test_an_assignment_is_no_value_between():
    assert located_in("if (y := t): return 1").text in {"t", "y := t", "(y := t)"}


def test_columns_count_characters():
    lines = ["x = '日本', t > u\n"]
    assert characters(lines, 1, len("x = '日本', ".encode())) == len("x = '日本', ")
    assert characters(lines, 7, 3) == 3


def test_without_source_nothing_is_located():
    with pytest.raises(LookupError) as caught:
        bool(Untrue())
    point = point_of(levels_of(caught.value)[-1], direct=False)
    assert locate(point, []) is None
    assert locate(point, ["def (broken\n"]) is None
