"""`non-array-argument`: a jitted function was called with something that is no array."""

from __future__ import annotations

import re

from whyjit.analyse.failure.codes.common import Fails
from whyjit.analyse.page import Example, Page
from whyjit.model.failure import Remedy
from whyjit.model.scene import NotArrays

PAGE = Page(
    code="non-array-argument",
    title="A jitted function was called with something that is no array",
    what="A leaf of the arguments is a string, a function, a path, or an object that JAX does not know.",
    why=(
        "Everything that is not static becomes an input of the program, and inputs are arrays and numbers. An object "
        "of a class that is not registered as a pytree is one leaf to JAX, whatever it holds."
    ),
    todo=(
        "Configuration (a mode, a function, a flag) belongs in `static_argnames`. Data inside an object of your own "
        "needs the class to be registered (`jax.tree_util.register_dataclass`, or equinox and flax modules). What the "
        "function does not use is best taken out of the batch before the call."
    ),
    ignore="Never: the call did not happen. If the error was caught on purpose, there is nothing to do.",
    before=Example("""
import jax
import jax.numpy as jnp

@jax.jit
def pool(x, mode):
    return x.max() if mode == "max" else x.mean()

pool(jnp.ones(3), "max")
"""),
    after=Example(
        """
import functools

import jax
import jax.numpy as jnp

@functools.partial(jax.jit, static_argnames="mode")
def pool(x, mode):
    return x.max() if mode == "max" else x.mean()

pool(jnp.ones(3), "max")
""",
        shows=False,
    ),
)
FAILS = Fails("TypeError", 'pool(jnp.ones(3), "max")', ("mode",))

_BUILTIN = frozenset(
    {"str", "bytes", "function", "builtin_function_or_method", "type", "module", "range", "slice", "method"}
)
_HASHED = "one trace and one compile for each distinct value"


def remedies(found: NotArrays) -> list[Remedy]:
    """The ways out, the fittest first."""
    names = list(dict.fromkeys(re.split(r"[\[.]", path)[0] for path, _ in found.leaves))
    inside = any(path not in names for path, _ in found.leaves)
    kinds = list(dict.fromkeys(kind for _, kind in found.leaves))
    paths = ", ".join(path for path, _ in found.leaves[:4])
    given = f'"{names[0]}"' if len(names) == 1 else "(" + ", ".join(f'"{name}"' for name in names) + ")"
    static = Remedy("static_argnames", f"jax.jit({found.function}, static_argnames={given})", _HASHED)
    if any(kind in ("function", "builtin_function_or_method", "method") for kind in kinds):
        cost = f"{_HASHED}: functions are told apart by identity, so pass the same objects each time"
        static = Remedy("static_argnames", static.text, cost)
        closure = Remedy(
            "closure", f"let {found.function} use {paths} from outside instead of taking it", "fixed once traced"
        )
        return [static, closure]
    drop = Remedy("take it out", f"remove {paths} before the call: it is no input of a program", "none")
    if inside:
        part = Remedy(
            "static_argnames",
            f"pass {paths} by itself as a static argument of {found.function} (static_argnames)",
            _HASHED,
        )
        return [drop, part]
    if any(kind.startswith("ndarray") for kind in kinds):
        return [drop]
    if all(kind in _BUILTIN for kind in kinds):
        return [static]
    kind = next((kind for kind in kinds if kind not in _BUILTIN), kinds[0])
    return [
        Remedy(
            "register_dataclass",
            f"@jax.tree_util.register_dataclass above @dataclass class {kind}, so that its fields are leaves",
            "the class must be a dataclass; for others, jax.tree_util.register_pytree_node",
        ),
        Remedy("arrays", f"pass the arrays inside {paths} instead of the object", "none"),
        Remedy("static_argnames", static.text, f"{_HASHED}; {kind} needs __hash__ and __eq__, and must hold no arrays"),
    ]


_TOLD = re.compile(
    r"interpreting argument to (?P<function>.+?) as an abstract array\..*?of type <class '(?P<type>[^']+)'>"
    r".*?function at path (?P<path>.+?)\.?\n",
    re.DOTALL,
)


def told_by(message: str) -> NotArrays | None:
    """What JAX's message tells, where the call itself is out of reach: the first leaf only."""
    match = _TOLD.search(message)
    if match is None:
        return None
    function = re.sub(r"^<(?:function|bound method) (.+?)(?: (?:at|of) .*)?>$", r"\1", match["function"])
    return NotArrays(function, ((match["path"].strip(), match["type"].rpartition(".")[2]),))
