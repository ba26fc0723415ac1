"""What a function's source does besides computing: such a function must not be run again, nor be traced less often."""

from __future__ import annotations

import ast

_DOING = frozenset({"print", "open", "input", "exec", "eval", "setattr", "delattr", "breakpoint"})
_CHANGING = frozenset({
    "append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault", "discard", "write",
    "writelines", "put", "put_nowait", "send", "inc", "info", "warning", "error", "debug",
})  # fmt: skip
_CHANGEABLE = frozenset({"logging", "logger", "log", "warnings", "random", "time", "os", "sys"})


_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def functions_at(tree: ast.AST, line: int, name: str) -> list[_Function]:
    """The functions of that name whose `def`, `lambda` or first decorator stands at a line: one, but for lambdas."""
    found: list[_Function] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and name == "<lambda>" and node.lineno == line:
            found.append(node)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if line in {first, node.lineno}:
                found.append(node)
    return found


def side_effect(source: str, qualname: str, line: int) -> str:
    """Why a function is not run again, "" if nothing in its source speaks against it."""
    found = functions_at(ast.parse(source), line, qualname.rpartition(".")[2])
    return next((effect for effect in map(_effect, found) if effect), "")


def reads(source: str, line: int, name: str, parameter: str) -> bool:
    """Whether the function of that name at a line reads a parameter in its body."""
    found = functions_at(ast.parse(source), line, name)
    for node in found:
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        parts = (part for statement in body for part in ast.walk(statement))
        if any(isinstance(part, ast.Name) and part.id in {parameter, "locals", "vars"} for part in parts):
            return True
    return not found


def _effect(function: _Function) -> str:
    own = _bound(function)
    # `updates, state = optimizer.update(...)` computes; a dictionary's `update` gives nothing to go on with.
    alone = {id(node.value) for node in ast.walk(function) if isinstance(node, ast.Expr)}
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
            computes = node.func.attr == "update" and id(node) not in alone
            if node.func.attr in _CHANGING and not computes and root not in own and root:
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
