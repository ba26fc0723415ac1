"""What the arms of a factor say about it, in one word."""

from __future__ import annotations

from collections.abc import Sequence

from whyjit.model.probe import Result, Verdict, VerdictWord

# From the harmless to the telling: of several arms, the most telling one speaks for the factor.
_WORDS: dict[str, VerdictWord] = {
    "identical": "retraces but decides nothing",
    "literals": "only a literal",
    "shapes": "only sizes",
    "dtypes": "only types",
    "structure": "decides the program",
}
_ORDER: tuple[VerdictWord, ...] = ("ignored", *_WORDS.values())


def verdicts(results: Sequence[Result]) -> tuple[Verdict, ...]:
    """A verdict for each factor, in the order of the arms. The control has none; if it retraces, so may every arm."""
    control = next((result for result in results if result.factor.kind == "control"), None)
    grouped: dict[tuple[str, str | None], list[Result]] = {}
    for result in results:
        if result is not control:
            grouped.setdefault((result.factor.kind, result.factor.path), []).append(result)
    return tuple(_verdict(kind, path, arms, control) for (kind, path), arms in grouped.items())


def _verdict(kind: str, path: str | None, arms: list[Result], control: Result | None) -> Verdict:
    failed = [arm for arm in arms if arm.error is not None]
    fine = [(word, arm) for arm in arms if arm.error is None and (word := _word(arm)) is not None]
    if control is not None and control.error is not None:
        return Verdict(kind, path, "unknown", "the call itself fails")
    if control is not None and control.traced and any(arm.traced and arm.delta == "identical" for arm in arms):
        return Verdict(kind, path, "unknown", "the same call is traced again, too")
    if not fine:
        return _without_success(kind, path, arms, failed)
    words: list[VerdictWord] = [found for found, _ in fine]
    best = max(words, key=_ORDER.index)
    tested = [] if len(arms) == len(failed) + len(fine) else ["some arms could not be compared"]
    told = [f"{arm.factor.new} fails: {_reason(arm)}" for arm in failed[:2]]
    notes = [arm.note for found, arm in fine if found == best and arm.note]
    mixed = [f"with {arm.factor.new}" for found, arm in fine if found == best] if len(set(words)) > 1 else []
    return Verdict(kind, path, best, "; ".join(dict.fromkeys([*mixed[:2], *notes, *told, *tested])))


def _without_success(kind: str, path: str | None, arms: list[Result], failed: list[Result]) -> Verdict:
    if not failed:
        return Verdict(kind, path, "unknown", arms[0].note or "the programs could not be compared")
    broken = [arm for arm in failed if arm.error is not None and not arm.error.error]
    if broken:
        return Verdict(kind, path, "unknown", _reason(broken[0]))
    if all(arm.factor.guess for arm in failed):
        new = failed[0].factor.new
        return Verdict(
            kind, path, "unknown", f"{new} was a guess, and fails: {_reason(failed[0])}; give a value to try"
        )
    return Verdict(kind, path, "not allowed", _reason(failed[0]))


def _word(arm: Result) -> VerdictWord | None:
    if arm.traced is None:
        return None
    if not arm.traced:
        return "ignored"
    return None if arm.delta is None else _WORDS[arm.delta]


def _reason(arm: Result) -> str:
    error = arm.error
    if error is None:
        return arm.note
    return error.message
