"""Advice on functions that failed while they were traced: the failing expression, rewritten for traced values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from whyjit.errors import WhyjitError
from whyjit.model.advice import Advice, AdviceKind, Effort
from whyjit.model.arguments import KeptCall
from whyjit.model.source import Location
from whyjit.rewrite import patching, sources
from whyjit.rewrite.control import rounds, rules
from whyjit.rewrite.control.rounds import Answer, Request
from whyjit.rewrite.control.site import open_site
from whyjit.rewrite.control.versions import Target
from whyjit.rewrite.kept import Unavailable, arguments_for, maker_of
from whyjit.rewrite.statics.candidates import static_names
from whyjit.rewrite.statics.propose import shown_path
from whyjit.rewrite.subject import Subject, changed_since, subject_of

if TYPE_CHECKING:
    from whyjit.model.failure import Failure
    from whyjit.model.finding import FunctionReport
    from whyjit.model.recording import Specialization
    from whyjit.rewrite.advisers import Context

_TASK = "whyjit.rewrite.control.rounds:run"
# What a failure is advised on as, where no rule has said which kind it would be.
_KINDS: dict[str, AdviceKind] = {
    "branch-on-value": "cond",
    "loop-on-value": "cond",
    "concrete-needed": "jnp-function",
    "numpy-on-tracer": "jnp-function",
    "boolean-mask": "mask-reduce",
    rules.IN_PLACE: "at-set",
}


def propose(context: Context) -> Iterator[Advice]:
    """Advice on each expression that failed, and on functions whose assignment to an element was refused."""
    done: set[tuple[str, int, tuple[int, int] | None]] = set()
    told: set[int] = set()
    for failure in context.report.failures:
        place = (failure.file, failure.line, failure.columns)
        if failure.code not in _KINDS or place in done:
            continue
        done.add(place)
        function = _function_of(context, failure)
        if context.only and (function is None or function.function.name != context.only):
            continue
        if function is not None:
            told.add(function.function.id)
        yield from _Failed(context, failure, function).advice()
    for function in context.functions():
        if function.function.id not in told and any(spec.error == "TypeError" for spec in _specs(function)):
            yield from _Failed(context, None, function).advice()


def _specs(function: FunctionReport) -> list[Specialization]:
    return [one.specialization for one in function.specializations]


def _function_of(context: Context, failure: Failure) -> FunctionReport | None:
    """The function that the user called when it failed: the one named, else the only one that ended so."""
    failed = [
        report
        for report in context.report.functions
        if report.function.origin == "user" and any(spec.error == failure.error for spec in _specs(report))
    ]
    names = {failure.called, failure.called.rpartition(".")[2]}
    named = [one for one in failed if {one.function.name, one.function.qualname} & names]
    found = named or (failed if not failure.called else [])
    return found[0] if len(found) == 1 else None


class _Failed:
    """One failing function while a rewrite of it is looked for. Without a failure, it is a refused assignment."""

    def __init__(self, context: Context, failure: Failure | None, function: FunctionReport | None) -> None:
        self._context = context
        self._failure = failure
        self._function = function
        self._kept = True

    def advice(self) -> Iterator[Advice]:
        """One piece of advice, or none where there is nothing to say."""
        requests = self._requests()
        if isinstance(requests, Unavailable):
            if self._failure is not None:
                yield self._untried(requests.reason)
            return
        answers: list[Answer] = []
        for request in requests:
            outcome = self._context.limits.run(_TASK, msgspec.msgpack.encode(request))
            if outcome.result is None:
                if self._failure is not None:
                    yield self._untried(f"the process that tried it {outcome.failure or 'gave no answer'}")
                return
            answers.append(msgspec.msgpack.decode(outcome.result, type=Answer))
        request, answer = requests[0], together(answers)
        if answer.text:
            yield self._verified(request, answer)
        elif self._failure is not None or answer.kind:
            yield self._suggested(request, answer)

    def _requests(self) -> list[Request] | Unavailable:
        """What is to be tried, one request for each function object that was made; or why nothing can be."""
        if self._function is None:
            return Unavailable("which recorded function it was called by is not known")
        subject = subject_of(self._context, self._function.function)
        if isinstance(subject, Unavailable):
            return subject
        if self._failure is not None and self._failure.code not in rules.CODES:
            return Unavailable("a loop has more than one form as a program, and which one is yours to choose")
        specs = _specs(self._function)
        chosen = sorted(specs, key=lambda spec: not spec.error)[: self._context.limits.calls]
        calls: dict[int, list[KeptCall]] = {}
        reason = ""
        for spec in chosen:
            found = arguments_for(self._context, self._function.function.id, spec.number)
            if isinstance(found, KeptCall):
                calls.setdefault(maker_of(spec, found), []).append(found)
            else:
                reason = reason or found.reason
        if not calls:
            return Unavailable(reason or "no call of it was recorded")
        self._kept = all(call.kept for each in calls.values() for call in each)
        target = self._target(subject)
        if isinstance(target, Unavailable):
            return target
        return [Request(subject, tuple(each), tuple(static_names(specs)), target) for each in calls.values()]

    def _target(self, subject: Subject) -> Target | Unavailable | None:
        """The file that it failed in, if that is another than the function's."""
        if self._failure is None or _same(self._failure.file, subject.file):
            return None
        file = Path(self._failure.file)
        if changed_since(self._context, file):
            return Unavailable(f"{file.name} has changed since the recording; record the program again")
        try:
            return Target(str(file), sources.read(file).text)
        except WhyjitError as fault:
            return Unavailable(fault.message)

    # What is told.

    def _verified(self, request: Request, answer: Answer) -> Advice:
        steps = "; ".join(what for _, what in answer.steps)
        proven = answer.proven and self._kept
        why = f"{steps}: the original, op by op, and the rewritten function, compiled, agree on {answer.checked}"
        if any(kind in ("cond", "where") for kind, _ in answer.steps):
            why += "; both ways of the condition were forced"
        if answer.proven:
            why += ", and each is the original's program, operation by operation"
        if not self._kept:
            why += (
                "; the arguments were made up from the recorded types, so it counts as tested:"
                " record with whyjit run --keep-arguments to have the real ones"
            )
        why += "".join(f"; {note}" for note in answer.notes)
        function = self._function
        assert function is not None  # noqa: S101 - there was a request
        return self._item(
            _kind(answer.steps[0][0]),
            "PROVEN" if proven else "TESTED",
            why,
            after=Effort(answer.traces, answer.seconds),
            patch=self._patch(request, answer.text),
            tested=tuple(dict.fromkeys(answer.tested)),
            digest=_digest(request),
        )

    def _patch(self, request: Request, text: str) -> str:
        target = request.target or Target(request.subject.file, request.subject.source)
        return patching.diff(shown_path(self._context, target.file), target.source, text)

    def _suggested(self, request: Request, answer: Answer) -> Advice:
        reasons = "; ".join(dict.fromkeys(answer.reasons)) or "no rewrite was found"
        if answer.draft:
            steps = "; ".join(what for _, what in answer.steps)
            return self._item(
                _kind(answer.kind),
                "SUGGESTED",
                f"{steps}: it can be traced, and no difference was found, but the whole was not compared: {reasons}",
                patch=self._patch(request, answer.draft),
                digest=_digest(request),
            )
        return self._item(
            _kind(answer.kind) if answer.kind else self._default_kind(),
            "SUGGESTED",
            f"not rewritten: {reasons}" if answer.refused else f"tried and thrown away: {reasons}",
            code=self._by_hand(),
        )

    def _untried(self, reason: str) -> Advice:
        """A patch that nobody has run, where a rule gives one."""
        failure = self._failure
        assert failure is not None  # noqa: S101 - only then it is told
        why, kind, patch, digest = f"not tried: {reason}", self._default_kind(), None, ""
        span = rounds.span_of_failure(failure)
        if span is not None and not changed_since(self._context, Path(failure.file)):
            try:
                source = sources.read(Path(failure.file))
            except WhyjitError:
                source = None
            site = open_site(source.text, span, failure.code) if source is not None else None
            found = rules.changes(site) if site is not None else None
            if source is not None and found is not None and found.changes:
                change, _ = found.changes[0]
                kind, digest = change.kind, source.digest
                patch = patching.diff(shown_path(self._context, failure.file), source.text, change.text)
                why += "".join(f"; {note}" for note in change.notes)
            elif found is not None and found.refusals:
                kind = found.refusals[0].kind
                why = f"not rewritten: {found.refusals[0].reason}"
        return self._item(kind, "SUGGESTED", why, patch=patch, digest=digest, code="" if patch else self._by_hand())

    def _default_kind(self) -> AdviceKind:
        return _KINDS[self._failure.code if self._failure is not None else rules.IN_PLACE]

    def _by_hand(self) -> str:
        """What to write, in the user's own names, as the explanation of the failure has it."""
        remedies = self._failure.remedies if self._failure is not None else ()
        return "\n".join(f"{remedy.text}    # {remedy.name}: {remedy.cost}" for remedy in remedies)

    def _item(
        self,
        kind: AdviceKind,
        evidence: str,
        why: str,
        *,
        after: Effort | None = None,
        patch: str | None = None,
        tested: tuple[str, ...] = (),
        digest: str = "",
        code: str = "",
    ) -> Advice:
        function, failure = self._function, self._failure
        name = function.function.name if function is not None else (failure.function if failure is not None else "")
        if failure is not None:
            location = Location(failure.file, failure.line, failure.function)
            why = f"`{_short(failure.expression)}` fails while `{name}` is traced; {why}"
        else:
            assert function is not None  # noqa: S101 - one of both is there
            location = Location(function.function.file, function.function.line, function.function.qualname)
        before = Effort(function.traces, function.lost_s) if function is not None else Effort(0, 0.0)
        return Advice(
            name,
            failure.arguments[0] if failure is not None and len(failure.arguments) == 1 else None,
            kind,
            evidence,  # type: ignore[arg-type]
            why,
            before,
            after,
            patch,
            tested,
            location,
            digest,
            code,
        )


def together(answers: Sequence[Answer]) -> Answer:
    """The answers for several functions made of one code, as one: a rewrite that does not serve all serves none."""
    first = answers[0]
    if len(answers) == 1:
        return first
    for at, one in enumerate(answers, 1):
        if one.text != first.text or not one.text:
            reasons = one.reasons or ("it is rewritten in another way",)
            told = tuple(f"{reason} (function {at} of the {len(answers)} made of it)" for reason in reasons)
            return msgspec.structs.replace(one, text="", reasons=told)
    return msgspec.structs.replace(
        first,
        proven=all(one.proven for one in answers),
        checked=f"{first.checked}, and so for each of the {len(answers)} functions made of it",
        notes=tuple(dict.fromkeys(note for one in answers for note in one.notes)),
        tested=tuple(dict.fromkeys(types for one in answers for types in one.tested)),
        traces=sum(one.traces for one in answers),
        seconds=sum(one.seconds for one in answers),
    )


def _digest(request: Request) -> str:
    """The digest of the file that is rewritten."""
    return request.subject.digest if request.target is None else sources.read(Path(request.target.file)).digest


def _kind(name: str) -> AdviceKind:
    kind: AdviceKind = msgspec.convert(name, AdviceKind)
    return kind


def _same(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return one == other


def _short(expression: str) -> str:
    text = " ".join(expression.split())
    return text if len(text) <= 60 else f"{text[:59]}…"
