"""Remedies that several codes share."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.failure import syntax
from whyjit.analyse.failure.codes.declared import Declared
from whyjit.model.failure import Remedy

if TYPE_CHECKING:
    from whyjit.analyse.failure.situation import Situation
    from whyjit.model.scene import Origin


class Fails(NamedTuple):
    """What must be said about the example of a page: tests run it."""

    error: str
    expression: str
    arguments: tuple[str, ...]


BOTH = "computes both candidates, for all elements, and keeps one"
REVERSE = "no gradient by reverse mode through it; what it carries must keep its shape and dtype"
ONE = "runs one branch; both must return the same structure, shapes and dtypes"


def static(situation: Situation) -> list[Remedy]:
    """Make the arguments configuration, where nothing speaks against it."""
    origin = situation.origin
    if origin is not None and origin.transformation == "filter_jit":
        return _python_value(situation, origin)
    arguments = situation.configurable
    gathered = _gathered(situation)
    if gathered is not None:
        return [gathered]
    if not arguments or origin is None:
        return static_leaf(situation)
    text = static_text(situation, origin, [argument.path for argument in arguments]) + _as_well(situation, origin)
    each = " and ".join(f"`{argument.path}`" for argument in arguments)
    cost = f"one trace and one compile for each distinct value of {each}; only if there are few"
    return [Remedy("static_argnames", text, cost)]


def _gathered(situation: Situation) -> Remedy | None:
    """Arguments that `*sizes` or `**options` took up: whole arguments, though their paths look like parts of one."""
    origin = situation.origin
    function = _declared(situation, origin).definition if origin is not None else None
    if origin is None or function is None or origin.transformation != "jit" or situation.nature == "data":
        return None
    arguments = function.args
    rest = arguments.vararg.arg if arguments.vararg is not None else ""
    named = arguments.kwarg.arg if arguments.kwarg is not None else ""
    before = len(arguments.posonlyargs) + len(arguments.args)
    numbers: list[int] = []
    names: list[str] = []
    for argument in origin.arguments:
        match = re.fullmatch(r"(\w+)\[(?:(\d+)|'(\w+)')\]", argument.path)
        if match is None or not argument.scalar or match[1] not in (rest, named):
            return None
        if match[2] is not None:
            numbers.append(before + int(match[2]))
        else:
            names.append(match[3])
    if not numbers and not names:
        return None
    paths = ", ".join(argument.path for argument in origin.arguments)
    text = static_text(situation, origin, names, numbers)
    return Remedy("static_argnames" if names else "static_argnums", text, f"one trace and one compile for each {paths}")


def _as_well(situation: Situation, origin: Origin) -> str:
    """What else a static argument needs, so that the value that comes of it is a Python value too."""
    found: list[str] = []
    arrays = [one.path for one in origin.arguments if one.given is not None and one.given.holder == "jax"]
    if arrays:
        found.append(f"{' and '.join(arrays)} given as a Python number")
    for inner in origin.inner:
        names = " and ".join(inner.arguments)
        if inner.transformation in ("jit", "pjit"):
            found.append(f"{names} static in {inner.function} too")
        else:
            found.append(f"{inner.function} using it from outside instead of taking {names}")
    node = situation.located.node
    own = [*node.args, *(one.value for one in node.keywords)] if isinstance(node, ast.Call) else [node]
    own = [part for part in own if _only_numbers(situation, part)]
    chain = [step.source for step in origin.chain]
    if not situation.located.truth:  # what fails while it is computed is no step on the way to it
        chain = [source for source in chain if source != situation.expression]
    sources = chain + [situation.text(part) for part in own]
    made = next((source for source in sources if _is_of_jax(source, situation)), None)
    if made is not None:
        found.append(f"`{made}` computed by Python or NumPy: jax.numpy gives a traced value of a static one, too")
    return f"; and with {', '.join(found)}" if found else ""


def _only_numbers(situation: Situation, node: ast.expr) -> bool:
    """Whether all that is traced in an expression are plain scalars: an array or a key decides nothing of this kind."""
    seen = [one for _, one in situation.scene.traced_parts(0, node)]
    return bool(seen) and all(one.scalar and not one.dtype.startswith("key") for one in seen)


def _is_of_jax(source: str, situation: Situation) -> bool:
    read = syntax.expression(source)
    calls = [part for part in ast.walk(read) if isinstance(part, ast.Call)] if read is not None else []
    ours = {situation.names.jnp, situation.names.jax, situation.names.lax.split(".")[0]}
    return any(ast.unparse(call.func).split(".")[0] in ours for call in calls)


def _python_value(situation: Situation, origin: Origin) -> list[Remedy]:
    """`equinox.filter_jit` makes static what is no array."""
    if situation.nature == "data" or not origin.arguments or not all(one.scalar for one in origin.arguments):
        return []
    paths = ", ".join(argument.path for argument in origin.arguments)
    text = f"pass {paths} as a Python number instead of an array: filter_jit keeps what is no array static"
    return [Remedy("Python value", text, f"one trace and one compile for each distinct value of {paths}")]


def static_text(situation: Situation, origin: Origin, names: list[str], numbers: list[int] | None = None) -> str:
    """How to make parameters static: where the function is jitted, if that is seen."""
    return _declared(situation, origin).with_static(names, numbers or [])


def _declared(situation: Situation, origin: Origin) -> Declared:
    """The outermost function, with the file if it stands in the one that is at hand."""
    tree = situation.located.ancestors[0] if situation.located.ancestors else None
    here = origin.called_file == situation.scene.points[0].file
    return Declared(origin.called, origin.called_line, tree if here else None, situation.lines, situation.names)


def static_leaf(situation: Situation) -> list[Remedy]:
    """The same, for scalars that are a leaf of a larger argument and must be taken out of it first."""
    origin = situation.origin
    if origin is None or origin.transformation != "jit" or situation.nature == "data" or not origin.arguments:
        return []
    if not all(argument.scalar for argument in origin.arguments):
        return []
    leaves = [argument.path for argument in origin.arguments]
    jit = static_text(situation, origin, _as_names(leaves))
    apart = [leaf for leaf in leaves if not leaf.isidentifier()]
    by_itself = "it by itself, as a Python number" if len(apart) == 1 else "them by themselves, as Python numbers"
    text = f"take {', '.join(apart)} out of the argument and pass {by_itself}: {jit}"
    cost = f"one trace and one compile for each distinct value of {', '.join(leaves)}"
    return [Remedy("static_argnames", text, cost)]


def _as_names(paths: list[str]) -> list[str]:
    """A parameter's name for each leaf, short where that is enough to tell them apart."""
    short = [_as_name(path) for path in paths]
    return short if len(set(short)) == len(short) else [_as_name(path, whole=True) for path in paths]


def _as_name(path: str, *, whole: bool = False) -> str:
    """A parameter's name for a leaf: `lr` for `opt['lr']`, `xs_0` for `xs[0]`."""
    last = path.rpartition("[")[2].rpartition(".")[2].strip("]'\"")
    name = last if last.isidentifier() and not whole else re.sub(r"\W+", "_", path).strip("_")
    return name if name.isidentifier() else "value"


def outside(situation: Situation, what: str) -> Remedy:
    """Do it where the value is known: with what the expression is made from, since it fails itself."""
    called = (
        situation.origin.called if situation.origin is not None and situation.origin.called else "the jitted function"
    )
    return Remedy(
        "outside",
        f"return {situation.given or situation.expression} from `{called}` and {what} on its result",
        "one transfer from the device",
    )


def callback(situation: Situation, action: str) -> Remedy:
    """Do it in Python, when the program runs."""
    return Remedy(
        "jax.debug.callback",
        f"{situation.names.jax}.debug.callback({action})",
        "a host call each time the program runs, and the jitted function leaves JAX's fast path",
    )
