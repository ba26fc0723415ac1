"""Finds the failing expression: from the instruction that was executing to the syntax node, on every Python.

Positions of instructions are right most of the time. What is known to mislead, and how it is dealt with:

- Python 3.11 gives the jump of an implicit `bool` the whole statement, and sometimes (after jumps were merged) the
  source of another condition; `a or b` and `not a` carry the whole operation on every version. So for a jump the
  instruction that produced the value is looked up, and the node is raised to the operand of the condition it stands in.
- Python 3.13 loads two names in one instruction, whose position is that of the first. The operand is the last name.
- A frame that cleaned up after the error (a `finally`, a `with`, on 3.12 a comprehension) has moved on to raise it
  again, and JAX's shortened traceback tells where it is now, with the line of the error. Then the expression is the
  only one in that line that can have failed so, or not known.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.failure import syntax
from whyjit.model.scene import TWO_NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.model.scene import Instruction, Point, Span

_TRUTH = ("POP_JUMP", "JUMP_IF", "UNARY_NOT", "TO_BOOL")
_BETWEEN = ("COPY", "SWAP", "NOP", "EXTENDED_ARG", "PRECALL", "TO_BOOL", "CACHE")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Located(NamedTuple):
    """An expression in its source: the node, its ancestors (outermost first), and the lines of the file.

    `truth` tells that Python itself asked whether the value is true, not a function that was called with it.
    """

    node: ast.expr
    ancestors: tuple[ast.AST, ...]
    lines: tuple[str, ...]
    truth: bool = False

    @property
    def text(self) -> str:
        """The expression as the user wrote it."""
        return source_of(self.node, self.lines)

    @property
    def statement(self) -> ast.stmt | None:
        """The statement it stands in."""
        return next((part for part in reversed(self.ancestors) if isinstance(part, ast.stmt)), None)

    @property
    def function(self) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
        """The function it stands in."""
        return next((part for part in reversed(self.ancestors) if isinstance(part, _SCOPES)), None)


def source_of(node: ast.AST, lines: Sequence[str]) -> str:
    """A node's source. Inside an f-string Python 3.11 has no true positions; there it is written anew."""
    if not isinstance(node, (ast.expr, ast.stmt, ast.pattern, ast.keyword)):
        return ""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    if last >= len(lines):
        return ast.unparse(node)
    parts = [line.encode() for line in lines[first : last + 1]]
    parts[-1] = parts[-1][: node.end_col_offset]
    parts[0] = parts[0][node.col_offset :]
    text = b"".join(parts).decode(errors="replace")
    if isinstance(node, ast.expr) and not _means(text, node):
        return ast.unparse(node)
    return text


def _means(text: str, node: ast.expr) -> bool:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    if any(isinstance(part, ast.Slice) for part in parts):  # it has a meaning between brackets only
        read = syntax.expression(f"_[{text}]")
        return isinstance(read, ast.Subscript) and _shape(read.slice) == _shape(node)
    read = syntax.expression(f"({text})")
    return read is not None and _shape(read) == _shape(node)


def _shape(node: ast.expr) -> str:
    return ast.dump(node).replace("ctx=Store()", "ctx=Load()")


def characters(lines: Sequence[str], line: int, column: int) -> int:
    """A column in bytes as a column in characters."""
    if not 0 < line <= len(lines):
        return column
    return len(lines[line - 1].encode()[:column].decode(errors="replace"))


def locate(point: Point, lines: list[str], *, truth: bool = False) -> Located | None:
    """The expression that was being evaluated at a point; None without source or positions.

    `truth` tells that the error is about a `bool`, for where it must be told by its looks.
    """
    tree = syntax.module_of(lines)
    if tree is None or not point.instructions:
        return None
    newest, *earlier = point.instructions
    if newest.name == "RERAISE":
        return _only_candidate(tree, point.line, lines, truth=truth)
    if not newest.name.startswith(_TRUTH):
        return _whole_string(_at(tree, newest.span, lines))
    found = _truth(tree, newest, _producer(earlier), lines)
    return None if found is None else found._replace(truth=True)


def _only_candidate(tree: ast.Module, line: int, lines: list[str], *, truth: bool) -> Located | None:
    """The expression in a line that can have failed, if there is only one."""
    found: list[tuple[ast.expr, tuple[ast.AST, ...]]] = []
    todo: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(tree, ())]
    while todo:
        node, ancestors = todo.pop()
        if isinstance(node, ast.expr) and node.lineno == line:
            asked = bool(ancestors) and _asks_truth(ancestors[-1], node) and not isinstance(node, ast.BoolOp)
            if asked if truth else isinstance(node, (ast.Call, ast.Subscript)):
                found.append((node, ancestors))
        todo.extend((child, (*ancestors, node)) for child in ast.iter_child_nodes(node))
    return Located(*found[0], tuple(lines), truth) if len(found) == 1 else None


def _truth(tree: ast.Module, newest: Instruction, producer: Instruction | None, lines: list[str]) -> Located | None:
    own = _at(tree, newest.span, lines)
    if producer is None:
        return own
    if producer.name in TWO_NAMES:
        return _named_operand(own, producer.argument.split(", ")[-1], lines) or own
    return _operand(_at(tree, producer.span, lines)) or own


def _producer(earlier: Sequence[Instruction]) -> Instruction | None:
    """The instruction that made the value on top of the stack."""
    for at, one in enumerate(earlier):
        if one.name in _BETWEEN:
            continue
        if one.name.startswith("STORE_") and one.name not in TWO_NAMES:
            following = earlier[at + 1].name if at + 1 < len(earlier) else ""
            if following == "COPY":  # an assignment expression keeps a copy
                continue
        return one
    return None


def _at(tree: ast.Module, span: Span | None, lines: list[str]) -> Located | None:
    """The expression with exactly this span; else the smallest one around it."""
    if span is None:
        return None
    wanted = (span.line, span.column, span.end_line, span.end_column)
    best: tuple[ast.expr, tuple[ast.AST, ...]] | None = None
    todo: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(tree, ())]
    while todo:
        node, ancestors = todo.pop()
        place = _place(node)
        if place is not None and not _holds(place, wanted):
            continue
        if isinstance(node, ast.expr):
            best = (node, ancestors)
            if place == wanted and not _same_place_child(node, wanted):
                break
        inside = (*ancestors, node)
        todo.extend((child, inside) for child in reversed(list(ast.iter_child_nodes(node))))
    return None if best is None else Located(best[0], best[1], tuple(lines))


def _place(node: ast.AST) -> tuple[int, int, int, int] | None:
    if isinstance(node, (ast.expr, ast.stmt, ast.pattern, ast.arg, ast.keyword, ast.excepthandler)):
        line, column = node.lineno, node.col_offset
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.decorator_list:
            line, column = node.decorator_list[0].lineno, 0
        return line, column, node.end_lineno or line, node.end_col_offset or column
    return None


def _same_place_child(node: ast.expr, wanted: tuple[int, int, int, int]) -> bool:
    return any(_place(child) == wanted for child in ast.iter_child_nodes(node))


def _holds(outer: tuple[int, int, int, int], inner: tuple[int, int, int, int]) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def _whole_string(located: Located | None) -> Located | None:
    """Raise a part of an f-string that was being formatted to the f-string."""
    if located is None:
        return None
    chain = (*located.ancestors, located.node)
    at = len(chain) - 1
    while at > 0 and isinstance(chain[at], (ast.FormattedValue, ast.JoinedStr, ast.Constant)):
        if isinstance(chain[at - 1], (ast.FormattedValue, ast.JoinedStr)):
            at -= 1
        else:
            break
    node = chain[at]
    return located._replace(node=node, ancestors=chain[:at]) if isinstance(node, ast.JoinedStr) else located


def _operand(located: Located | None) -> Located | None:
    """Raise a node to the operand whose truth is asked: a side of `and`/`or`, what `not` is of, a whole condition."""
    if located is None:
        return None
    node: ast.expr = located.node
    ancestors = located.ancestors
    while ancestors:
        parent = ancestors[-1]
        if _asks_truth(parent, node):
            return Located(node, ancestors, located.lines)
        if not isinstance(parent, ast.expr):
            break
        node, ancestors = parent, ancestors[:-1]
    return located


def _asks_truth(parent: ast.AST, node: ast.AST) -> bool:
    if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return parent.test is node
    if isinstance(parent, ast.BoolOp):
        return True
    if isinstance(parent, ast.UnaryOp):
        return isinstance(parent.op, ast.Not)
    if isinstance(parent, ast.comprehension):
        return node in parent.ifs
    return isinstance(parent, ast.match_case) and parent.guard is node


def _named_operand(own: Located | None, name: str, lines: list[str]) -> Located | None:
    """The operand of a condition that is just this name."""
    if own is None:
        return None
    candidates: list[ast.expr] = [own.node]
    if isinstance(own.node, ast.BoolOp):
        candidates = own.node.values
    elif isinstance(own.node, ast.UnaryOp):
        candidates = [own.node.operand]
    for candidate in candidates:
        if isinstance(candidate, ast.Name) and candidate.id == name:
            ancestors = own.ancestors if candidate is own.node else (*own.ancestors, own.node)
            return Located(candidate, ancestors, tuple(lines))
    return None
