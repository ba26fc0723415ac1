"""`non-array-argument`: a jitted function was called with something that is no array."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.failure.codes.common import Fails
from whyjit.analyse.failure.codes.declared import Declared
from whyjit.analyse.failure.rewrite import Aliases, aliases_of
from whyjit.analyse.page import Example, Page
from whyjit.model.failure import Remedy
from whyjit.model.scene import NotArrays

if TYPE_CHECKING:
    from whyjit.analyse.failure.locate import Located

PAGE = Page(
    code="non-array-argument",
    title="A jitted function was given something that is no array, or returned it",
    what=(
        "A leaf of the arguments, or of the result, is a string, a function, a path, or an object that JAX does not "
        "know."
    ),
    why=(
        "Everything that is not static becomes an input of the program, and what is returned an output: inputs and "
        "outputs are arrays and numbers. An object "
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

_BUILTIN = frozenset({"str", "bytes", "type", "module", "range", "slice"})
_HASHED = "one trace and one compile for each distinct value"
_BY_IDENTITY = f"{_HASHED}: functions are told apart by identity, so pass the same objects each time"


def remedies(found: NotArrays, located: Located | None = None) -> list[Remedy]:
    """The ways out, the fittest first. `located` is the call, in whose file the function may be jitted."""
    names = list(dict.fromkeys(re.split(r"[\[.]", path)[0] for path, _ in found.leaves))
    inside = any(path not in names for path, _ in found.leaves)
    kinds = set(found.kinds or (_kind(type_name) for _, type_name in found.leaves))
    paths = ", ".join(path for path, _ in found.leaves[:4])
    hashed = _BY_IDENTITY if "function" in kinds else _HASHED
    if found.transformation != "jit":
        given = ", ".join(f"{name}={name}" for name in names)
        text = f"jax.{found.transformation}(functools.partial({found.function}, {given})), called with the rest"
        return [Remedy("functools.partial", text, "none; what is not differentiated or mapped is fixed"),
                _closure(found.function, paths)]  # fmt: skip
    static = Remedy("static_argnames", _declared(found, located).with_static(names), hashed)
    drop = Remedy("take it out", f"remove {paths} before the call: it is no input of a program", "none")
    apart = Remedy(
        "static_argnames", f"pass {paths} by itself as a static argument of {found.function} (static_argnames)", hashed
    )
    if found.package == "equinox" and found.mixed:
        text = f"equinox.filter_jit({found.function}): arrays are traced, and what is no array is static"
        return [Remedy("filter_jit", text, hashed), apart]
    if "function" in kinds and found.mixed:  # what holds arrays cannot be hashed as a whole
        return [_metadata(paths), apart, _closure(found.function, paths)]
    if "function" in kinds:
        return [static, _closure(found.function, paths)]
    if inside and kinds <= {"setting", "array", "objects"}:
        return [drop, apart]
    if inside:
        return [drop, apart, *_registered(found)]
    if kinds == {"iterator"}:
        text = f"{names[0]}=tuple({names[0]}): a tuple of arrays is one argument with a leaf for each"
        return [Remedy("tuple", text, f"its length is part of the program; {names[0]} is used up")]
    if "objects" in kinds:
        text = f"jnp.stack(list({names[0]})) where all have one shape; else pad them to one, or pass a list of arrays"
        return [Remedy("jnp.stack", text, "none"), drop]
    if "array" in kinds:
        return [drop]
    if kinds == {"setting"}:
        return [static]
    return [*_registered(found), Remedy("arrays", f"pass the arrays inside {paths} instead of the object", "none"),
            _static_object(found, static)]  # fmt: skip


def _declared(found: NotArrays, located: Located | None) -> Declared:
    tree = located.ancestors[0] if located is not None and located.ancestors else None
    lines = located.lines if located is not None else ()
    return Declared(found.function, 0, tree, lines, Aliases() if tree is None else aliases_of(tree))


def _kind(type_name: str) -> str:
    if type_name in ("function", "builtin_function_or_method", "method", "custom_jvp"):
        return "function"
    if type_name.startswith("ndarray"):
        return "array"
    return "setting" if type_name in _BUILTIN else "object"


def _closure(function: str, paths: str) -> Remedy:
    return Remedy("closure", f"let {function} use {paths} from outside instead of taking it", "fixed once traced")


def _metadata(paths: str) -> Remedy:
    text = f"make {paths} metadata of its class (meta_fields of jax.tree_util.register_dataclass, or a static field)"
    return Remedy("metadata", text, _BY_IDENTITY)


def _object(found: NotArrays) -> str:
    return next((kind for _, kind in found.leaves if _kind(kind) == "object"), found.leaves[0][1])


def _registered(found: NotArrays) -> list[Remedy]:
    kind = _object(found)
    return [
        Remedy(
            "register_dataclass",
            f"@jax.tree_util.register_dataclass above @dataclass class {kind}, so that its fields are leaves",
            "the class must be a dataclass; for others, jax.tree_util.register_pytree_node",
        )
    ]


def _static_object(found: NotArrays, static: Remedy) -> Remedy:
    kind = _object(found)
    return Remedy(
        "static_argnames", static.text, f"{_HASHED}; {kind} needs __hash__ and __eq__, and must hold no arrays"
    )


def returned_remedies(function: str, source: str) -> list[Remedy]:
    """What to do about a result that is no array."""
    return [
        Remedy("take it out", f"leave {source} out of what {function} returns, and add it outside", "none"),
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


_RETURNED = re.compile(
    r"function (?P<function>\S+) at (?P<file>.+?):(?P<line>\d+) traced for \w+ returned a value of type "
    r"<class '(?P<type>[^']+)'>(?: at output component (?P<path>.+?))?, which is not",
)


class Returned(NamedTuple):
    """A result that is no array: the function, where it is defined, the leaf's path and type.

    `path` is None where the message has no path, though it has room for one: JAX 0.8 puts something else there.
    """

    function: str
    file: str
    line: int
    path: str | None
    type_name: str


def returned_by(message: str) -> Returned | None:
    """What JAX's message tells of a result that is no array."""
    match = _RETURNED.search(message)
    if match is None:
        return None
    kind = match["type"].rpartition(".")[2]
    path = match["path"] or ""
    known = not path or path[0] in "[."
    return Returned(match["function"], match["file"], int(match["line"]), path if known else None, kind)
