"""Static arguments that are data or decide nothing: tried as ordinary arguments, in a process of its own."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from whyjit.analyse.group import seconds
from whyjit.model.advice import Advice, AdviceKind, Effort
from whyjit.model.arguments import KeptCall
from whyjit.model.source import Location
from whyjit.model.trial import Request, Trial
from whyjit.rewrite import jit_options, patching
from whyjit.rewrite.kept import Unavailable, arguments_for, maker_of
from whyjit.rewrite.statics import patched, trial
from whyjit.rewrite.statics.candidates import Candidate, candidates, programs, static_names, statics_of, used
from whyjit.rewrite.statics.doing import functions_at, reads, side_effect
from whyjit.rewrite.statics.judge import Circumstances, Verdict, judge, obstacle, times
from whyjit.rewrite.subject import Subject, subject_of

if TYPE_CHECKING:
    from whyjit.model.finding import FunctionReport
    from whyjit.model.recording import Specialization
    from whyjit.rewrite.advisers import Context


def propose(context: Context) -> Iterator[Advice]:
    """The advice on static arguments of the run's functions."""
    for report in context.functions():
        specs = used(report)
        found = candidates(specs)
        if found:
            yield from _Function(context, report, specs).advice(found)


class _Function:
    """One function while its static arguments are tried."""

    def __init__(self, context: Context, report: FunctionReport, specs: list[Specialization]) -> None:
        self._context = context
        self._report = report
        self._everything = len(specs) <= context.limits.specializations
        self._specs = specs[: context.limits.specializations]
        self._subject = subject_of(context, report.function)
        self._calls, self._kept = self._arguments()

    def _arguments(self) -> tuple[list[KeptCall] | Unavailable, bool]:
        calls: list[KeptCall] = []
        for spec in self._specs:
            found = arguments_for(self._context, self._report.function.id, spec.number)
            if isinstance(found, Unavailable):
                return found, False
            calls.append(found)
        return calls, all(call.kept for call in calls)

    def advice(self, found: list[Candidate]) -> Iterator[Advice]:
        """The advice on each candidate; where several are data, one change for all of them."""
        tried = [one for one in found if one.parameter and (one.numeric or self._is_idle(one))]
        for one in found:
            if one not in tried:
                yield from self._untried(one, "no patch can change what it is part of")
        if not tried:
            return
        reason = self._obstacle()
        if reason:
            for one in tried:
                yield from self._untried(one, reason)
            return
        trials = self._trials([(one.name,) for one in tried])
        if isinstance(trials, Unavailable):
            for one in tried:
                yield from self._untried(one, trials.reason)
            return
        accepted: list[tuple[Candidate, Trial]] = []
        each: list[Advice] = []
        for one, outcome in zip(tried, trials, strict=True):
            if obstacle(outcome):
                each += self._untried(one, obstacle(outcome))
                continue
            if outcome.programs == "equal" and len(one.values) > 1 and (not one.numeric or outcome.refusal):
                each += self._dropped(one, outcome)
                continue
            if not one.numeric:
                continue
            verdict = judge(outcome, self._about((one.name,), outcome))
            if verdict is not None and verdict.fit:
                accepted.append((one, outcome))
            if verdict is not None:
                each += self._advice([one], outcome, verdict)
        found_together = list(self._together(accepted, each))
        yield from found_together
        told = {name for item in found_together for name in (item.path or "").split(", ")}
        alone = [one for one, outcome in zip(tried, trials, strict=True) if self._is_right(one, outcome)]
        if len(alone) > 1 and not told & {one.name for one in alone}:
            yield self._only_together(alone, trials[0])

    def _together(self, accepted: list[tuple[Candidate, Trial]], each: list[Advice]) -> Iterator[Advice]:
        """Several statics that are data may change in the same calls: then only all of them together save traces."""
        if len(accepted) > 1:
            names = tuple(one.name for one, _ in accepted)
            trials = self._trials([names])
            if not isinstance(trials, Unavailable):
                verdict = judge(trials[0], self._about(names, trials[0]))
                if verdict is not None and verdict.fit:
                    yield from self._advice([one for one, _ in accepted], trials[0], verdict)
                    paths = {*names}
                    each = [item for item in each if item.path not in paths]
        yield from each

    def _is_idle(self, one: Candidate) -> bool:
        """Whether the recorded programs do not depend on a static: they are equal, or the body never reads it."""
        same = programs(self._specs, one.name)
        unread = isinstance(self._subject, Subject) and not reads(
            self._subject.source, self._subject.line, _own_name(self._subject), one.name
        )
        return same == "equal" or (not same and unread)

    def _is_right(self, one: Candidate, outcome: Trial) -> bool:
        """Whether the change is right for one static, be it that it saves nothing alone."""
        if obstacle(outcome):
            return False
        if not one.numeric:
            return self._is_idle(one)
        verdict = judge(outcome, self._about((one.name,), outcome))
        return verdict is not None and verdict.fit

    def _only_together(self, alone: list[Candidate], outcome: Trial) -> Advice:
        """Statics of which each could be spared, but that change in the same calls."""
        data = [f"`{one.name}`" for one in alone if one.numeric]
        idle = [f"`{one.name}`" for one in alone if not one.numeric]
        parts = [f"{', '.join(data)} as an ordinary argument gives the same programs"] if data else []
        parts += [f"the program does not depend on {', '.join(idle)}"] if idle else []
        why = (
            f"tried, and each is right but saves nothing alone, since they change in the same calls: {'; '.join(parts)}"
        )
        steps = [f"pass {' and '.join(data)} as data, not static"] if data else []
        steps += [f"leave {', '.join(idle)} out of the calls"] if idle else []
        before, _ = self._efforts(outcome)
        return self._item(
            alone, "make-dynamic", "SUGGESTED", why, before, None, None, f"do both: {', and '.join(steps)}"
        )

    # Trying.

    def _obstacle(self) -> str:
        """Why nothing can be tried; "" if it can."""
        if isinstance(self._subject, Unavailable):
            return self._subject.reason
        if isinstance(self._calls, Unavailable):
            return self._calls.reason
        if any(_is_staged_only(one.specialization) for one in self._report.specializations):
            name = self._report.function.name
            return f"`{name}` is also lowered ahead of time, where calls leave static arguments out and had to change"
        return side_effect(self._subject.source, self._subject.qualname, self._subject.line) or self._other_arrays()

    def _other_arrays(self) -> str:
        """That arrays closed over may have changed between the calls, where their contents were not looked at."""
        assert isinstance(self._calls, list)  # noqa: S101 - `_obstacle` has seen to it
        seen: dict[int, set[str]] = {}
        for spec, call in zip(self._specs, self._calls, strict=True):
            if not call.constants and spec.fingerprint is not None and spec.fingerprint.constants.startswith("?"):
                seen.setdefault(spec.maker, set()).add(spec.fingerprint.constants)
        if any(len(marks) > 1 for marks in seen.values()):
            return (
                "it closes over arrays that were not the same ones at each call, and their contents are not known;"
                " record with: whyjit run --keep-arguments"
            )
        return ""

    def _trials(self, names: Sequence[tuple[str, ...]]) -> list[Trial] | Unavailable:
        assert isinstance(self._subject, Subject)  # noqa: S101 - `_obstacle` has seen to it
        assert isinstance(self._calls, list)  # noqa: S101 - likewise
        limits = self._context.limits
        statics = static_names(self._specs)
        # What is left of the time is for starting Python, JAX, and the program.
        part = 0.7 * limits.seconds / len(names)
        requests = tuple(Request(each, statics, limits.calls, part) for each in names)
        task = trial.Task(
            self._subject,
            tuple(self._calls),
            self._marks(),
            self._makers(),
            self._fingerprints(),
            tuple(call.constants for call in self._calls),
            requests,
        )
        outcome = self._context.limits.run(trial.NAME, msgspec.msgpack.encode(task))
        if outcome.result is None:
            return Unavailable(f"the process that tried it {outcome.failure or 'gave no answer'}")
        return msgspec.msgpack.decode(outcome.result, type=list[Trial])

    def _marks(self) -> tuple[str, ...]:
        """What tells for each call which static objects it was given."""
        return tuple(" ".join(static.identity for static in statics_of(spec)) for spec in self._specs)

    def _makers(self) -> tuple[int, ...]:
        assert isinstance(self._calls, list)  # noqa: S101 - `_obstacle` has seen to it
        return tuple(maker_of(spec, call) for spec, call in zip(self._specs, self._calls, strict=True))

    def _fingerprints(self) -> tuple[str, ...]:
        return tuple("" if spec.fingerprint is None else spec.fingerprint.whole for spec in self._specs)

    def _about(self, names: tuple[str, ...], outcome: Trial) -> Circumstances:
        before, after = self._efforts(outcome)
        saved = before.seconds - after.seconds
        several = all(len(one.values) > 1 for one in candidates(self._specs) if one.name in names)
        return Circumstances(names, self._kept, self._report.calls, saved, self._everything, several)

    def _efforts(self, outcome: Trial) -> tuple[Effort, Effort]:
        """What was recorded, and what is left of it where the changed function is still traced."""
        explained = {one.specialization.number: one for one in self._report.specializations}
        cost = [seconds([explained[spec.number]]) for spec in self._specs]
        traces = [sum(stage.kind == "trace" for stage in spec.stages) for spec in self._specs]
        left = [at for at, traced in enumerate(outcome.traced) if traced]
        return Effort(sum(traces), sum(cost)), Effort(len(left), sum(cost[at] for at in left))

    # Telling.

    def _advice(self, found: list[Candidate], outcome: Trial, verdict: Verdict) -> Iterator[Advice]:
        before, after = self._efforts(outcome)
        if verdict.fit and after.traces >= before.traces:
            return  # other arguments change in the same calls: nothing would be saved
        names = [one.name for one in found]
        patch, reason = self._patch(names) if verdict.fit else (None, "")
        why = f"{verdict.why}; no patch: {reason}" if reason else verdict.why
        if patch is not None:
            verdict, why = self._patched(verdict, why, names, sum(outcome.traced))
            patch = patch if verdict.fit else None
        if reason:
            # How it is jitted is not known whole: something may speak against the change that was not tried.
            verdict = verdict._replace(evidence="SUGGESTED", fit=False)
        yield self._item(
            found,
            verdict.kind,
            verdict.evidence,
            why,
            before,
            after if verdict.fit else None,
            patch,
            verdict.code or (_hoisted(self._report.function.name, names[0], verdict.hoist) if verdict.hoist else ""),
        )

    def _dropped(self, one: Candidate, outcome: Trial) -> Iterator[Advice]:
        """A static that decides nothing and cannot become an argument, such as a text: it can only be left out."""
        assert isinstance(self._subject, Subject)  # noqa: S101 - it was tried
        before, _ = self._efforts(outcome)
        cost = before.seconds / max(1, len(self._specs))
        after = Effort(outcome.fixed_traces, cost * outcome.fixed_traces)
        if after.traces >= before.traces:
            return
        name = self._report.function.name
        traces = f"{times(after.traces)} instead of {times(outcome.traces)}"
        why = (
            f"the program does not depend on `{one.name}`: it is the same at each of the {len(one.values)} recorded"
            f" values; with one value for all calls the body is traced {traces}; no patch, since its calls must change"
        )
        code = f"leave `{one.name}` out of the calls of `{name}`, or give it the same value in each"
        evidence = "PROVEN" if self._kept and self._everything and not outcome.surroundings else "TESTED"
        if reads(self._subject.source, self._subject.line, _own_name(self._subject), one.name):
            evidence = "TESTED"
            why += f"; the body reads `{one.name}`, so that another value may matter"
        if not self._kept:
            why += "; the arrays were made up (record with --keep-arguments for a proof)"
        yield self._item([one], "drop-static", evidence, why, before, after, None, code)

    def _untried(self, one: Candidate, reason: str) -> Iterator[Advice]:
        """What the recorded programs say without running anything."""
        same = programs(self._specs, one.name)
        if same not in {"equal", "constants"}:
            return
        before, _ = self._efforts(Trial())
        name = self._report.function.name
        told = "equal" if same == "equal" else "the same but for constants"
        why = f"the programs recorded for {len(one.values)} values are {told}, but not verified: {reason}"
        if same == "equal":
            code = f"leave `{one.name}` out of the calls of `{name}`, or give it the same value in each"
        elif " is wrapped by " in reason:
            array = f"jnp.asarray({one.name})"
            code = f"pass `{one.name}` as an array, {array}, where the wrapper makes static what is no array"
        elif one.numeric and one.parameter:
            code = f"pass `{one.name}` as an ordinary argument: take it out of the static arguments of `{name}`"
        else:
            code = f"pass the numbers in `{one.name}` as arguments of their own, or make them leaves of a pytree"
        yield self._item(
            [one], "drop-static" if same == "equal" else "make-dynamic", "SUGGESTED", why, before, None, None, code
        )

    def _item(
        self,
        found: list[Candidate],
        kind: AdviceKind,
        evidence: str,
        why: str,
        before: Effort,
        after: Effort | None,
        patch: str | None,
        code: str,
    ) -> Advice:
        function = self._report.function
        subject = self._subject
        return Advice(
            function.name,
            ", ".join(one.name for one in found),
            kind,
            evidence,  # type: ignore[arg-type]
            why,
            before,
            after,
            patch,
            tuple(value if len(found) == 1 else f"{one.name}={value}" for one in found for value in one.values),
            Location(function.file, function.line, function.qualname),
            subject.digest if isinstance(subject, Subject) else "",
            code,
        )

    def _patched(self, verdict: Verdict, why: str, names: Sequence[str], traces: int) -> tuple[Verdict, str]:
        """The verdict once the patched file itself was loaded and called, where it makes the jit when it is loaded."""
        edited = self._edited(names)
        assert isinstance(edited, jit_options.Edited)  # noqa: S101 - there is a patch
        assert isinstance(self._subject, Subject)  # noqa: S101 - it was tried
        assert isinstance(self._calls, list)  # noqa: S101 - likewise
        task = patched.Task(self._subject, edited.source, tuple(self._calls), self._marks(), self._makers())
        outcome = self._context.limits.run(patched.NAME, msgspec.msgpack.encode(task))
        if outcome.result is None:
            found = patched.Found(fault=f"its process {outcome.failure}")
        else:
            found = msgspec.msgpack.decode(outcome.result, type=patched.Found)
        if found.fault or found.traces not in {None, traces}:
            told = found.fault or f"it was traced {times(found.traces or 0)}"
            return verdict._replace(evidence="SUGGESTED", fit=False), f"tried and rejected: with the patch, {told}"
        if found.traces is not None:
            why += f"; the patched file, loaded and called, is traced {times(found.traces)}"
        return verdict, why

    def _edited(self, names: Sequence[str]) -> jit_options.Edited | jit_options.Uneditable:
        subject = self._subject
        assert isinstance(subject, Subject)  # noqa: S101 - it was tried
        name = _own_name(subject)
        target = jit_options.Target(name, subject.line, parameters_of(subject.source, subject.line, name))
        return jit_options.without(subject.source, target, names)

    def _patch(self, names: Sequence[str]) -> tuple[str | None, str]:
        edited = self._edited(names)
        if isinstance(edited, jit_options.Uneditable):
            return None, edited.reason
        assert isinstance(self._subject, Subject)  # noqa: S101 - it was tried
        path = shown_path(self._context, self._subject.file)
        return patching.diff(path, self._subject.source, edited.source), ""


def _own_name(subject: Subject) -> str:
    """The name in the function's definition."""
    return subject.qualname.rpartition(".")[2]


def _is_staged_only(spec: Specialization) -> bool:
    """Whether it was lowered or traced by name, as `f.lower(...)` does, and not by a call."""
    lowered = any(stage.kind in {"lower", "compile"} for stage in spec.stages)
    return lowered and not spec.calls and not spec.nested_calls and not spec.error


def shown_path(context: Context, file: str) -> str:
    """A file's path from the working directory, with forward slashes."""
    return Path(os.path.relpath(Path(file).resolve(), context.directory.resolve())).as_posix()


def parameters_of(source: str, line: int, name: str) -> tuple[str, ...]:
    """The parameters of the function of that name whose `def`, `lambda` or first decorator stands at a line."""
    found = functions_at(ast.parse(source), line, name)
    if not found:
        return ()
    given = found[0].args
    return tuple(one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs))


def _hoisted(function: str, name: str, expression: str) -> str:
    return (
        f"compute `{expression}` before the call and pass the result to `{function}` as an ordinary argument"
        f" in the place of `{name}`"
    )
