"""Variants of the user's source that a rewrite is measured against. They are run, and never shown."""

from __future__ import annotations

import ast

from whyjit.rewrite.control.names import writes

# Names that a variant reads, which stand among the builtins while it is tried.
WAY = "__whyjit_way__"
STORE = "__whyjit_store__"


def with_numpy_stores(text: str) -> str:
    """The source with each `x[i] = v` on a name of its function's own as `x = STORE(x, i, v)`.

    An array of JAX's refuses such an assignment, so the original cannot be run. `STORE` does what NumPy would do.
    """
    tree = ast.parse(text)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            own = writes(function.body) | {part.arg for part in ast.walk(function.args) if isinstance(part, ast.arg)}
            function.body = [_Stores(own).visit(part) for part in function.body]
    return ast.unparse(ast.fix_missing_locations(tree))


class _Stores(ast.NodeTransformer):
    def __init__(self, own: frozenset[str] | set[str]) -> None:
        self._own = own

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        target = node.targets[0]
        name = self._name(target)
        if len(node.targets) > 1 or not name or not isinstance(target, ast.Subscript):
            return node
        return _store(name, target, node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        name = self._name(node.target)
        if not name or not isinstance(node.target, ast.Subscript):
            return node
        before = ast.Subscript(ast.Name(name, ast.Load()), node.target.slice, ast.Load())
        return _store(name, node.target, ast.BinOp(before, node.op, node.value))

    def _name(self, target: ast.expr) -> str:
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and target.value.id in self._own:
            return target.value.id
        return ""


def _store(name: str, target: ast.Subscript, value: ast.expr) -> ast.Assign:
    arguments = [ast.Name(name, ast.Load()), _index(target.slice), value]
    return ast.Assign([ast.Name(name, ast.Store())], ast.Call(ast.Name(STORE, ast.Load()), arguments, []))


def _index(node: ast.expr) -> ast.expr:
    """An index as a value: `a:b` as `slice(a, b, None)`."""
    if isinstance(node, ast.Slice):
        none = ast.Constant(None)
        parts = [node.lower or none, node.upper or none, node.step or none]
        return ast.Call(ast.Name("slice", ast.Load()), parts, [])
    if isinstance(node, ast.Tuple):
        return ast.Tuple([_index(part) for part in node.elts], ast.Load())
    return node
