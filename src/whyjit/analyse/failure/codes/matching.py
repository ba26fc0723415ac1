"""`match` on a traced value: one choice among the values of all cases."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from whyjit.analyse.failure.rewrite import matched_part
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.analyse.failure.situation import Situation


def matching(situation: Situation) -> list[Remedy]:
    """The ways out of a `match`: `lax.switch` where one whole number decides, and `jnp.select`."""
    owner = situation.use.owner
    if not isinstance(owner, ast.Match):
        return []
    names = situation.names
    written = [situation.text(case.pattern) or ast.unparse(case.pattern) for case in owner.cases]
    more = ", ..." if len(owner.cases) > 4 else ""
    found: list[Remedy] = []
    if _one_number(situation, owner):
        subject = situation.text(owner.subject) + matched_part(situation.located.node, situation.located.ancestors)
        cases = ", ".join(f"<case {one}>" for one in written[:4])
        text = f"{names.lax}.switch({subject}, [{cases}{more}], <operands>)"
        cost = "runs one branch, chosen by a number from 0 up (others are clamped); all must return equal types"
        found.append(Remedy("lax.switch", text, cost))
    tests: list[str] = []
    values: list[str] = []
    for case, pattern in zip(owner.cases, written, strict=True):
        test = None if case.guard is not None else _test(situation, owner.subject, case.pattern)
        if test == "":  # it takes all that is left
            break
        tests.append(test or f"<test of {pattern}>")
        values.append(f"<case {pattern}>")
    more = ", ..." if len(tests) > 4 else ""
    text = f"{names.jnp}.select([{', '.join(tests[:4])}{more}], [{', '.join(values[:4])}{more}], <default>)"
    return [*found, Remedy("jnp.select", text, "computes all candidates")]


def _one_number(situation: Situation, owner: ast.Match) -> bool:
    """Whether one whole number decides, and its cases stand for 0, 1, 2, ... in order, the last one for the rest."""
    subject = situation.see(owner.subject)
    dtype = subject.dtype if subject is not None else ""
    if (dtype and not dtype.lstrip("u").startswith("int")) or any(case.guard is not None for case in owner.cases):
        return False
    cases = [_values(case.pattern) for case in owner.cases]
    if not cases[-1]:
        cases.pop()
    return bool(cases) and all(len(values) == 1 and _is_number(values[0], at) for at, values in enumerate(cases))


def _is_number(node: ast.expr, number: int) -> bool:
    """Whether it is this number; of a constant that has a name the value is not known."""
    return not isinstance(node, ast.Constant) or (type(node.value) is int and node.value == number)


def _values(pattern: ast.pattern) -> list[ast.expr]:
    """What a pattern compares with."""
    if isinstance(pattern, ast.MatchSingleton):
        return [ast.Constant(pattern.value)]
    own = [pattern.value] if isinstance(pattern, ast.MatchValue) else []
    parts = [part for part in ast.iter_child_nodes(pattern) if isinstance(part, ast.pattern)]
    return [*own, *(value for part in parts for value in _values(part))]


def _test(situation: Situation, subject: ast.expr, pattern: ast.pattern) -> str | None:
    """A pattern as array code; "" for one that takes everything, None for one that cannot be written so."""
    if isinstance(pattern, ast.MatchValue):
        return f"{situation.text(subject)} == {situation.text(pattern.value)}"
    if isinstance(pattern, ast.MatchAs):
        return "" if pattern.pattern is None else _test(situation, subject, pattern.pattern)
    if isinstance(pattern, ast.MatchOr):
        return _joined([_test(situation, subject, one) for one in pattern.patterns], "|")
    if isinstance(pattern, ast.MatchSequence) and isinstance(subject, (ast.Tuple, ast.List)):
        if len(pattern.patterns) != len(subject.elts) or any(isinstance(one, ast.Starred) for one in subject.elts):
            return None
        pairs = zip(subject.elts, pattern.patterns, strict=True)
        return _joined([_test(situation, part, one) for part, one in pairs], "&")
    return None


def _joined(tests: list[str | None], sign: str) -> str | None:
    if any(test is None for test in tests) or (sign == "|" and "" in tests):
        return "" if "" in tests and sign == "|" else None
    kept = [test for test in tests if test]
    return kept[0] if len(kept) == 1 else f" {sign} ".join(f"({test})" for test in kept)
