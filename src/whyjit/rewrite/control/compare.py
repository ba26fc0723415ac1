"""A rewritten function against the original: both ways of a condition, values, types, and gradients."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

from whyjit.jaxlink import slopes, trials
from whyjit.jaxlink.slopes import Gradients
from whyjit.jaxlink.trials import Version
from whyjit.rewrite.control import outside
from whyjit.rewrite.control.versions import said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from whyjit.jaxlink.trials import Arguments
    from whyjit.rewrite.control.versions import Bench, Loaded


# How an answer of `ways` begins that finds no difference, and nothing to compare with.
UNRUN = "the original cannot be run"


class Verdict(NamedTuple):
    """What differs ("" if nothing), what was compared, notes on it, and the types of the arguments, call by call.

    `open` tells that nothing was found to differ, and that there was nothing to compare with.
    """

    difference: str
    checked: str = ""
    notes: tuple[str, ...] = ()
    tested: tuple[str, ...] = ()
    open: bool = False


def unsteady(bench: Bench) -> str:
    """What speaks against the original as a reference: two runs of it differ, or it changes things. "" if nothing."""
    version = bench.reference(bench.target.source)
    for number, call in enumerate(version.calls, 1):
        before = outside.state(version.module, call)
        try:
            first, second = (trials.op_by_op(version.function, call) for _ in range(2))
        except Exception:  # noqa: BLE001, S112 - told when the whole is compared
            continue
        name = outside.changed(before, outside.state(version.module, call))
        if name:
            return f"the original changes something outside it when it runs: {name}"
        if trials.difference(first, second):
            return f"the original gives another result when it is run again (call {number})"
    return ""


def ways(bench: Bench, old: str, new: str, *, whole: bool) -> str:
    """What differs between two texts whose condition is forced, each way in turn; "" if nothing does.

    `whole` tells that the new one can be traced; else both are run op by op, and gradients are left for later.
    """
    first, second = bench.reference(old), bench.version(new)
    for value in (True, False):
        with bench.going(value):
            told, tried = _way(bench, first, second, whole=whole)
        word = "true" if value else "false"
        if told:
            return f"with its condition {word}, {told}"
        if not tried:
            return f"{UNRUN} with its condition {word}, so that way is not compared"
    return ""


def _way(bench: Bench, first: Loaded, second: Loaded, *, whole: bool) -> tuple[str, int]:
    tried = 0
    compiled = trials.jitted(second.function, bench.statics)
    gradients = Gradients()
    for one, other in zip(first.calls, second.calls, strict=True):
        try:
            wanted = trials.op_by_op(first.function, one)
        except Exception:  # noqa: BLE001, S112 - where the original has no answer there is nothing to compare
            continue
        tried += 1
        try:
            got = compiled(*other.args, **other.kwargs) if whole else trials.op_by_op(second.function, other)
        except Exception as raised:  # noqa: BLE001 - the program's own code runs here
            return f"it fails: {said(raised)}", tried
        told = trials.difference(wanted, got)
        if not told and whole:
            told = slopes.slopes(Version(first.function, one), Version(second.function, other), gradients).difference
        if told:
            return told, tried
    return "", tried


def proves(bench: Bench, old: str, new: str) -> bool:
    """Whether both texts are staged to the same program, each way of the condition, for all calls."""
    if bench.has_stores:
        return False
    try:
        first, second = bench.version(old), bench.version(new)
        for value in (True, False):
            with bench.going(value):
                for one, other in zip(first.calls, second.calls, strict=True):
                    pair = Version(first.function, one), Version(second.function, other)
                    if not trials.same_program(*pair, bench.statics):
                        return False
    except Exception:  # noqa: BLE001 - then there is no proof
        return False
    return True


def whole(bench: Bench, text: str, *, ties: bool) -> Verdict:
    """Hold a text that can be traced against the original, on the calls and on changed arguments.

    With `ties` a gradient may differ on the calls as they are, where two values may be equal, but not beside them.
    """
    first, second = bench.reference(bench.target.source), bench.version(text)
    compiled = trials.jitted(second.function, bench.statics)
    gradients = Gradients()
    notes: list[str] = []
    hows: set[str] = set()
    compared = beside = 0
    for number, (one, other) in enumerate(zip(first.calls, second.calls, strict=True), 1):
        pair = Version(first.function, one), Version(second.function, other)
        try:
            verdict = _one(bench, *pair, compiled, gradients, ties=ties)
        except _NoReference as reason:
            return Verdict(f"on call {number}, {reason}", open=True)
        if isinstance(verdict, str):
            return Verdict(f"on call {number}, {verdict}")
        compared += 1
        notes += verdict[0]
        hows.add(verdict[1])
        for name, changed, again in zip(trials.PERTURBED, trials.perturbed(one), trials.perturbed(other), strict=True):
            pair = Version(first.function, changed), Version(second.function, again)
            with contextlib.suppress(_NoReference):
                verdict = _one(bench, *pair, compiled, gradients, ties=False)
                if isinstance(verdict, str):
                    return Verdict(f"on call {number} {name}, {verdict}")
                beside += 1
    checked = f"{compared} call{'s' * (compared != 1)}, {beside} more with changed numbers; gradients {_hows(hows)}"
    return Verdict("", checked, tuple(dict.fromkeys(notes)), tuple(map(types, first.calls)))


def _one(
    bench: Bench,
    old: Version,
    new: Version,
    compiled: Callable[..., Any],
    gradients: Gradients,
    *,
    ties: bool,
) -> str | tuple[list[str], str]:
    """What differs on one call, else notes and how gradients were compared."""
    try:
        wanted = trials.op_by_op(*old)
    except Exception as raised:
        raise _NoReference(f"the original fails without jit, too: {said(raised)}") from raised
    try:
        got = compiled(*new.call.args, **new.call.kwargs)
        effects = trials.has_effects(new.function, new.call, bench.statics)
    except Exception as raised:  # noqa: BLE001 - the program's own code runs here
        return f"it fails: {said(raised)}"
    if effects:
        return "it does more than compute: it prints or calls back"
    told = trials.difference(wanted, got)
    if told:
        return told
    notes = [note for note in [trials.weakness(wanted, got)] if note]
    slope = slopes.slopes(old, new, gradients)
    if slope.difference and not ties:
        return slope.difference
    if slope.difference:
        notes.append(f"at a call as recorded, {slope.difference}; beside it they agree")
    return notes, slope.how or "automatic"


class _NoReference(Exception):  # noqa: N818 - changed arguments may be none that the original is made for
    """The original has no answer; the message says why."""


def types(call: Arguments) -> str:
    """The types of a call's arguments."""
    return ", ".join(map(_type, (*call.args, *call.kwargs.values())))


def _type(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        return f"{dtype}[{','.join(map(str, value.shape))}]"
    return repr(value)[:40] if isinstance(value, (str, bool, int, float, type(None))) else type(value).__name__


_HOWS = {
    "automatic": "compared",
    "has none": "have none to compare",
    "by differences of values": "checked by differences",
}


def _hows(hows: Iterable[str]) -> str:
    return " and ".join(sorted({_HOWS.get(how, how) for how in hows}))
