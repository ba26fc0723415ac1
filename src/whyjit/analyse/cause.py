"""Why a specialization came to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.difference import changes
from whyjit.model.finding import Cause, Change

if TYPE_CHECKING:
    from whyjit.model.finding import Delta
    from whyjit.model.recording import Specialization
    from whyjit.model.signature import Signature, Static

_TRUSTED_TYPES = frozenset({"int", "float", "bool", "str", "bytes", "complex", "NoneType", "tuple"})


def cause_of(new: Specialization, old: Specialization | None, same_failed: bool, delta: Delta | None = None) -> Cause:
    """The cause of `new`, compared with the nearest earlier specialization.

    `same_failed` tells whether an earlier call with the very same key failed while it was traced; `delta` how far the
    programs are apart.
    """
    if old is None:
        return Cause("first", (), "the first call that was seen")
    found = changes(old, new)
    if found:
        found = _unseen_reads(found, delta)
        return Cause(found[0].kind, found, "; ".join(map(sentence, found[:3])) + _more(len(found) - 3))
    traced = any(stage.kind == "trace" for stage in new.stages)
    if same_failed:
        text = "an earlier call like this one failed while it was traced; JAX keeps nothing of a failed trace"
        return Cause("retry_after_error", (Change("retry_after_error", None, old.error or "error", "", ""),), text)
    if "earlier-alive" in new.notes:
        odd = _odd_statics(new.signature)
        if odd:
            parts = tuple(Change("static_identity", path, "", "", note) for path, note in odd.items())
            return Cause("static_identity", parts, "; ".join(map(sentence, parts)))
        return Cause("unknown", (), "nothing that was recorded differs, and the earlier program was still alive")
    if traced and "earlier-gone" in new.notes:
        text = f"the same key as specialization {old.number}: its program had been dropped (caches cleared, or evicted)"
        return Cause("cleared", (Change("cleared", None, f"specialization {old.number}", "traced again"),), text)
    if new.operation:
        text = "the same operation on the same types: its parameters or its body are others, or its cache was cleared"
        return Cause("unknown", (), text)
    if traced:
        return Cause("unknown", (), "traced again, and nothing that was recorded differs")
    return Cause(
        "unknown", (), "compiled again with nothing recorded that differs; the executable may have been dropped"
    )


def _unseen_reads(found: tuple[Change, ...], delta: Delta | None) -> tuple[Change, ...]:
    """Where a new function object carries nothing new but its program differs, it read something else while traced."""
    only = found[0]
    if len(found) > 1 or only.kind != "function" or only.path is not None or delta in (None, "identical"):
        return found
    note = (
        "a new function object; what it carries is the same, but the program is not: it read a global or an attribute"
        " that has changed"
    )
    return (Change(only.kind, None, only.old, only.new, note),)


def _odd_statics(signature: Signature) -> dict[str, str]:
    """Statics that JAX may have told apart although they look the same, and what can be said of it."""
    statics = [*signature.statics, *(static for node in signature.nodes for static in node.metadata)]
    return {
        static.path: _odd(static) for static in statics if static.type not in _TRUSTED_TYPES and not static.identity
    }


def _odd(static: Static) -> str:
    if "only part" in static.note:
        return "looks the same as far as it was looked at, but a part of it is another to JAX"
    if "array contents" in static.note:
        return "holds arrays, whose contents were not compared, and its __eq__ or __hash__ tells it apart"
    return "looks the same, but its __eq__ or __hash__ tells it apart"


def _more(count: int) -> str:
    return f"; and {count} more" if count > 0 else ""


def sentence(change: Change) -> str:
    """One change in one clause."""
    path, old, new = change.path, change.old, change.new
    match change.kind:
        case "function":
            if path is None:
                return change.note
            if "another array" in change.note:
                return f"a new function object whose `{path}` is another array ({new})"
            return f"a new function object whose `{path}` changed from {old} to {new}"
        case "static":
            if old.endswith("…") and new.endswith("…"):  # too long to show where they differ
                return f"static `{path}` changed ({change.note or 'in a part that its text does not show'})"
            inside = f" ({change.note})" if change.note else ""
            return f"static `{path}` changed from {old} to {new}{inside}"
        case "static_identity":
            return f"static `{path}` {change.note}" if change.note else f"static `{path}` is another object"
        case "structure":
            return f"`{path}` changed from {old} to {new}" + (f": {change.note}" if change.note else "")
        case "call_form":
            return f"`{path}` was {old}, now {new}"
        case "weak_type":
            return f"`{path}` changed its weak type: {old} to {new}"
        case "context":
            return f"{path} changed from {old} to {new}"
        case "sharding":
            return f"`{path}` was {old}, now {new}"
        case "jit_options":
            return f"jit option {path} changed from {old} to {new}"
        case _:
            return f"`{path}` changed from {old} to {new}"
