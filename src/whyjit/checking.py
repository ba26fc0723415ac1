"""A run held to its budget and its baseline: which of its processes are counted, and how they are named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import structs

from whyjit.model.budget import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from whyjit.analyse.budget import FirstCalls, Origin
    from whyjit.analyse.merging import Merged
    from whyjit.model.budget import Budget, Known
    from whyjit.model.finding import Report
    from whyjit.whole_runs import WholeRun

Counted = Literal["together", "each", "first"]


def judge(
    found: WholeRun,
    counted: Counted,
    *,
    budget: Budget | None = None,
    baseline: tuple[Sequence[Known], str] | None = None,
) -> Verdict:
    """Hold a run to a budget, to a baseline, or to both.

    Arguments:
      found: the run's processes.
      counted: all of them together, each by itself, or the one that was started first.
      budget: the limits.
      baseline: the counts known of each function, and the name of the file that holds them.
    """
    verdicts: list[Verdict] = []
    every = _held(found, counted)
    if budget is not None:
        from whyjit.analyse.budget import check

        verdicts += _named(every, [check(held.report, budget, held.first_calls, held.origin) for held in every])
    if baseline is not None:
        from whyjit.analyse.baseline import compare

        known, name = baseline
        verdicts += _named(every, [compare(held.report, known, name, held.origin) for held in every])
    return _together([*verdicts, Verdict(notes=tuple(notes(found, counted)))])


def counts(found: WholeRun, counted: Counted) -> tuple[Known, ...]:
    """What a baseline remembers of a run; of processes that are counted each by itself, the first one's."""
    from whyjit.analyse import baseline

    return baseline.counts(_held(found, counted)[0].report)


class _Held(NamedTuple):
    """What is held to the limits: all of a run, or one process of several, with its name."""

    report: Report
    first_calls: FirstCalls | None
    origin: Origin | None = None
    name: str = ""


def _held(found: WholeRun, counted: Counted) -> list[_Held]:
    from whyjit.analyse.merging import names

    first = found.reports[0]
    if len(found.reports) == 1 or counted == "first":
        return [_Held(first, _first_calls(found.files[0], first))]
    if counted == "together":
        merged = found.merged()
        return [_Held(merged.report, _merged_first_calls(found, merged), merged.origin)]
    named = names([report.environment for report in found.reports])
    return [
        _Held(report, _first_calls(file, report), _in(name), name)
        for file, report, name in zip(found.files, found.reports, named, strict=True)
    ]


def _in(name: str) -> Origin:
    return lambda _, number: (name, number)


def _named(every: Sequence[_Held], verdicts: Sequence[Verdict]) -> Iterator[Verdict]:
    """The verdicts, each naming its process where that is needed to understand it."""
    common = set.intersection(*(set(verdict.notes) for verdict in verdicts))
    for held, verdict in zip(every, verdicts, strict=True):
        if not held.name:
            yield verdict
            continue
        breaches = tuple(
            each if each.process else structs.replace(each, text=f"{held.name}: {each.text}", process=held.name)
            for each in verdict.breaches
        )
        notes = tuple(note if note in common else f"{held.name}: {note}" for note in verdict.notes)
        yield structs.replace(verdict, breaches=breaches, notes=notes)


def notes(found: WholeRun, counted: Counted) -> Iterator[str]:
    """How several processes were counted."""
    count = len(found.reports)
    if count > 1 and counted == "together":
        each = "`--processes each` holds each to the limits by itself"
        yield f"the {count:,} processes of the run are counted together; {each}"
    elif count > 1 and counted == "each":
        yield f"each of the {count:,} processes of the run is held to the limits by itself"
    elif count > 1:
        others = "1 other process was" if count == 2 else f"{count - 1:,} other processes were"
        yield f"one process of the run is judged: {others} recorded and left out, since `--processes first` asks for it"
    for fault in found.unreadable:
        yield f"left out: {fault.message}"


def _together(verdicts: list[Verdict]) -> Verdict:
    return Verdict(
        tuple(breach for verdict in verdicts for breach in verdict.breaches),
        tuple(dict.fromkeys(text for verdict in verdicts for text in verdict.unjudged)),
        tuple(dict.fromkeys(text for verdict in verdicts for text in verdict.notes)),
        sum(verdict.checked for verdict in verdicts),
    )


def _first_calls(file: Path, report: Report) -> FirstCalls | None:
    """Where calls were recorded: which call of a function made each of its specializations."""
    if any(gap.what == "hits" or gap.what.startswith("rows") for gap in report.gaps):
        return None
    from whyjit.analyse.budget import first_calls
    from whyjit.store import reader

    return lambda function: first_calls(reader.rows(file, function))


def _merged_first_calls(found: WholeRun, merged: Merged) -> FirstCalls | None:
    """The same for several processes: a call's number is that in its own process."""
    each = [_first_calls(file, report) for file, report in zip(found.files, found.reports, strict=True)]
    if None in each:
        return None

    def numbers(function: int) -> dict[int, int]:
        return {
            number + member.shift: call
            for member in merged.members[function]
            if (known := each[member.process]) is not None
            for number, call in known(member.function).items()
        }

    return numbers
