"""A jit of a function that is made anew in each turn of a loop: it is traced and compiled in each turn."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whyjit.lint.reading import Module, Place, parts

CODE = "new-function-each-call"
_MAKERS = frozenset(
    {"jax.grad", "jax.value_and_grad", "jax.vmap", "jax.jacfwd", "jax.jacrev", "jax.hessian", "jax.checkpoint"}
)
_PARTIAL = "functools.partial"

HAZARDS = (
    ("import jax\n\nfor i in range(9):\n    y = jax.jit(lambda x: x + 1)(i)\n", 4),
    ("import jax\n\ndef loss(x):\n    return x\n\nwhile True:\n    g = jax.jit(jax.grad(loss))(1.0)\n", 7),
    ("from jax import jit\nfrom functools import partial\n\nfor k in (1, 2):\n    jit(partial(min, k))(3)\n", 5),
)
FINE = (
    "import jax\n\ndef grow(v):\n    return v * 2\n\nfor _ in range(3):\n    jax.jit(grow)(1.0)\n",
    "import jax\n\nstep = jax.jit(lambda x: x + 1)\nfor i in range(9):\n    y = step(i)\n",
    "import jax\n\nfor n in (1, 2):\n    def make():\n        return jax.jit(lambda x: x)\n",
    "import jax\n\nsteps = {}\nfor n in (1, 2):\n    if n not in steps:\n        steps[n] = jax.jit(lambda x: x * n)\n",
    "import jax\n\nfs = []\nfor n in (1, 2):\n    fs.append(jax.jit(lambda x: x * n))\n",
    "import jax\n\nfor f in (abs, min):\n    g = jax.jit(lambda x: f(x)).lower(1.0)\n",
    "import jax\n\nfor i in range(9):\n    if i == 0:\n        print(jax.jit(lambda x: x + 1)(i))\n",
    "import jax\n\ndef f(jax):\n    for i in range(9):\n        jax.jit(lambda x: x)(i)\n",
    "class jax:\n    jit = staticmethod(lambda f: f)\n\nfor i in range(9):\n    jax.jit(lambda x: x)(i)\n",
)


def find(module: Module) -> Iterator[Place]:
    """Each such call that is called right where it is made."""
    for part in ast.walk(module.tree):
        if not (isinstance(part, ast.Call) and isinstance(part.func, ast.Call) and module.is_jit(part.func.func)):
            continue
        what = _made(module, part.func.args[0]) if part.func.args else ""
        if what and _in_loop(module, part):
            message = f"{what} is made anew in each turn, then traced and compiled: jit it before the loop"
            yield module.place(part.func, CODE, message)


def _made(module: Module, node: ast.expr) -> str:
    if isinstance(node, ast.Lambda):
        return "this lambda"
    if isinstance(node, ast.Call) and module.name(node.func) in _MAKERS | {_PARTIAL}:
        return f"`{module.text(node)}`"
    return ""


def _in_loop(module: Module, node: ast.AST) -> bool:
    """Whether a loop runs it in each turn: not in a function that it only defines, and not in some turns alone."""
    inside = node
    for part in module.ancestors(node):
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            return False
        if isinstance(part, (ast.If, ast.IfExp, ast.BoolOp, ast.Match, ast.Try)) and _is_chosen(part, inside):
            return False  # it may be the first turn alone
        if isinstance(part, (ast.For, ast.While)) and inside in part.body:
            return not any(isinstance(one, (ast.Break, ast.Return)) for one in parts(part.body))
        inside = part
    return False


def _is_chosen(part: ast.AST, inside: ast.AST) -> bool:
    """Whether a part of a condition runs only as it turns out."""
    match part:
        case ast.If() | ast.IfExp():
            return inside is not part.test
        case ast.BoolOp():
            return inside is not part.values[0]
        case ast.Match():
            return inside is not part.subject
        case ast.Try():
            return inside not in part.body and inside not in part.finalbody
        case _:
            return False
