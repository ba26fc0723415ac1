"""What keeps a stretch of Python from becoming a branch of a program, by its source.

Both branches of `lax.cond` are traced, each once. So a branch may do nothing but compute values: whatever else it does
would be done while it is traced, whichever way the condition goes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

_MUTATING = frozenset({
    "append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault", "add", "discard",
    "sort", "reverse", "write", "writelines", "flush", "send", "put", "put_nowait", "record", "log", "inc",
    "seek", "close", "shuffle", "seed", "block_until_ready", "copy_to_host_async", "add_scalar", "itemset", "fill",
})  # fmt: skip
# `set` and `add` of `x.at[i]` make new arrays.
_AT = frozenset({"set", "add", "multiply", "divide", "power", "min", "max", "apply", "get", "subtract", "mul"})
_DOING = frozenset({
    "print", "open", "input", "exec", "eval", "setattr", "delattr", "next", "breakpoint", "exit", "quit", "globals",
    "locals", "vars", "__import__",
})  # fmt: skip
_DOING_MODULES = frozenset({
    "logging", "logger", "log", "warnings", "random", "time", "os", "sys", "io", "shutil", "subprocess", "wandb",
})  # fmt: skip
_DEPTH = 3


def obstacle(nodes: Iterable[ast.AST], functions: Mapping[str, ast.FunctionDef] | None = None) -> str:
    """Why nodes cannot be (part of) a branch; "" if nothing speaks against it.

    `functions` are those of the same file by name: one that is called is looked into, too.
    """
    return _obstacle(list(nodes), functions or {}, _DEPTH, top=True)


def _obstacle(nodes: list[ast.AST], functions: Mapping[str, ast.FunctionDef], depth: int, *, top: bool) -> str:
    called: set[str] = set()
    for node in nodes:
        for part, in_loop, inside in _parts(node):
            reason = _of(part, in_loop=in_loop, nested=inside or not top)
            if reason:
                return reason
            if isinstance(part, ast.Call) and isinstance(part.func, (ast.Name, ast.Attribute)):
                called.add(part.func.id if isinstance(part.func, ast.Name) else part.func.attr)
    for name in sorted(called & functions.keys()):
        if depth:
            reason = _obstacle(list(functions[name].body), functions, depth - 1, top=False)
            if reason:
                return f"it calls {name}, which does more than compute ({reason})"
    return ""


def _parts(node: ast.AST) -> Iterable[tuple[ast.AST, bool, bool]]:
    """The parts of a node, each with whether a loop inside the node holds it, and whether a function inside does."""
    todo = [(node, False, False)]
    while todo:
        part, in_loop, inside = todo.pop()
        yield part, in_loop, inside
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            todo.extend((child, False, True) for child in ast.iter_child_nodes(part))
            continue
        looping = in_loop or isinstance(part, (ast.For, ast.AsyncFor, ast.While))
        todo.extend((child, looping, inside) for child in ast.iter_child_nodes(part))


_WORDS: dict[type[ast.AST], str] = {
    ast.Raise: "raises an exception",
    ast.Assert: "holds an assert",
    ast.Global: "declares a global name",
    ast.Nonlocal: "declares a nonlocal name",
    ast.Yield: "yields",
    ast.YieldFrom: "yields",
    ast.Await: "awaits",
    ast.AsyncFor: "awaits",
    ast.AsyncWith: "awaits",
    ast.Delete: "deletes a name",
    ast.Try: "handles exceptions",
    ast.TryStar: "handles exceptions",
    ast.NamedExpr: "binds a name inside an expression (:=)",
    ast.ClassDef: "defines a class",
}


def _of(part: ast.AST, *, in_loop: bool, nested: bool) -> str:
    """Why one node speaks against it."""
    if type(part) in _WORDS and not (nested and isinstance(part, (ast.Yield, ast.YieldFrom))):
        return _WORDS[type(part)]
    if isinstance(part, (ast.Break, ast.Continue)) and not in_loop:
        return f"leaves the loop around it ({type(part).__name__.lower()})"
    if isinstance(part, (ast.Attribute, ast.Subscript)) and isinstance(part.ctx, ast.Store):
        return f"assigns to {ast.unparse(part)}"
    if isinstance(part, (ast.Attribute, ast.Subscript)) and isinstance(part.ctx, ast.Del):
        return f"deletes {ast.unparse(part)}"
    return _of_call(part) if isinstance(part, ast.Call) else ""


def _of_call(call: ast.Call) -> str:
    written = ast.unparse(call.func)
    if isinstance(call.func, ast.Name) and call.func.id in _DOING:
        return f"calls {written}"
    if not isinstance(call.func, ast.Attribute):
        return ""
    root = written.split(".")[0].split("(")[0]
    if root in _DOING_MODULES or written.startswith(
        ("np.random.", "numpy.random.", "jax.debug.", "jax.experimental.io")
    ):
        return f"calls {written}"
    if call.func.attr in _MUTATING and not _is_update(call.func) and not _is_function_of_module(call.func):
        return f"calls {written}, which may change an object"
    return ""


def _is_update(func: ast.Attribute) -> bool:
    """`x.at[i].add`."""
    owner = func.value
    return (
        func.attr in _AT
        and isinstance(owner, ast.Subscript)
        and isinstance(owner.value, ast.Attribute)
        and owner.value.attr == "at"
    )


def _is_function_of_module(func: ast.Attribute) -> bool:
    """`jnp.add`, `jnp.sort`, `lax.add`, `jnp.insert`, `jax.numpy.append`: functions that make new arrays."""
    return ast.unparse(func.value) in ("jnp", "jax.numpy", "lax", "jax.lax", "np", "numpy", "jsp", "optax")
