"""What a function's source does besides computing: such a function must not be run again, nor be traced less often."""

from __future__ import annotations

import ast

_DOING = frozenset({"print", "open", "input", "exec", "eval", "setattr", "delattr", "breakpoint"})
_CHANGING = frozenset({
    "append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault", "discard", "write",
    "writelines", "put", "put_nowait", "send", "inc", "info", "warning", "error", "debug",
})  # fmt: skip
_CHANGEABLE = frozenset({"logging", "logger", "log", "warnings", "random", "time", "os", "sys"})


def side_effect(source: str, qualname: str, line: int) -> str:
    """Why a function is not run again, "" if nothing in its source speaks against it."""
    name = qualname.rpartition(".")[2]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if line in {first, node.lineno}:
                return _effect(node)
    return ""


def reads(source: str, line: int, name: str) -> bool:
    """Whether the function at a line reads a name in its body."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if line in {first, node.lineno}:
                parts = (part for statement in node.body for part in ast.walk(statement))
                return any(isinstance(part, ast.Name) and part.id in {name, "locals", "vars"} for part in parts)
    return True


def _effect(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    own = _bound(function)
    for node in ast.walk(function):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            return f"line {node.lineno} writes to a name outside the function (`{', '.join(node.names)}`)"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _DOING:
            return f"line {node.lineno} calls `{node.func.id}`, which would be done again, or less often"
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, (ast.Store, ast.Del)):
            root = _root(node)
            if isinstance(node, ast.Attribute) or root not in own:
                return f"line {node.lineno} changes `{ast.unparse(node)}`"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            root = _root(node.func)
            if root in _CHANGEABLE and root not in own:
                called = ast.unparse(node.func)
                return f"line {node.lineno} calls `{called}`, which has an effect or another answer each time"
            if node.func.attr in _CHANGING and root not in own and root:
                return f"line {node.lineno} changes `{root}` (`{ast.unparse(node.func)}`)"
    return ""


def _bound(function: ast.AST) -> set[str]:
    """The names that the function binds in its body: what is changed in those stays inside."""
    return {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _root(node: ast.expr) -> str:
    """The name that a chain of attributes and items begins with; "" where it does not begin with one."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
