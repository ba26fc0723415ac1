"""A specialization as a table of factors: everything JAX's caches key on, one entry for each thing that can change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.model.recording import Capture, Specialization
    from whyjit.model.signature import Leaf, Static

Factor = tuple[str, str]
# Factors of what lies in the arguments; the others belong to the call as a whole.
PARTS = frozenset({"node", "keys", "shape", "dtype", "weak", "place", "static"})


def placement(leaf: Leaf) -> tuple[Any, ...]:
    """Where a leaf lies, as far as JAX keys on it."""
    return leaf.sharding, leaf.committed, leaf.memory, leaf.layout, leaf.mesh


def static_key(static: Static) -> tuple[str, ...]:
    """What tells two static values apart: type, visible content, and the objects compared by identity."""
    return static.type, static.look, static.identity


def arrays_in(capture: Capture) -> str:
    """The numbers of the arrays inside a captured value."""
    return capture.identity.partition("arrays ")[2]


def factors(spec: Specialization, carried: Sequence[Capture] = ()) -> dict[Factor, Any]:
    """Every factor of a specialization, by kind and path. `carried` is what its function object carries."""
    signature = spec.signature
    found: dict[Factor, Any] = {("maker", ""): spec.maker}
    for capture in carried:
        found["capture", capture.name] = (capture.look, arrays_in(capture))
    for name, text in signature.context:
        found["context", name] = text
    for name, form in signature.form.parameters:
        found["form", name] = form
    for leaf in signature.leaves:
        found["node", leaf.path] = "leaf"
        found["shape", leaf.path] = leaf.shape
        found["dtype", leaf.path] = leaf.dtype
        found["weak", leaf.path] = leaf.weak_type
        found["place", leaf.path] = placement(leaf)
    for static in signature.statics:
        found["node", static.path] = "static"
        found["static", static.path] = static_key(static)
    for node in signature.nodes:
        found["node", node.path] = node.container
        found["keys", node.path] = node.keys
        for static in node.metadata:
            found["static", static.path] = static_key(static)
    for name, text in signature.options:
        found["option", name] = text
    if signature.transforms:
        found["transforms", ""] = signature.transforms
    return found
