"""Which of several live specializations a call belongs to, looking only at what differs between them.

A *pick* is a small function made for one jitted callable: from a call's arguments it reads just the factors in which
that callable's specializations differ, so that its cost does not grow with the number of leaves. It is made anew when a
specialization brings a new differing factor. A call for which the table has no entry is left to the full signature.
"""

from __future__ import annotations

import contextlib
import weakref
from typing import TYPE_CHECKING, Any

from whyjit.jaxlink import arrays, context

if TYPE_CHECKING:
    from collections.abc import Callable

    from whyjit.model.signature import Leaf, Signature
    from whyjit.observe.ledger import SpecState
    from whyjit.observe.looks import Describer

Factor = tuple[str, str]
OF_LEAVES = ("shape", "dtype", "weak", "place")


def factors(signature: Signature) -> dict[Factor, Any]:
    """Every factor of a signature by kind and path, with what is compared."""
    found: dict[Factor, Any] = {("form", ""): form_key(signature), ("transforms", ""): signature.transforms}
    for leaf in signature.leaves:
        found["shape", leaf.path] = leaf.shape
        found["dtype", leaf.path] = leaf.dtype
        found["weak", leaf.path] = leaf.weak_type
        found["place", leaf.path] = place(leaf)
    for static in signature.statics:
        found["static", static.path] = (static.type, static.look, static.identity)
    for node in signature.nodes:
        found["node", node.path] = node
    found["context", ""] = signature.context
    return found


def form_key(signature: Signature) -> tuple[Any, ...]:
    """The form of a call as a pick reads it: how many named parameters came by position, and the keywords."""
    forms = signature.form.parameters
    return (
        sum(form == "positional" for _, form in forms),
        *sorted(name for name, form in forms if form == "keyword"),
    )


def place(leaf: Leaf) -> tuple[Any, ...]:
    """Where a leaf lies, as far as executables are keyed on it."""
    return leaf.sharding, leaf.committed, leaf.memory, leaf.mesh


def _dtype(value: Any) -> Any:
    return str(value.dtype) if hasattr(value, "dtype") else _facts(value, "dtype")


def _facts(value: Any, name: str) -> Any:
    facts = arrays.facts_of(value)
    return getattr(facts, name) if facts is not None else None


def _weak(value: Any) -> Any:
    return _facts(value, "weak_type")


def _place(value: Any) -> Any:
    facts = arrays.facts_of(value)
    return None if facts is None else (facts.sharding, facts.committed, facts.memory, facts.mesh)


def make(
    differing: list[Factor],
    where: dict[str, str],
    statics: dict[str, str],
    describer: Describer,
) -> Callable[[Any, Any], Any] | None:
    """A pick for the differing factors, or None where one of them cannot be reached by plain access.

    `where` gives a Python expression over `args` and `kwargs` for each leaf path, `statics` for each static argument.
    """
    parts: list[str] = []
    if any(kind == "form" for kind, _ in differing) and len(differing) > 1:
        return None  # where a leaf is found depends on the form
    for kind, path in differing:
        if kind == "form":
            parts.append("(len(args), *sorted(kwargs or ()))")
        elif kind == "context":
            parts.append("_context()")
        elif kind == "transforms":
            parts.append("()")  # a call with tracers never reaches the hook
        elif kind == "static" and path in statics:
            parts.append(f"_static({statics[path]})")
        elif kind in OF_LEAVES and path in where:
            parts.append(f"{where[path]}.shape" if kind == "shape" else f"_{kind}({where[path]})")
        else:
            return None
    names: dict[str, Any] = {
        "_context": context.context_items,
        "_dtype": _dtype,
        "_weak": _weak,
        "_place": _place,
        "_static": _static_reader(describer),
    }
    body = parts[0] if len(parts) == 1 else f"({', '.join(parts)},)"
    source = f"lambda args, kwargs: {body}"
    pick: Callable[[Any, Any], Any] = eval(source, names)  # noqa: S307 - our own text, and keys that are literals
    return pick


def key_of(spec: SpecState, differing: list[Factor]) -> Any:
    """What a pick gives for a call of this specialization."""
    found = factors(spec.signature)
    values = [found.get(factor) for factor in differing]
    return values[0] if len(values) == 1 else tuple(values)


def _static_reader(describer: Describer) -> Callable[[Any], Any]:
    """Reads what tells a static value from another; a larger object is walked once while it lives."""
    plain = (int, str, bool, float, type(None))
    cache: dict[Any, Any] = {}
    walked: dict[int, tuple[Any, Any]] = {}

    def looked(value: Any) -> Any:
        look = describer.look(value, static=True)
        return look.type, look.look, look.identity

    def read(value: Any) -> Any:
        kind = type(value)
        if kind in plain:
            found = cache.get((kind, value))
            if found is None:
                found = looked(value)
                if len(cache) < 10000:
                    cache[kind, value] = found
            return found
        known = walked.get(id(value))
        if known is not None and known[0]() is value:
            return known[1]
        found = looked(value)
        with contextlib.suppress(TypeError):  # tuples take no weak reference
            if len(walked) < 1000:
                walked[id(value)] = (weakref.ref(value), found)
        return found

    return read
