"""Whether a value is data of the program, or could be configuration of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whyjit.analyse.failure.recognise import Family
    from whyjit.analyse.failure.use import Use
    from whyjit.model.failure import Given, Nature
    from whyjit.model.scene import Origin

_FEW = 4
_BY_SHAPE = frozenset({"shape-from-value", "loop-on-value"})


def nature_of(
    code: str, family: Family, use: Use | None, origin: Origin | None, *, sized_by_data: bool
) -> tuple[Nature, str]:
    """The nature of a failing value and the evidence for it. "unknown" where the evidence allows both."""
    if sized_by_data or family == "mask":
        return "data", "how many elements the result has depends on the elements themselves"
    if origin is None:
        return "unknown", ""
    decided = _by_value(origin)
    if decided is not None:
        return decided
    if not origin.arguments:
        if origin.exact and origin.operations:
            return "configuration", "it is computed from constants only: it is the same at every call"
        return "unknown", "no argument is known to reach it"
    names = _listed([argument.path for argument in origin.arguments])
    if not all(argument.type for argument in origin.arguments):
        return "unknown", f"it comes from {names}"
    typed = _listed([argument.type for argument in origin.arguments if argument.type])
    if code in _BY_SHAPE and (use is None or "while" not in (use.kind, use.inside)):
        what = "how often the loop runs" if code == "loop-on-value" else "a shape"
        changed = _changed(origin)
        return (
            "configuration",
            f"it decides {what}, and comes from {names} ({typed}): Python must know it to build the program"
            + (f"; {_listed([_history(one) for one in changed])}, and each is a program of its own" if changed else ""),
        )
    seen = _by_history(origin)
    if seen is not None:
        return seen
    flag = all(argument.type.startswith("bool") for argument in origin.arguments)
    if flag and (use is None or "while" not in (use.kind, use.inside)):  # a loop changes what it ends by
        return "configuration", f"it comes from the flag {names} ({typed}): two values, so at most two programs"
    scalar = "a scalar" if len(origin.arguments) == 1 else "scalars"
    return (
        "unknown",
        f"it comes from {names} ({typed}), {scalar}: data if it changes from call to call, else configuration",
    )


def _by_value(origin: Origin) -> tuple[Nature, str] | None:
    if origin.mapped:
        return "data", "it has one value per device: `shard_map` or `pmap` runs on each with its own part"
    if origin.batched:
        return "data", "it has one value per example: `vmap` maps over it"
    if origin.keyed:
        return "data", "it depends on a random key"
    arrays = [argument for argument in origin.arguments if not argument.scalar and argument.type]
    if arrays:
        return "data", f"it is computed from the elements of {_listed([f'{one.path} ({one.type})' for one in arrays])}"
    if origin.carried:
        return "data", "a loop carries it: it has another value at each step"
    return None


def _changed(origin: Origin) -> list[Given]:
    """The arguments that were scalars of Python's and had more than one value so far."""
    return [one.given for one in origin.arguments if one.given is not None and one.given.distinct > 1]


def _history(given: Given) -> str:
    return f"{given.path} had {given.distinct} values in {given.calls} uncached calls"


def _by_history(origin: Origin) -> tuple[Nature, str] | None:
    """What the values say that the arguments had in earlier calls: seen only where the caller gave Python's scalars."""
    changed = _changed(origin)
    kinds = {one.type for one in changed}
    if not kinds or any(one.given is None or one.given.holder != "python" for one in origin.arguments):
        return None
    told = _listed([_history(one) for one in changed])
    if kinds & {"float", "complex"}:
        return "data", f"{told}: a number that changes is data"
    if kinds == {"int"} and any(one.distinct > _FEW and 2 * one.distinct > one.calls for one in changed):
        return "data", f"{told}: nearly each call has another"
    if all(one.distinct <= _FEW and one.calls >= 2 * one.distinct for one in changed):
        return "configuration", f"{told}: few, so few programs"
    return None


def _listed(names: list[str]) -> str:
    unique = list(dict.fromkeys(names))
    if len(unique) > 4:
        unique = [*unique[:3], f"{len(unique) - 3} more"]
    return unique[0] if len(unique) == 1 else f"{', '.join(unique[:-1])} and {unique[-1]}" if unique else ""
