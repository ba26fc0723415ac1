"""Why JAX is about to trace or compile: an attempt against everything known of the function until then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from whyjit.analyse.explain import explained
from whyjit.analyse.remedies import remedy_of
from whyjit.model.avals import leaf_text
from whyjit.model.finding import Cause

if TYPE_CHECKING:
    from whyjit.model.attempt import Attempt
    from whyjit.model.recording import Specialization
    from whyjit.model.signature import Signature

_UNSEEN = "what it was compiled for before was not recorded"
_ARGUMENTS = 6
_ELSEWHERE = "another"  # the context of an entry of JAX's cache that was made in another one


class Why(msgspec.Struct, frozen=True):
    """The cause of an attempt, the number of the specialization it was compared with, and what to do about it.

    `again` tells that the function was traced before.
    """

    cause: Cause
    compared_with: int | None
    remedy: str
    again: bool = False


def why(attempt: Attempt) -> Why:
    """The cause of what JAX is about to do."""
    new = attempt.specialization
    if new is None:
        return _unplaced(attempt)
    if new.number and _made(new):
        return _again(new)
    known = [spec for spec in attempt.known if spec.number != new.number and _made(spec)]
    if not known and not attempt.cached:
        text = f"called with {given(new.signature)}; {_UNSEEN}"
        cause = Cause("first", (), text)
        return Why(cause, None, f"{remedy_of(cause, warm=True)}; to be told what changed, record the warm-up, too")
    number = max((spec.number for spec in known), default=0) + 1
    last = msgspec.structs.replace(new, number=number, earlier=False)
    found = explained([*attempt.cached, *known, last])[-1]
    cause, compared = found.cause, found.compared_with
    if compared is not None and compared < 0:
        if any(change.old == _ELSEWHERE for change in cause.changes):
            return _traced_elsewhere(new)
        cause = msgspec.structs.replace(cause, text=f"{cause.text} (against what JAX's tracing cache holds)")
        compared = None
    return Why(cause, compared, remedy_of(cause, warm=True), again=found.compared_with is not None)


def _traced_elsewhere(new: Specialization) -> Why:
    """JAX has traced the function, and what was other then is nothing that its cache tells."""
    text = f"called with {given(new.signature)}; JAX has traced it under another configuration, which is not known"
    return Why(Cause("unknown", (), text), None, remedy_of(Cause("context"), warm=True), again=True)


def _made(spec: Specialization) -> bool:
    """Whether a specialization was there before: one that was only lowered was refused here before its compile."""
    return spec.earlier or any(stage.kind != "lower" for stage in spec.stages)


def _again(spec: Specialization) -> Why:
    """Work for a specialization that is there already."""
    kinds = {stage.kind for stage in spec.stages}
    if kinds & {"compile", "cache_load"}:
        text = "it was compiled for these arguments before; the executable has been dropped since"
        return Why(Cause("cleared", (), text), spec.number, remedy_of(Cause("cleared"), warm=True), again=True)
    if "trace" in kinds:
        text = "it was traced for these arguments before (as by `lower`, `eval_shape` or a failed call), never compiled"
        return Why(Cause("unknown", (), text), spec.number, remedy_of(Cause("first"), warm=True))
    text = f"its trace was there before recording began; now called with {given(spec.signature)}; {_UNSEEN}"
    remedy = remedy_of(Cause("first"), warm=True)
    return Why(Cause("unknown", (), text), None, f"{remedy}; to be told what changed, record the warm-up, too")


def _unplaced(attempt: Attempt) -> Why:
    if attempt.body:
        text = f"`{attempt.body}` was called outside a jit, and its body is traced: a new function, or new types"
        remedy = f"call `{attempt.body}` inside a jitted function that is made once"
        return Why(Cause("unknown", (), text), None, remedy)
    return Why(Cause("unknown", (), "the call behind it was not seen"), None, remedy_of(Cause("unknown"), warm=True))


def given(signature: Signature) -> str:
    """The arguments of a call, by path and type, cut."""
    each = [f"{leaf.path}: {leaf_text(leaf)}" for leaf in signature.leaves]
    each += [f"{static.path}={static.text}" for static in signature.statics]
    more = len(each) - _ARGUMENTS
    text = ", ".join(each[:_ARGUMENTS]) + (f" and {more} more" if more > 0 else "")
    under = f" under {' of '.join(signature.transforms)}" if signature.transforms else ""
    return (text or "no arguments") + under
