"""`if ... elif ... else` as one choice among several values."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.failure.codes.candidates import all_arrays
from whyjit.analyse.failure.codes.common import ONE
from whyjit.analyse.failure.rewrite import traced_condition
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.analyse.failure.situation import Situation


class Chain(NamedTuple):
    """The tests in order, the value for each and, last, the one for none of them; `before` begins the statement."""

    before: str
    tests: list[ast.expr]
    values: list[ast.expr]


def chain_of(top: ast.If | ast.IfExp, ancestors: Sequence[ast.AST]) -> Chain | None:
    """The chain that begins with an `if`, where each branch is one `return` or sets one and the same name."""
    if isinstance(top, ast.IfExp):
        return _expressions(top)
    tests: list[ast.expr] = []
    bodies: list[ast.stmt | None] = []
    current: ast.If | None = top
    last: ast.stmt | None = None
    while current is not None:
        tests.append(current.test)
        bodies.append(current.body[0] if len(current.body) == 1 else None)
        rest = current.orelse
        current = rest[0] if len(rest) == 1 and isinstance(rest[0], ast.If) else None
        last = rest[0] if current is None and len(rest) == 1 else None
    if len(tests) < 2:
        return None
    if last is None and isinstance(bodies[0], ast.Return):
        last = _following(top, ancestors)
    parts = [_value(statement) for statement in (*bodies, last)]
    befores = {part[0] for part in parts if part is not None}
    if any(part is None for part in parts) or len(befores) != 1:
        return None
    return Chain(befores.pop(), tests, [part[1] for part in parts if part is not None])


def _expressions(top: ast.IfExp) -> Chain | None:
    """`a if p else b if q else c`."""
    tests: list[ast.expr] = []
    values: list[ast.expr] = []
    current: ast.expr = top
    while isinstance(current, ast.IfExp):
        tests.append(current.test)
        values.append(current.body)
        current = current.orelse
    return Chain("", tests, [*values, current]) if len(tests) > 1 else None


def numbered(tests: list[ast.expr]) -> ast.expr | None:
    """What all tests compare with the numbers 0, 1, 2, ... in order; None where they do otherwise."""
    subject: ast.expr | None = None
    for at, test in enumerate(tests):
        if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)):
            return None
        number = test.comparators[0]
        if not (isinstance(number, ast.Constant) and number.value == at and type(number.value) is int):
            return None
        if subject is not None and ast.dump(subject) != ast.dump(test.left):
            return None
        subject = test.left
    return subject


def _value(statement: ast.stmt | None) -> tuple[str, ast.expr] | None:
    if isinstance(statement, ast.Return) and statement.value is not None:
        return "return ", statement.value
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return f"{statement.targets[0].id} = ", statement.value
    return None


def _following(top: ast.If, ancestors: Sequence[ast.AST]) -> ast.stmt | None:
    parent = ancestors[-1] if ancestors else None
    for field in ("body", "orelse", "finalbody"):
        body: list[ast.stmt] = getattr(parent, field, [])
        if isinstance(body, list) and top in body:
            at = body.index(top)
            return body[at + 1] if at + 1 < len(body) else None
    return None


def chain_remedies(situation: Situation, owner: ast.AST | None) -> list[Remedy]:
    """`if ... elif ... else`: `lax.switch` where each test is for the next number from 0 up, else `jnp.select`.

    The chain begins where it failed: the tests before were decided by Python.
    """
    found = chain_of(owner, situation.above(owner)) if isinstance(owner, (ast.If, ast.IfExp)) else None
    if found is None or not all(situation.is_traced(test) for test in found.tests):
        return []
    if not all_arrays(situation, found.values):
        return []
    names, lines = situation.names, situation.lines
    values = [situation.text(value) for value in found.values]
    tests = [traced_condition(test, lines, names, situation.is_list) for test in found.tests]
    select = f"{names.jnp}.select([{', '.join(tests)}], [{', '.join(values[:-1])}], {values[-1]})"
    nested = values[-1]
    for test, value in reversed(list(zip(tests, values, strict=False))):
        nested = f"{names.lax}.cond({test}, lambda: {value}, lambda: {nested})"
    remedies = [
        Remedy("jnp.select", found.before + select, "computes all candidates; they must have one shape and dtype"),
        Remedy("lax.cond", found.before + nested, ONE),
    ]
    subject = numbered(found.tests)
    if subject is not None:
        branches = ", ".join(f"lambda: {value}" for value in values)
        text = f"{found.before}{names.lax}.switch({situation.text(subject)}, [{branches}])"
        cost = "runs one branch; numbers beyond the last are taken for it, and those below 0 for 0"
        return [Remedy("lax.switch", text, cost), *remedies]
    return remedies
