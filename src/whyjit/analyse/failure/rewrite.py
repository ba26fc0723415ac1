"""Pieces of code for remedies, made from the user's own source and names."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.failure.locate import source_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_WIDTH = 240


class Aliases(NamedTuple):
    """How a file calls the modules that remedies need."""

    jnp: str = "jnp"
    lax: str = "jax.lax"
    jax: str = "jax"
    np: str = "np"
    numpy_imported: bool = False
    partial: str = ""


def aliases_of(tree: ast.AST) -> Aliases:
    """The names a file imports JAX and NumPy under."""
    known = {"jax.numpy": "jnp", "jax.lax": "", "jax": "jax", "numpy": "np"}
    numpy, partial = False, ""
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name in known and (name.asname or "." not in name.name):
                    known[name.name] = name.asname or name.name
                numpy = numpy or name.name == "numpy"
                if name.name == "functools" and not partial:
                    partial = f"{name.asname or name.name}.partial"
        elif isinstance(node, ast.ImportFrom) and node.module == "functools":
            partial = next((name.asname or name.name for name in node.names if name.name == "partial"), partial)
        elif isinstance(node, ast.ImportFrom) and node.module == "jax":
            for name in node.names:
                if f"jax.{name.name}" in known:
                    known[f"jax.{name.name}"] = name.asname or name.name
    lax = known["jax.lax"] or f"{known['jax']}.lax"
    return Aliases(known["jax.numpy"], lax, known["jax"], known["numpy"], numpy, partial)


def full_name(tree: ast.AST, name: str) -> str:
    """A dotted name with the module it was imported from: `scipy.stats.norm.cdf` for `norm.cdf`."""
    first, _, rest = name.partition(".")
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.asname == first:
                    return f"{one.name}.{rest}" if rest else one.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for one in node.names:
                if (one.asname or one.name) == first:
                    return ".".join(part for part in (node.module, one.name, rest) if part)
    return name


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements, block by block, without a look into their expressions."""
    todo = [tree]
    while todo:
        current = todo.pop()
        yield current
        for block in ("body", "orelse", "finalbody", "handlers"):
            inside: list[ast.AST] | ast.AST = getattr(current, block, [])
            if isinstance(inside, list):
                todo.extend(inside)


def one_line(node: ast.AST, lines: Sequence[str]) -> str:
    """A node's source on one line."""
    return " ".join(part.strip() for part in source_of(node, lines).splitlines())


def grouped(node: ast.expr, text: str) -> str:
    """An expression's text, in parentheses where an attribute or an index could not follow it."""
    return text if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)) else f"({text})"


def is_jit(node: ast.expr) -> bool:
    """Whether an expression is `jax.jit`, as far as its name tells."""
    return ast.unparse(node).rpartition(".")[2] == "jit"


def traced_condition(
    test: ast.expr, lines: Sequence[str], names: Aliases, is_list: Callable[[ast.expr], bool] | None = None
) -> str:
    """A condition as array code: `and`, `or`, `not`, `in` and chained comparisons become calls of `jax.numpy`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return f"{names.jnp}.logical_not({traced_condition(test.operand, lines, names, is_list)})"
    if isinstance(test, ast.BoolOp):
        function = f"{names.jnp}.logical_and" if isinstance(test.op, ast.And) else f"{names.jnp}.logical_or"
        text = traced_condition(test.values[0], lines, names, is_list)
        for value in test.values[1:]:
            text = f"{function}({text}, {traced_condition(value, lines, names, is_list)})"
        return text
    if isinstance(test, ast.Compare) and len(test.ops) > 1:
        return chained(test, lines)
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.In, ast.NotIn)):
        return membership(test, lines, names)
    if isinstance(test, ast.NamedExpr):
        return f"({test.target.id} := {traced_condition(test.value, lines, names, is_list)})"  # its name is used later
    if isinstance(test, ast.Call):
        return reduced(test, lines, names, is_list) or one_line(test, lines)
    if isinstance(test, ast.Compare) and isinstance(test.left, (ast.Tuple, ast.List)):
        return tuples(test, lines) or one_line(test, lines)
    return one_line(test, lines)


_REDUCED = {"any": "any", "all": "all", "sum": "sum", "max": "max", "min": "min", "sorted": "sort"}


def reduced(
    call: ast.Call, lines: Sequence[str], names: Aliases, is_list: Callable[[ast.expr], bool] | None = None
) -> str | None:
    """`any(...)` and its like over elements as a function of arrays; `bool(x)` as `x`. None for other calls.

    `is_list` tells of an expression that its value holds arrays and is none, so that they must be put together.
    """
    function = call.func.id if isinstance(call.func, ast.Name) else ""
    if function == "bool" and len(call.args) == 1:
        return one_line(call.args[0], lines)
    if function not in _REDUCED or not call.args or call.keywords:
        return None
    if len(call.args) > 1:  # max(a, b)
        listed = ", ".join(one_line(one, lines) for one in call.args)
        return f"{names.jnp}.{function}({names.jnp}.stack([{listed}]))" if function in ("max", "min") else None
    first = call.args[0]
    given = one_line(first, lines)
    if isinstance(first, ast.GeneratorExp):
        given = f"[{given[1:-1] if given.startswith('(') else given}]"
    if isinstance(first, (ast.GeneratorExp, ast.ListComp, ast.List, ast.Tuple)):
        given = f"{names.jnp}.stack({given})"
    elif _gives_elements(first) or (is_list is not None and is_list(first)):
        given = f"{names.jnp}.stack(list({given}))"
    return f"{names.jnp}.{_REDUCED[function]}({given})"


def _gives_elements(node: ast.expr) -> bool:
    """Whether a call gives elements one by one, and no array: `d.values()`, `map(f, xs)`."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute):
        return node.func.attr == "values" and not node.args
    return isinstance(node.func, ast.Name) and node.func.id in ("list", "tuple", "map", "reversed", "sorted")


def tuples(test: ast.Compare, lines: Sequence[str]) -> str | None:
    """A comparison of two displays of equal length as array code: `(a, b) < (c, d)` goes element by element."""
    right = test.comparators[0]
    if not isinstance(test.left, (ast.Tuple, ast.List)) or not isinstance(right, (ast.Tuple, ast.List)):
        return None
    pairs = [(one_line(a, lines), one_line(b, lines)) for a, b in zip(test.left.elts, right.elts, strict=False)]
    sign = _OPERATORS.get(type(test.ops[0]))
    if not pairs or sign is None or len(test.left.elts) != len(right.elts):
        return None
    if sign in ("==", "!="):
        return f" {'&' if sign == '==' else '|'} ".join(f"({a} {sign} {b})" for a, b in pairs)
    text = f"({pairs[-1][0]} {sign} {pairs[-1][1]})"
    for a, b in reversed(pairs[:-1]):
        text = f"({a} {sign[0]} {b}) | (({a} == {b}) & {text})"
    return text


_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip


def chained(test: ast.Compare, lines: Sequence[str]) -> str:
    """`a < b < c` as `(a < b) & (b < c)`."""
    operands = [one_line(part, lines) for part in (test.left, *test.comparators)]
    pairs = zip(operands, test.ops, operands[1:], strict=False)
    return " & ".join(f"({left} {_OPERATORS.get(type(op), '==')} {right})" for left, op, right in pairs)


def membership(test: ast.Compare, lines: Sequence[str], names: Aliases) -> str:
    """`x in y` as `jnp.isin(x, jnp.array(y))`."""
    left, right = one_line(test.left, lines), test.comparators[0]
    inverse = ", invert=True" if isinstance(test.ops[0], ast.NotIn) else ""
    return f"{names.jnp}.isin({left}, {names.jnp}.array({_as_list(right, lines)}){inverse})"


def _as_list(node: ast.expr, lines: Sequence[str]) -> str:
    text = one_line(node, lines)
    if isinstance(node, ast.Set):
        return f"[{text[1:-1]}]"
    return text


def matched_part(node: ast.AST, ancestors: Sequence[ast.AST]) -> str:
    """Which part of a `match` subject a pattern inside another is compared with: `.op`, `[0]`, `['key']`."""
    text = ""
    inner: ast.AST = node
    for outer in reversed(ancestors):
        if isinstance(outer, ast.Match):
            break
        if isinstance(outer, ast.MatchClass):
            if inner in outer.kwd_patterns:
                text = f".{outer.kwd_attrs[outer.kwd_patterns.index(inner)]}{text}"
            else:
                return f"{text}.<field>"
        elif isinstance(outer, ast.MatchSequence):
            text = f"[{outer.patterns.index(inner)}]{text}" if inner in outer.patterns else text
        elif isinstance(outer, ast.MatchMapping) and inner in outer.patterns:
            text = f"[{ast.unparse(outer.keys[outer.patterns.index(inner)])}]{text}"
        inner = outer
    return text


class Paths(NamedTuple):
    """What a condition decides: `make(value)` writes the statement with a value in it; the two values."""

    before: str
    true: ast.expr
    false: ast.expr
    after: str = ""


def paths_of(owner: ast.AST, ancestors: Sequence[ast.AST]) -> Paths | None:
    """The two values that an `if` or a conditional expression chooses from, where each side is one simple statement."""
    if isinstance(owner, ast.IfExp):
        return Paths("", owner.body, owner.orelse)
    if not isinstance(owner, ast.If) or len(owner.body) != 1:
        return None
    first = owner.body[0]
    other = owner.orelse[0] if len(owner.orelse) == 1 else None
    if isinstance(first, ast.Return) and first.value is not None:
        if not owner.orelse:
            other = _next_statement(owner, ancestors)
        if isinstance(other, ast.Return) and other.value is not None:
            return Paths("return ", first.value, other.value)
        return None
    name = _target(first)
    if name is None or (owner.orelse and _target(other) != name):
        return None
    old = ast.copy_location(ast.Name(name, ast.Load()), first)
    true = _assigned(first)
    false = _assigned(other) if other is not None else old
    return None if true is None or false is None else Paths(f"{name} = ", true, false)


def _next_statement(owner: ast.If, ancestors: Sequence[ast.AST]) -> ast.stmt | None:
    """The statement after an `if` in its block."""
    parent = ancestors[-1] if ancestors else None
    for field in ("body", "orelse", "finalbody"):
        body: list[ast.stmt] = getattr(parent, field, [])
        if owner in body:
            at = body.index(owner)
            return body[at + 1] if at + 1 < len(body) else None
    return None


def _target(node: ast.AST | None) -> str | None:
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return None


def _assigned(node: ast.AST | None) -> ast.expr | None:
    if isinstance(node, ast.Assign):
        return node.value
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        left = ast.Name(node.target.id, ast.Load())
        return ast.copy_location(ast.BinOp(left, node.op, node.value), node.value)
    return None


def selected(condition: str, paths: Paths, lines: Sequence[str], names: Aliases) -> str | None:
    """Both values computed, one kept: `jnp.where`, element by element of tuples and dicts."""
    true, false = paths.true, paths.false
    if (
        isinstance(true, (ast.Tuple, ast.List))
        and type(true) is type(false)
        and len(true.elts) == len(getattr(false, "elts", ()))
    ):
        false_elements: list[ast.expr] = getattr(false, "elts", [])
        parts = [
            one_line(a, lines)
            if ast.dump(a) == ast.dump(b)
            else f"{names.jnp}.where({condition}, {one_line(a, lines)}, {one_line(b, lines)})"
            for a, b in zip(true.elts, false_elements, strict=True)
        ]
        value = ", ".join(parts) if isinstance(true, ast.Tuple) else f"[{', '.join(parts)}]"
    elif isinstance(true, (ast.Tuple, ast.List, ast.Dict)) or isinstance(false, (ast.Tuple, ast.List, ast.Dict)):
        pick = f"lambda new, old: {names.jnp}.where({condition}, new, old)"
        value = f"{names.jax}.tree.map({pick}, {one_line(true, lines)}, {one_line(false, lines)})"
    else:
        value = f"{names.jnp}.where({condition}, {one_line(true, lines)}, {one_line(false, lines)})"
    return shortened(f"{paths.before}{value}")


def branched(condition: str, paths: Paths, lines: Sequence[str], names: Aliases) -> str | None:
    """One value computed: `lax.cond`."""
    true, false = (_tuple_grouped(part, lines) for part in (paths.true, paths.false))
    return shortened(f"{paths.before}{names.lax}.cond({condition}, lambda: {true}, lambda: {false})")


def _tuple_grouped(node: ast.expr, lines: Sequence[str]) -> str:
    text = one_line(node, lines)
    return f"({text})" if isinstance(node, ast.Tuple) and not text.startswith("(") else text


def shortened(text: str) -> str | None:
    """The text, or None where it is too long to be read as one line of code."""
    return text if len(text) <= _WIDTH else None
