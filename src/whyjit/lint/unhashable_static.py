"""A static parameter whose default is a list, a dict or a set: a call that leaves it out ends with an error."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whyjit.lint.reading import Module, Place

CODE = "unhashable-static"

_HEAD = "import functools, jax\n\n"

HAZARDS = (
    (_HEAD + "@functools.partial(jax.jit, static_argnames=('a',))\ndef f(x, a=[3, 4]):\n    return x\n", 4),
    (_HEAD + "@functools.partial(jax.jit, static_argnums=1)\ndef f(x, cfg={}):\n    return x\n", 4),
)
FINE = (
    _HEAD + "@functools.partial(jax.jit, static_argnames=('a',))\ndef f(x, a=(3, 4)):\n    return x\n",
    _HEAD + "@jax.jit\ndef f(x, params={}):\n    return x\n",
    _HEAD + "@functools.partial(jax.jit, static_argnames='a')\ndef f(x, a=1, rest=[]):\n    return x\n",
    _HEAD + "NAMES = 'a'\n\n@functools.partial(jax.jit, static_argnames=NAMES)\ndef f(x, a=[]):\n    return x\n",
)
_UNHASHABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


def find(module: Module) -> Iterator[Place]:
    """Each such default."""
    for function in module.jitted:
        for name, default in _defaults(function.node.args):
            if name in function.static and isinstance(default, _UNHASHABLE):
                message = f"`{name}` is static, and its default has no hash: write a tuple, or a frozen dataclass"
                yield module.place(default, CODE, message)


def _defaults(given: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    positional = (*given.posonlyargs, *given.args)
    for part, default in zip(reversed(positional), reversed(given.defaults), strict=False):
        yield part.arg, default
    for part, named in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        if named is not None:
            yield part.arg, named
