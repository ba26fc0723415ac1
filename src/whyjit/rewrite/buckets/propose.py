"""Advice of the kind `bucket`: pad an axis that comes in many sizes to a few, chosen by measured costs and tried."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from whyjit.analyse import buckets
from whyjit.model.advice import Advice, Effort
from whyjit.model.arguments import Array, KeptCall, Made, Node, Plain
from whyjit.model.source import Location
from whyjit.rewrite import patching
from whyjit.rewrite.buckets import families, patch, words
from whyjit.rewrite.buckets.trial import Ask, Measured, Sized, Verified
from whyjit.rewrite.kept import Unavailable, arguments_for, maker_of
from whyjit.rewrite.subject import Subject, subject_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from whyjit.analyse.buckets import Costs, Plan
    from whyjit.experiment.apart import Outcome
    from whyjit.model.arguments import Value
    from whyjit.model.finding import FunctionReport
    from whyjit.rewrite.advisers import Context
    from whyjit.rewrite.buckets.families import Family

_TASK = "whyjit.rewrite.buckets.trial:"
# Sizes that are measured; between them, times are fitted.
_MEASURED = 5


def propose(context: Context) -> Iterable[Advice]:
    """Buckets for each function that was called with three or more sizes of an axis, where they cost less."""
    for function in context.functions():
        family = families.family_of(function)
        if family is not None:
            yield from _Proposal(context, function, family).advice()


class _Proposal:
    def __init__(self, context: Context, function: FunctionReport, family: Family) -> None:
        self._context = context
        self._function = function
        self._family = family
        self._axes = families.argument(family)

    def advice(self) -> Iterator[Advice]:
        subject = subject_of(self._context, self._function.function)
        if isinstance(subject, Unavailable):
            yield self._suggested(f"the buckets were not planned, and padding not tried: {subject.reason}")
            return
        calls, reason = self._calls()
        if not calls:
            yield self._suggested(f"the buckets were not planned, and padding not tried: {reason}")
            return
        ask = Ask(subject, self._statics(), _spread(calls), self._axes, seconds=self._context.limits.seconds / 4)
        outcome = self._apart("measure", ask)
        if outcome.result is None:
            yield self._suggested(f"its costs could not be measured: {outcome.failure}")
            return
        measured = msgspec.msgpack.decode(outcome.result, type=Measured)
        if measured.fault:
            yield self._suggested(f"the buckets were not planned, and padding not tried: {measured.fault}")
            return
        costs = _fitted(measured)
        plan = buckets.choose(self._family.counts, costs)
        exact = buckets.bill(self._family.counts, self._family.counts, costs)
        if plan.seconds >= exact.seconds or len(plan.sizes) >= len(self._family.counts):
            return  # each size is called often enough to be worth its compile
        yield self._tried(subject, calls, costs, plan)

    def _tried(self, subject: Subject, calls: Sequence[Sized], costs: Costs, plan: Plan) -> Advice:
        why = words.plan(self._family, costs, plan)
        source = patch.bucketed(subject.source, subject.qualname, self._axes, plan.sizes)
        seconds = self._context.limits.seconds
        ask = Ask(subject, self._statics(), tuple(calls), self._axes, plan.sizes, source or "", seconds / 2)
        outcome = self._apart("verify", ask)
        if outcome.result is None:
            return self._suggested(f"padding could not be tried: {outcome.failure}. {why}", plan)
        found = msgspec.msgpack.decode(outcome.result, type=Verified)
        tried = tuple(sorted({size for size, _ in found.safety.tried}))
        exact = buckets.bill(self._family.counts, self._family.counts, costs)
        refusal = words.refusal(
            found, self._family, plan, has_patch=source is not None, spared=exact.seconds - plan.seconds
        )
        if refusal:
            return self._suggested(f"{refusal}. {why}", plan, tried, masked=found.safety.verdict in ("zeros", "leaks"))
        missing = self._missing(found)
        kept = all(one.call.kept for one in calls)
        proven = kept and not missing
        reason = words.evidence(found, kept=kept, missing=missing)
        return Advice(
            self._function.function.name,
            next(iter(self._axes)),
            "bucket",
            "PROVEN" if proven else "TESTED",
            f"{reason}. {why}",
            self._before(),
            Effort(found.traces, found.build_s),
            patching.diff(self._shown(subject), subject.source, source or ""),
            tuple(map(str, tried)),
            self._location(),
            subject.digest,
        )

    def _apart(self, task: str, ask: Ask) -> Outcome:
        return self._context.limits.run(_TASK + task, msgspec.msgpack.encode(ask))

    def _calls(self) -> tuple[list[Sized], str]:
        """A call for each recorded program of the family, and why there is none where there is none."""
        found: list[Sized] = []
        reason = ""
        makers: set[int] = set()
        for spec, size in zip(self._family.specs, self._family.sizes, strict=True):
            call = arguments_for(self._context, spec.function, spec.number)
            if isinstance(call, Unavailable):
                reason = reason or call.reason
                continue
            found.append(Sized(size, call if call.kept else lively(call, size)))
            makers.add(maker_of(spec, call))
        if len(makers) > 1:
            name = self._function.function.name
            return [], f"`{name}` was made {len(makers)} times, and each is traced for itself: make it once, first"
        return found, reason

    def _missing(self, found: Verified) -> list[int]:
        """The sizes of recorded programs that were not tried."""
        untried = list(self._family.sizes)
        for size, _ in found.safety.tried:
            untried.remove(size)
        return sorted(untried)

    def _statics(self) -> tuple[str, ...]:
        names = {static.path for spec in self._family.specs for static in spec.signature.statics}
        return tuple(sorted(name for name in names if name.isidentifier()))

    def _before(self) -> Effort:
        stages = [stage for spec in self._family.specs for stage in spec.stages]
        return Effort(sum(stage.kind == "trace" for stage in stages), sum(stage.own for stage in stages))

    def _location(self) -> Location:
        known = self._function.function
        return Location(known.file, known.line, known.name)

    def _shown(self, subject: Subject) -> str:
        file = Path(subject.file)
        within = file.is_relative_to(self._context.directory)
        return (file.relative_to(self._context.directory) if within else file).as_posix().lstrip("/")

    def _suggested(
        self, why: str, plan: Plan | None = None, tried: Sequence[int] = (), *, masked: bool = False
    ) -> Advice:
        name = self._function.function.name
        sizes = plan.sizes if plan is not None else words.guess(self._family.counts)
        code = f"{name} = whyjit.bucketed({name}, {patch.call_text(self._axes, sizes)})"
        path, axes = next(iter(self._family.axes.items()))
        if masked:
            code = (
                f"valid = jnp.arange({path}.shape[{axes[0]}]) < n  # n: the size before padding, a new argument\n{code}"
            )
        return Advice(
            name,
            next(iter(self._axes)),
            "bucket",
            "SUGGESTED",
            why,
            self._before(),
            tested=tuple(map(str, tried)),
            location=self._location(),
            code=code,
        )


def _spread(calls: Sequence[Sized]) -> tuple[Sized, ...]:
    """Calls of a few sizes: the smallest, the largest, and some between."""
    by_size = {one.size: one for one in calls}
    sizes = sorted(by_size)
    chosen = np.unique(np.linspace(0, len(sizes) - 1, min(_MEASURED, len(sizes))).round().astype(int))
    return tuple(by_size[sizes[at]] for at in chosen)


def _fitted(measured: Measured) -> Costs:
    return buckets.Costs(buckets.fit(measured.compile, 1), buckets.fit(measured.run, 2))


def lively(call: KeptCall, size: int) -> KeptCall:
    """A made-up call in which whole numbers without axes are the size: as a length, a 0 would hide everything."""
    return KeptCall(
        tuple(_lively(value, size) for value in call.args),
        tuple((name, _lively(value, size)) for name, value in call.kwargs),
        kept=False,
    )


def _lively(value: Value, size: int) -> Value:
    if isinstance(value, Node):
        return msgspec.structs.replace(value, children=tuple(_lively(child, size) for child in value.children))
    if not isinstance(value, Made) or value.shape or not value.dtype.lstrip("u").startswith("int"):
        return value
    if value.holder == "python":
        return Plain(str(size))
    dtype = np.dtype(value.dtype)
    number = np.asarray(min(size, np.iinfo(dtype).max), dtype)
    return Array((), value.dtype, number.tobytes(), value.weak_type, value.holder)
