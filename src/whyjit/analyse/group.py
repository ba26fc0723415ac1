"""One function group while its findings are looked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from whyjit.analyse.disk_cache import Look
    from whyjit.model.finding import Change, Explained
    from whyjit.model.recording import Function, Specialization, StaleRead

# A variant that is called this often has earned its compile.
OFTEN = 10


@dataclass(frozen=True)
class Group:
    """A function with its explained specializations, the stale values seen in them, and what earlier runs compiled."""

    function: Function
    explained: Sequence[Explained]
    stale: Sequence[StaleRead] = ()
    looks: Sequence[Look] = ()

    @cached_property
    def later(self) -> list[Explained]:
        """The specializations after the first that were made while recording, and that could have been spared.

        What was only staged (`lower`, `eval_shape`) and never called was asked for on purpose. What was traced as a
        part of another function's trace is that trace's matter, unless it repeats itself inside one trace; and the
        first compile of a function of which others had only traced variants is none that a variant of it spares. A
        library's function that the user never calls is the library's matter. Operations called one by one have
        findings of their own.
        """
        if self.function.origin == "eager":
            return []
        if self.function.origin == "library" and not any(one.specialization.calls for one in self.explained):
            return []
        return [
            one
            for one in self.explained
            if one.cause.kind != "first"
            and not one.specialization.earlier
            and _used(one.specialization)
            and not self._part_of_another(one)
            and not (self._first_compiled(one) and one.delta != "identical")
        ]

    def _first_compiled(self, one: Explained) -> bool:
        """Whether all earlier ones were only traced, inside other functions."""
        earlier = (other for other in self.explained if other.specialization.number < one.specialization.number)
        return all(other.specialization.stages and not _compiled(other.specialization) for other in earlier)

    def _part_of_another(self, one: Explained) -> bool:
        spec = one.specialization
        if spec.parent is None or any(stage.kind != "trace" for stage in spec.stages):
            return False
        old = next((other for other in self.explained if other.specialization.number == one.compared_with), None)
        return one.delta != "identical" or old is None or old.specialization.parent != spec.parent

    @cached_property
    def calls(self) -> int:
        """Calls of the function, inside other traces or not."""
        return sum(one.specialization.calls + one.specialization.nested_calls for one in self.explained)

    def changed(self, *kinds: str) -> dict[str, list[tuple[Explained, Change]]]:
        """The later specializations in which a factor of these kinds changed, by the factor's path."""
        found: dict[str, list[tuple[Explained, Change]]] = {}
        for one in self.later:
            for change in one.cause.changes:
                if change.kind in kinds:
                    found.setdefault(change.path or "", []).append((one, change))
        return found

    def saving(self, some: Iterable[Explained]) -> float:
        """Seconds that mending one kind of change would save: where several kinds changed at once, its share of them.

        Of a function's first compile no more than the trace is spared.
        """
        return sum(self._spared(one) / max(1, len({_kind(change) for change in one.cause.changes})) for one in some)

    def _spared(self, one: Explained) -> float:
        stages = one.specialization.stages
        traces = sum(stage.own for stage in stages if stage.kind == "trace")
        return traces if self._first_compiled(one) else seconds([one])

    def seldom(self, some: Iterable[Explained]) -> bool:
        """Whether specializations are used so seldom that their making was the larger part of the work."""
        chosen = list(some)
        used = sum(one.specialization.calls + one.specialization.nested_calls for one in chosen)
        return used < OFTEN * len(chosen)


def _compiled(spec: Specialization) -> bool:
    return any(stage.kind in ("compile", "cache_load") for stage in spec.stages)


def _used(spec: Specialization) -> bool:
    return bool(spec.calls or spec.nested_calls or spec.operation)


def seconds(some: Iterable[Explained]) -> float:
    """Seconds that went into making specializations."""
    return sum(stage.own for one in some for stage in one.specialization.stages)


def _kind(change: Change) -> str:
    return "dtype" if change.kind == "weak_type" else change.kind


def deltas(some: Iterable[Explained]) -> set[str | None]:
    """The program deltas that occur."""
    return {one.delta for one in some}


def several(values: Sequence[str], limit: int = 4) -> str:
    """A list of values, cut, in words."""
    unique = list(dict.fromkeys(values))
    shown = ", ".join(unique[:limit])
    return shown if len(unique) <= limit else f"{shown} and {len(unique) - limit} more"
