"""What a trial proves. Pure: from what was found to a level of evidence and the sentence that says why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from whyjit.model.finding import Evidence
    from whyjit.model.trial import Point, Refusal, Trial

# From this many values on, it is worth a word that a static which makes other programs cannot be helped.
_MANY = 3
# A changed function may be this much slower before its time is weighed against what the traces cost.
_SLOWER = 1.2
_NOTICEABLE_S = 2e-5


class Verdict(NamedTuple):
    """A level and its reason.

    `fit` says whether the change may be offered as a patch. `hoist` is an expression to compute before the call, `code`
    what else to write.
    """

    evidence: Evidence
    why: str
    kind: Literal["make-dynamic", "drop-static"] = "make-dynamic"
    fit: bool = False
    hoist: str = ""
    code: str = ""


class Circumstances(NamedTuple):
    """What is known besides: the names on trial, whether the arguments are the recorded ones, calls, and seconds saved.

    `several` tells that each name took values that differ; a NaN differs from itself without being another value.
    """

    names: tuple[str, ...]
    kept: bool
    calls: int
    saved_s: float
    everything: bool = True
    several: bool = True

    @property
    def text(self) -> str:
        """The names in prose."""
        return " and ".join(f"`{name}`" for name in self.names)


def judge(trial: Trial, about: Circumstances) -> Verdict | None:
    """The verdict on a trial without an obstacle; None where there is nothing to advise."""
    if trial.refusal is not None:
        return _refused(trial, trial.refusal, about)
    verdict = _compared(trial, about)
    if verdict is None or not verdict.fit:
        return verdict
    return _limited(trial, about, verdict)


def obstacle(trial: Trial) -> str:
    """Why a trial says nothing; "" if it does."""
    if trial.failed:
        return trial.failed
    if trial.effects:
        return f"it has effects ({trial.effects}), so that running it again is not the same as running it once"
    return trial.unstable


def _refused(trial: Trial, refusal: Refusal, about: Circumstances) -> Verdict | None:
    """Python needs the value itself. Where programs really differ the static is right; else one step is in the way."""
    if trial.programs == "different":
        return None
    where = f"line {refusal.line}" if refusal.line else "it"
    expression = refusal.expression
    shown = f"`{expression}` in {where}" if expression else where
    why = (
        f"the programs differ in constants alone, but {shown} needs {about.text} as a Python value"
        f" ({refusal.error}), so it cannot become an argument as it stands"
    )
    return Verdict("SUGGESTED", why, hoist=expression)


def _compared(trial: Trial, about: Circumstances) -> Verdict | None:
    kind: Literal["make-dynamic", "drop-static"] = (
        "drop-static" if trial.programs == "equal" and about.several else "make-dynamic"
    )
    if trial.programs == "different" and any(point.sameness == "different" for point in trial.points):
        return _possible(trial, about)
    for point in trial.points:
        reason = _against(trial, point, about)
        if reason is not None:
            return Verdict("SUGGESTED", reason)
    if trial.outputs:
        return Verdict("SUGGESTED", f"tried and rejected: {_first(trial.outputs)}")
    if trial.gradients.startswith("lost"):
        return Verdict("SUGGESTED", f"tried and rejected: the gradient is {trial.gradients}")
    if trial.gradients not in {"", "none", "not run"}:
        return Verdict("SUGGESTED", f"tried and rejected: {trial.gradients}")
    unseen = sorted({name for point in trial.points if point.sameness != "equal" for name in point.opaque})
    if unseen:
        why = f"not proven, since `{unseen[0]}` holds a program that was not looked into, but tried: {_tried(trial)}"
        return Verdict("TESTED", why, kind, fit=True)
    return Verdict("PROVEN", f"{_proof(trial, about, kind)}; {_tried(trial)}", kind, fit=True)


def _against(trial: Trial, point: Point, about: Circumstances) -> str | None:
    """Why a point speaks against the change; None where it does not."""
    if point.overflow:
        return f"tried and rejected: {_at(point, about)} is too large to be an argument in the default integer type"
    if point.types:
        return f"tried and rejected: with {_at(point, about)} as an argument {point.types}"
    if point.sameness == "equal" or (point.sameness == "different" and point.opaque):
        return None
    if point.sameness == "constants":
        return _constants(point, about)
    return f"tried and rejected: with an argument in place of {about.text} {_another(trial, point)}"


def _possible(trial: Trial, about: Circumstances) -> Verdict | None:
    """Each value has a program of its own, and there is one for all of them that is no specialization of it."""
    if len({point.value for point in trial.points}) < _MANY or any(point.overflow for point in trial.points):
        return None
    point = next(point for point in trial.points if point.sameness == "different")
    another = _another(trial, point)
    agree = trial.outputs == "" and trial.gradients in {"", "none"}
    types = next((f"; {point.types}" for point in trial.points if point.types), "")
    if not agree or types:
        reason = types or ("" if trial.gradients.startswith("lost") else f"; {trial.outputs or trial.gradients}")
        return Verdict("SUGGESTED", f"tried and rejected: {another}{reason}")
    kept = "outputs and gradients agree" if trial.gradients == "" else "outputs agree"
    why = f"{another}; {kept} on {_sets(trial)}, so it is a choice: fewer traces, or a program made for each value"
    code = f"pass {about.text} as an ordinary argument, if a general program is fast enough"
    return Verdict("SUGGESTED", why, code=code)


def _sets(trial: Trial) -> str:
    return f"{trial.compared} argument set{'s' if trial.compared != 1 else ''}"


def _at(point: Point, about: Circumstances) -> str:
    """The values of a point with their names."""
    return f"`{about.names[0]}` = {point.value}" if len(about.names) == 1 else point.value


def _constants(point: Point, about: Circumstances) -> str:
    told = (
        f"tried and rejected: with {_at(point, about)} as an argument the program would use {point.new} where it"
        f" now has {point.old}"
    )
    if point.unused:
        return f"{told}: the body asks what {about.text} is, and does something else with an argument"
    return f"{told}: Python's arithmetic on {about.text} is exact or has 64 bits, the program's has fewer"


def _another(trial: Trial, point: Point) -> str:
    old, new = set(point.only_old), set(point.only_new)
    if "integer_pow" in old and "pow" in new:
        return "`x ** n` with a fixed whole n is a product, with an argument it is a general power: another program"
    if "while" in new and "scan" in old:
        lost = "; its gradient can no longer be taken in reverse" if trial.gradients.startswith("lost") else ""
        return f"a loop of fixed length is a scan, with an argument as its bound it becomes a while loop{lost}"
    parts = [f"{word} {', '.join(sorted(names)[:3])}" for word, names in (("loses", old), ("gains", new)) if names]
    told = f" (it {' and '.join(parts)})" if parts else ""
    return f"the program is another one{told}: the source asks what the value is, or the operation has a form for each"


def _proof(trial: Trial, about: Circumstances, kind: str) -> str:
    values = list(dict.fromkeys(point.value for point in trial.points))
    if kind == "drop-static":
        return f"the program does not depend on {about.text}: it is the same at {_each(len(values))}"
    role = "an argument" if len(about.names) == 1 else "arguments"
    return (
        f"with {about.text} as {role} the program becomes, at {_each(len(values))},"
        " exactly the one that was compiled for it, constants to the bit"
    )


def _tried(trial: Trial) -> str:
    gradients = {"": " and gradients", "none": ", which have no gradient,", "not run": ""}[trial.gradients]
    traces = f"{times(sum(trial.traced))} instead of {times(trial.traces)}"
    each = f", for each of the {trial.functions} functions made of it" if trial.functions > 1 else ""
    return f"outputs{gradients} agree on {_sets(trial)}{each}, and the body is traced {traces}"


def _limited(trial: Trial, about: Circumstances, verdict: Verdict) -> Verdict:
    """The most that may be claimed, given what was tried."""
    old, new = trial.seconds
    slower = (new - old) * about.calls
    if old and new > _SLOWER * old and new - old > _NOTICEABLE_S and slower > about.saved_s:
        why = (
            f"it is right, but a call takes {new * 1e3:.3g} ms instead of {old * 1e3:.3g} ms, which on"
            f" {about.calls} calls costs more than the traces"
        )
        return verdict._replace(evidence="SUGGESTED", why=why, fit=False)
    limits = []
    if not about.kept:
        limits.append("on made-up arrays of the recorded types (record with --keep-arguments for a proof)")
    if trial.gradients == "not run":
        limits.append("without gradients, since the time was up (--timeout)")
    if not about.everything:
        limits.append("on a part of the recorded specializations")
    if trial.surroundings:
        limits.append(f"without the recorded {', '.join(trial.surroundings[:3])}")
    if not limits:
        return verdict
    return verdict._replace(evidence="TESTED", why=f"{verdict.why}; all of this {' and '.join(limits)}")


def _each(count: int) -> str:
    return f"each of the {count} recorded values" if count > 1 else "the recorded value"


def times(count: int) -> str:
    """How often, in words."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _first(text: str) -> str:
    return text if text != "not run" else "it was not run"
