"""What two calls of one specialization have in common, and what became of the specialization made for such a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.observe import picks

if TYPE_CHECKING:
    from whyjit.model.signature import Signature
    from whyjit.observe.ledger import FunctionState, SpecState


def key_of(signature: Signature) -> int:
    """The hash of the factors that count, those of `picks.factors`. How a value is held (NumPy's, JAX's) is none."""
    leaves = [(leaf.path, leaf.shape, leaf.dtype, leaf.weak_type, *picks.place(leaf)) for leaf in signature.leaves]
    statics = [(static.path, static.type, static.look, static.identity) for static in signature.statics]
    return hash((
        picks.form_key(signature), signature.transforms, tuple(leaves), tuple(statics), signature.nodes,
        signature.context, signature.options,
    ))  # fmt: skip


def key_of_spec(spec: SpecState) -> int:
    """The key of a specialization's signature, worked out once."""
    if spec.key is None:
        spec.key = key_of(spec.signature)
    return spec.key


def maker_key(spec: SpecState) -> int:
    """The key of a specialization with the function object that it was made of."""
    return hash((key_of_spec(spec), spec.maker))


def remember(state: FunctionState, spec: SpecState) -> None:
    """A specialization was made for its key."""
    if not spec.summed:
        state.keys[maker_key(spec)] = spec


def made_for(state: FunctionState, signature: Signature, token: int) -> SpecState | None:
    """The specialization that was made of a function object for a signature, while that was seen."""
    found = state.keys.get(hash((key_of(signature), state.makers.get(token, 0))))
    return None if found is None or found.error else found


def fate(state: FunctionState, spec: SpecState) -> tuple[str, ...]:
    """What became of the last specialization with this one's key, as notes."""
    before = state.keys.get(maker_key(spec))
    if before is None or before.error or before.program_alive is None:
        return ()
    return ("earlier-alive",) if before.program_alive() is not None else ("earlier-gone",)
