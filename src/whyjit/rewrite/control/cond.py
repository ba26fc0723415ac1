"""`if` statements and conditional expressions on traced values, as `lax.cond`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

import libcst as cst

from whyjit.rewrite.control.change import Change, Refusal, Refused, Rewritten
from whyjit.rewrite.control.decision import decided, is_asked_of_call
from whyjit.rewrite.control.effects import obstacle
from whyjit.rewrite.control.logical import condition
from whyjit.rewrite.control.names import around, flow, writes
from whyjit.rewrite.control.site import CannotRewrite, Site

_LONGEST = 100
_BLANK = cst.EmptyLine(indent=False)
_HEAD = "import jax\n\ndef f(x, t):\n"

REWRITTEN = (
    Rewritten(
        _HEAD + "    return x if t > 2 else -x\n",
        "t > 2",
        _HEAD + "    return jax.lax.cond(t > 2, lambda: x, lambda: -x)\n",
    ),
    Rewritten(
        _HEAD + "    if t > 2:\n        return x\n    return -x\n",
        "t > 2",
        _HEAD + "    return jax.lax.cond(t > 2, lambda: x, lambda: -x)\n",
    ),
    Rewritten(
        _HEAD + "    y = x\n    if t > 2:\n        y = x * 2\n    return y\n",
        "t > 2",
        _HEAD + "    y = x\n    y = jax.lax.cond(t > 2, lambda: x * 2, lambda: y)\n    return y\n",
    ),
    Rewritten(
        _HEAD + "    # big?\n    if t > 2:\n        y = x * 2  # twice\n        y += 1\n"
        "    else:\n        y = x\n    return y\n",
        "t > 2",
        _HEAD + "    # big?\n    def true_branch():\n        y = x * 2  # twice\n        y += 1\n        return y\n\n"
        "    def false_branch():\n        y = x\n        return y\n\n"
        "    y = jax.lax.cond(t > 2, true_branch, false_branch)\n    return y\n",
    ),
    Rewritten(
        _HEAD + "    if t > 2:\n        x = x + 1\n        x = x * t\n    return x\n",
        "t > 2",
        _HEAD + "    def true_branch(x):\n        x = x + 1\n        x = x * t\n        return x\n\n"
        "    def false_branch(x):\n        return x\n\n"
        "    x = jax.lax.cond(t > 2, true_branch, false_branch, x)\n    return x\n",
    ),
    Rewritten(
        _HEAD
        + "    if t > 2:\n        return x\n    elif t > 1:\n        return 2 * x\n    else:\n        return -x\n",
        "t > 2",
        _HEAD + "    def true_branch():\n        return x\n\n    def false_branch():\n        if t > 1:\n"
        "            return 2 * x\n        else:\n            return -x\n\n"
        "    return jax.lax.cond(t > 2, true_branch, false_branch)\n",
    ),
    Rewritten(
        "def f(x, t):\n    if t > 2 and not x.any():\n        return x\n    return -x\n",
        "t > 2",
        "import jax.numpy as jnp\nimport jax\n\ndef f(x, t):\n"
        "    return jax.lax.cond(jnp.logical_and(t > 2, jnp.logical_not(x.any())), lambda: x, lambda: -x)\n",
    ),
)
REFUSED = (
    Refused("def f(x, t):\n    if t > 2:\n        print(t)\n    return x\n", "t > 2", "calls print"),
    Refused("def f(x, t):\n    if t > 2:\n        raise ValueError\n    return x\n", "t > 2", "raises"),
    Refused("def f(x, t):\n    if t > 2:\n        x.flag = 1\n    return x\n", "t > 2", "assigns to x.flag"),
    Refused("def f(x, t):\n    if t > 2:\n        b = 1.0\n    return b\n", "t > 2", "b may be undefined"),
    Refused("def f(x, t):\n    if t > 2:\n        b = 1.0\n    return x\n", "t > 2", "used afterwards"),
    Refused("def f(x, t):\n    if t > 2:\n        return x\n    x = 1\n", "t > 2", "None"),
    Refused(
        "def f(x, t):\n    for i in x:\n        if t > 2:\n            return i\n    return t\n", "t > 2", "inside"
    ),
    Refused("def f(x, t):\n    return (y := x) if t > 2 else t\n", "t > 2", ":="),
    Refused("async def f(x, t):\n    return (await x) if t > 2 else t\n", "t > 2", "awaits"),
    Refused("def f(x, t):\n    while t > 2:\n        t = t - 1\n    return t\n", "t > 2", ""),
)


class _Branches(NamedTuple):
    """Both ways as bodies of functions, what they return, and what stands before the `if`."""

    true: cst.IndentedBlock
    false: cst.IndentedBlock
    results: tuple[str, ...]
    operands: tuple[str, ...]
    rest: bool


def rewrite(site: Site) -> Change | Refusal | None:
    """Rewrite the `if` or conditional expression that the expression decides."""
    owner = decided(site)
    if is_asked_of_call(site) or not isinstance(owner, (cst.If, cst.IfExp)):
        return None
    try:
        return Change("cond", decision(site, owner, chosen), "the branch as lax.cond", branches=True)
    except CannotRewrite as no:
        return Refusal("cond", str(no))


Statements = Sequence[cst.SimpleStatementLine | cst.BaseCompoundStatement]
Choose = Callable[[Site, cst.BaseExpression, cst.BaseExpression, cst.BaseExpression], cst.Call]


def chosen(site: Site, test: cst.BaseExpression, true: cst.BaseExpression, false: cst.BaseExpression) -> cst.Call:
    """One of two values, of which only one is computed."""
    return _cond(site, test, _thunk(true), _thunk(false))


def decision(site: Site, owner: cst.If | cst.IfExp, choose: Choose) -> str:
    """The file's text with an `if` or conditional expression rewritten.

    `choose` writes the choice where each way is one value; else functions are made of both, for `lax.cond`. Raises
    `CannotRewrite` where it means something that no program can do.
    """
    return _expression(site, owner, choose) if isinstance(owner, cst.IfExp) else _statement(site, owner, choose)


def _expression(site: Site, owner: cst.IfExp, choose: Choose) -> str:
    for part in (owner.body, owner.orelse):
        reason = obstacle([ast.parse(f"({site.text(part)}\n)", mode="eval")], site.functions)
        if reason:
            raise CannotRewrite(f"`{site.one_line(part)}` {reason}")
    site.keep_comments(owner)
    call = choose(site, condition(site, owner.test), owner.body, owner.orelse)
    return site.changed(owner, call)


def _statement(site: Site, owner: cst.If, choose: Choose) -> str:
    function = site.function
    if not isinstance(function, cst.FunctionDef):
        raise CannotRewrite("it stands in no function")
    if function.asynchronous is not None:
        raise CannotRewrite("its function is a coroutine")
    tree = site.function_tree(function)
    if any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in _own_parts(tree)):
        raise CannotRewrite("its function is a generator")
    outside = {
        name for part in _own_parts(tree) if isinstance(part, (ast.Global, ast.Nonlocal)) for name in part.names
    } & writes([_tree_of(site, owner)])
    if outside:
        raise CannotRewrite(f"it binds {', '.join(sorted(outside))}, a global or nonlocal name")
    test = condition(site, owner.test)
    block = _block_of(site, owner)
    at = [part is owner for part in block.body].index(True)
    if _returns(_block(owner.body)) or _returns(_other(owner)):
        if site.parent(block) is not function:
            raise CannotRewrite("it returns from inside another statement")
        branches = _returning(owner, block.body[at + 1 :], site, tree)
    else:
        branches = _assigning(owner, site, tree)
    statements = _written(site, owner, test, branches, choose)
    lines = list(statements[0].leading_lines)
    if at and isinstance(statements[0], cst.FunctionDef) and not (lines and lines[0].comment is None):
        statements[0] = statements[0].with_changes(leading_lines=[_BLANK, *lines])
    if not branches.rest:
        return _with_statements(site, block, at, 1, statements)
    return _with_statements(site, block, at, len(block.body) - at, statements)


def _with_statements(
    site: Site, block: cst.IndentedBlock, at: int, count: int, statements: Sequence[cst.BaseStatement]
) -> str:
    body = [*block.body[:at], *statements, *block.body[at + count :]]
    return site.changed(block, block.with_changes(body=body))


def _block_of(site: Site, owner: cst.If) -> cst.IndentedBlock:
    block = site.parent(owner)
    if isinstance(block, cst.If):
        raise CannotRewrite("it is an elif; the if before it has to be rewritten first")
    if not isinstance(block, cst.IndentedBlock):
        raise CannotRewrite("it stands in no block of statements")
    return block


# Both ways leave the function.


def _returning(owner: cst.If, rest: Sequence[cst.BaseStatement], site: Site, function: ast.FunctionDef) -> _Branches:
    true = _block(owner.body)
    false = _other(owner)
    uses_rest = False
    if not _always_returns(true):
        raise CannotRewrite("it returns in some of its paths only")
    if not _always_returns(false):
        false = false.with_changes(body=[*false.body, *rest])
        uses_rest = True
    if not _always_returns(false):
        raise CannotRewrite("one path ends without a return, so it gives None")
    _check_effects(site, (true, false))
    bound = around(function, _tree_of(site, owner)).bound
    operands = _operands((true, false), bound)
    return _Branches(true, false, (), operands, uses_rest)


# Both ways meet again.


def _assigning(owner: cst.If, site: Site, function: ast.FunctionDef) -> _Branches:
    true, false = _block(owner.body), _other(owner)
    _check_effects(site, (true, false))
    surroundings = around(function, _tree_of(site, owner))
    written = [writes(_trees(block)) for block in (true, false)]
    results = tuple(
        name for name in _in_order(function) if name in surroundings.live and name in written[0] | written[1]
    )
    if not results:
        raise CannotRewrite("nothing that it computes is used afterwards")
    for block in (true, false):
        bound = flow(_trees(block), surroundings.bound).bound
        lacking = [name for name in results if name not in bound]
        if lacking:
            raise CannotRewrite(f"{' and '.join(lacking)} may be undefined after it")
    operands = _operands((true, false), surroundings.bound)
    value = cst.parse_statement(f"return {', '.join(results)}\n")
    true, false = (block.with_changes(body=[*block.body, value]) for block in (true, false))
    return _Branches(true, false, results, operands, rest=False)


def _written(
    site: Site, owner: cst.If, test: cst.BaseExpression, branches: _Branches, choose: Choose
) -> list[cst.FunctionDef | cst.SimpleStatementLine]:
    """The statements in place of the `if`."""
    # Lambdas bind nothing, so they need no operands.
    commented = any(map(site.comment_in, (owner, branches.true, branches.false)))
    short = None if commented else _short(site, owner, test, branches, choose)
    if short is not None:
        return [short.with_changes(leading_lines=owner.leading_lines)]
    if choose is not chosen:
        raise CannotRewrite("one of its ways is more than a value")
    names = site.fresh("true_branch", "false_branch")
    parameters = cst.Parameters([cst.Param(cst.Name(one)) for one in branches.operands])
    functions = [
        cst.FunctionDef(
            name=cst.Name(name),
            params=parameters.deep_clone(),
            body=block,
            leading_lines=owner.leading_lines if first else [_BLANK],
        )
        for name, block, first in zip(names, (branches.true, branches.false), (True, False), strict=True)
    ]
    if isinstance(owner.orelse, cst.Else) and owner.orelse.leading_lines:
        lines = [_BLANK, *owner.orelse.leading_lines]
        functions[1] = functions[1].with_changes(leading_lines=lines)
    operands = [cst.Name(one) for one in branches.operands]
    call = _cond(site, test, cst.Name(names[0]), cst.Name(names[1]), *operands)
    last = _result(branches, call).with_changes(leading_lines=[_BLANK])
    return [*functions, last]


def _short(
    site: Site, owner: cst.If, test: cst.BaseExpression, branches: _Branches, choose: Choose
) -> cst.SimpleStatementLine | None:
    """One line, where each way is one value."""
    true, false = _value(branches.true, branches.results), _value(branches.false, branches.results)
    if true is None or false is None:
        return None
    line = _result(branches, choose(site, test, true, false))
    text = site.text(line)
    indent = len(site.module.default_indent) * sum(isinstance(one, cst.IndentedBlock) for one in site.ancestors(owner))
    return line if len(text.strip()) + indent <= _LONGEST and text.count("\n") <= 1 else None


def _value(block: cst.IndentedBlock, results: tuple[str, ...]) -> cst.BaseExpression | None:
    """What a branch gives, where its body is nothing but that."""
    lines = [part for line in block.body if isinstance(line, cst.SimpleStatementLine) for part in line.body]
    last = lines[-1] if lines else None
    if len(lines) != len(block.body) or not isinstance(last, cst.Return):
        return None
    if len(lines) == 1:
        return last.value
    first = lines[0]
    if len(lines) == 2 and len(results) == 1 and isinstance(first, cst.Assign) and len(first.targets) == 1:
        target = first.targets[0].target
        return first.value if isinstance(target, cst.Name) and target.value == results[0] else None
    return None


def _result(branches: _Branches, call: cst.Call) -> cst.SimpleStatementLine:
    if not branches.results:
        return cst.SimpleStatementLine([cst.Return(call)])
    target = cst.parse_expression(", ".join(branches.results))
    return cst.SimpleStatementLine(
        [cst.Assign([cst.AssignTarget(cast("cst.BaseAssignTargetExpression", target))], call)]
    )


def _cond(site: Site, test: cst.BaseExpression, *arguments: cst.BaseExpression) -> cst.Call:
    function = cst.parse_expression(f"{site.alias('jax.lax')}.cond")
    return cst.Call(function, [cst.Arg(one) for one in (test, *arguments)])


def _thunk(value: cst.BaseExpression) -> cst.Lambda:
    if isinstance(value, cst.Tuple) and not value.lpar:
        value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.Lambda(cst.Parameters(), value)


# Blocks.


def _block(body: cst.BaseSuite) -> cst.IndentedBlock:
    if isinstance(body, cst.IndentedBlock):
        return body
    assert isinstance(body, cst.SimpleStatementSuite)  # noqa: S101 - there are two kinds
    return cst.IndentedBlock([cst.SimpleStatementLine(body.body, trailing_whitespace=body.trailing_whitespace)])


def _other(owner: cst.If) -> cst.IndentedBlock:
    """The way not taken: the else, an elif as an if of its own, or nothing."""
    if owner.orelse is None:
        return cst.IndentedBlock([])
    if isinstance(owner.orelse, cst.If):
        return cst.IndentedBlock([owner.orelse])
    return _block(owner.orelse.body)


def _trees(block: cst.IndentedBlock) -> list[ast.stmt]:
    return ast.parse(cst.Module(cast("Statements", block.body)).code).body


def _tree_of(site: Site, owner: cst.If) -> ast.If:
    found = site.find(owner, ast.If)
    assert isinstance(found, ast.If)  # noqa: S101
    return found


def _check_effects(site: Site, blocks: Sequence[cst.IndentedBlock]) -> None:
    for block in blocks:
        reason = obstacle(_trees(block), site.functions)
        if reason:
            raise CannotRewrite(f"one way {reason}")


def _operands(blocks: Sequence[cst.IndentedBlock], bound: frozenset[str]) -> tuple[str, ...]:
    """Names that a branch changes after reading them: in a function of its own they must be parameters."""
    found: set[str] = set()
    for block in blocks:
        used = flow(_trees(block))
        found |= used.early & used.writes & bound
    return tuple(sorted(found))


def _returns(block: cst.IndentedBlock) -> bool:
    """Whether a `return` of this function stands in a block."""
    return any(isinstance(part, ast.Return) for part in _own_parts(ast.Module(_trees(block), [])))


def _always_returns(block: cst.IndentedBlock) -> bool:
    return flow(_trees(block)).ends


def _own_parts(tree: ast.AST) -> list[ast.AST]:
    """The parts of a function without those of the functions inside."""
    found: list[ast.AST] = []
    todo = list(ast.iter_child_nodes(tree))
    while todo:
        part = todo.pop()
        found.append(part)
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(part))
    return found


def _in_order(function: ast.FunctionDef) -> list[str]:
    """The names of a function in the order of the source."""
    names = [(part.lineno, part.col_offset, part.id) for part in ast.walk(function) if isinstance(part, ast.Name)]
    return list(dict.fromkeys(name for *_, name in sorted(names)))
