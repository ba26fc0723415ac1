"""In words: what Python asked of the traced value, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.failure.recognise import DATA_SIZED, last_name

if TYPE_CHECKING:
    from whyjit.analyse.failure.recognise import Family
    from whyjit.analyse.failure.use import Use

_TRUTH = {
    "if": "`if` takes one of two paths",
    "elif": "`elif` takes one of two paths",
    "while": "`while` goes round again or stops",
    "conditional": "`... if ... else ...` takes one of two values",
    "assert": "`assert` raises or goes on",
    "not": "`not` turns truth around",
    "and": "`and` decides which side to return",
    "or": "`or` decides which side to return",
    "chained": "a chained comparison joins two comparisons with `and`",
    "in": "`in` compares with one member after the other until one is equal",
    "filter": "the condition of a comprehension keeps or drops an element",
    "match": "`match` compares with one case after the other",
}
_CALLS = {
    "max": "`max` compares, and keeps one",
    "min": "`min` compares, and keeps one",
    "any": "`any` looks for a true element",
    "all": "`all` looks for a false element",
    "sorted": "`sorted` compares its elements",
    "bool": "`bool` was called",
    "filter": "`filter` keeps or drops an element",
    "list": "the iteration keeps or drops an element",
}


def asked_for(family: Family, use: Use | None, code: str = "") -> str:
    """What Python asked for."""
    if use is None:
        return _PLAIN[family]
    if (
        code == "shape-from-value"
        and family in ("int", "concrete", "bool", "array")
        and last_name(use) not in DATA_SIZED
    ):
        return f"a concrete shape, for `{use.callee}`: Python ints"
    if family == "bool":
        why = (
            _CALLS.get(use.callee, f"`{use.callee}` decides by it") if use.kind == "call" else _TRUTH.get(use.kind, "")
        )
        return f"a Python bool: {why}" if why else "a Python bool"
    if family == "int":
        return _integer(use)
    if family == "array":
        return "a NumPy array: the elements themselves, in memory" + (
            f", for `{use.callee}`" if use.kind == "call" else ", to index with" if use.kind == "index" else ""
        )
    if family == "concrete":
        return _concrete(use)
    return _PLAIN[family]


def _integer(use: Use) -> str:
    if use.kind == "loop" or use.callee == "range":
        return "a Python int: `range` counts with it"
    if use.kind == "index":
        return "a Python int: an index into a Python sequence"
    if use.kind == "slice":
        return "a Python int: a bound of a slice of a Python sequence"
    if use.kind == "call":
        return f"a Python int, for `{use.callee}`"
    return "a Python int"


def _concrete(use: Use) -> str:
    name = last_name(use)
    if use.kind != "call":
        return "the number itself"
    if name in DATA_SIZED:
        return f"the elements themselves: how many `{use.callee}` returns depends on them"
    if use.callee in ("float", "int", "complex", "round"):
        return f"a Python {'int' if use.callee == 'round' else use.callee}"
    if use.callee.startswith("math."):
        return f"a Python float: `{use.callee}` works on plain numbers"
    if name in ("item", "tolist"):
        return f"a Python number: `.{name}()` takes it out of the array"
    return f"the number itself, for `{use.callee}`"


_PLAIN: dict[Family, str] = {
    "bool": "a Python bool",
    "int": "a Python int",
    "array": "a NumPy array: the elements themselves, in memory",
    "concrete": "the number itself",
    "mask": "the elements of a mask: how many are true decides the shape of the result",
    "leak": "its value, after its trace has ended",
    "shape": "a concrete shape: Python ints",
    "slice": "a concrete slice: its bounds decide the shape of the result, so they must be Python ints",
    "key": "a hash: a key of a dict or a member of a set is looked up by its value",
    "format": "the number itself, to write it as text",
    "unhashable": "a hash: static arguments are looked up by their value",
    "not-array": "an array or a number: every argument that is not static becomes an input of the program",
    "in-place": "an array that can be changed in place",
    "carry": "a carry that keeps its type: what a loop's body returns is its next input",
    "branch": "one type from all branches: what follows is the same program whichever runs",
}
