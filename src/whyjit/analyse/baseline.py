"""A run against the counts of an earlier one that somebody has accepted: the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from whyjit.analyse.budget import Event, breach, events, times
from whyjit.analyse.needless import needless_retraces
from whyjit.analyse.paths import short
from whyjit.model.budget import Breach, Known, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.analyse.budget import Origin
    from whyjit.model.finding import FunctionReport, Report

_VERBS = {"traces": "traced", "compiles": "compiled", "needless_retraces": "traced needlessly"}
_UPDATE = "if it is meant, accept it with: whyjit check --baseline {file} --update"


def counts(report: Report) -> tuple[Known, ...]:
    """What a baseline remembers of a run: the user's own functions, by file and qualified name, in order of name."""
    return tuple(Known(name, *_three(functions)) for name, functions in sorted(_by_name(report).items()))


def compare(report: Report, known: Sequence[Known], file: str, origin: Origin | None = None) -> Verdict:
    """Hold a run to a baseline. A function that it does not know may be traced and compiled once.

    `origin` tells in which process a specialization was made, where the report is of several.
    """
    before = {one.name: one for one in known}
    found = _by_name(report)
    breaches: list[Breach] = []
    fewer: list[str] = []
    for name, functions in sorted(found.items()):
        old = before.get(name)
        allowed = old if old is not None else Known(name, 1, 1, 0)
        new = Known(name, *_three(functions))
        for limit, verb in _VERBS.items():
            was, now = int(getattr(allowed, limit)), int(getattr(new, limit))
            if now > was:
                made = _breach(
                    report, functions, limit, verb, was, now, known=old is not None, file=file, origin=origin
                )
                breaches.append(made)
            elif now < was and old is not None:
                fewer.append(f"`{name}` was {verb} {times(now)} in place of {was:,}")
    gone = [name for name in before if name not in found]
    notes = [f"better than the baseline: {each}" for each in fewer]
    notes += [f"in the baseline, but not in this run: `{name}`" for name in gone]
    if notes:
        notes.append(f"take this run for the baseline with: whyjit check --baseline {file} --update")
    if not report.complete:
        notes.append("the recording did not end in good order: what came after its last batch was not judged")
    return Verdict(tuple(breaches), (), tuple(notes), len(found) * len(_VERBS))


def _three(functions: Sequence[FunctionReport]) -> tuple[int, int, int]:
    return (
        sum(function.traces for function in functions),
        sum(function.compiles for function in functions),
        sum(len(needless_retraces(function)) for function in functions),
    )


def _breach(
    report: Report,
    functions: Sequence[FunctionReport],
    limit: str,
    verb: str,
    was: int,
    now: int,
    *,
    known: bool,
    file: str,
    origin: Origin | None,
) -> Breach:
    if limit != "needless_retraces":
        made = events(functions, "trace" if limit == "traces" else "compile")
    else:
        made = [
            Event(one.specialization.started, function, one)
            for function in functions
            for one in needless_retraces(function)
        ]
    says = f"the baseline has {was:,}" if known else "it is not in the baseline, and once is allowed for a new one"
    name = functions[0].function.name
    text = f"`{name}` was {verb} {times(now)}; {says}"
    found = breach(limit, file, was, now, text, made[min(was, len(made) - 1)], report, origin)
    remedy = f"{found.remedy.rstrip('.')}; {_UPDATE.format(file=file)}"
    return structs.replace(found, remedy=remedy)


def _by_name(report: Report) -> dict[str, list[FunctionReport]]:
    found: dict[str, list[FunctionReport]] = {}
    for function in report.functions:
        known = function.function
        if known.origin == "user":
            name = f"{short(known.file, report.environment.directory)}:{known.qualname}"
            found.setdefault(name, []).append(function)
    return found
