"""Which specializations of a run can be compiled ahead of time, the dearest first, and why the others cannot."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from whyjit.analyse.warmup.references import Home, reference
from whyjit.analyse.warmup.writing import Written, written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from whyjit.model.finding import Report
    from whyjit.model.recording import Specialization
    from whyjit.model.signature import Signature


_ARRAYS = frozenset({"jax", "numpy", "abstract"})


class Work(NamedTuple):
    """One specialization to be made: `name` as `whyjit why` numbers it, and the seconds it took in the run."""

    name: str
    module: str
    reference: str
    call: Written
    seconds: float
    calls: int


class LeftOut(NamedTuple):
    """Something that the run used and that is not made ahead, and why."""

    name: str
    reason: str


class Plan(NamedTuple):
    """What to make, the dearest first, and what is left out. `program` is the module of the program itself, or ""."""

    works: tuple[Work, ...]
    left_out: tuple[LeftOut, ...]
    program: str


def plan(report: Report, homes: Mapping[str, Home]) -> Plan:
    """The warm-up of a run. `homes` are by the functions' files."""
    program = next((home.module for home in homes.values() if home.program), "")
    context = _usual_context(report)
    works: list[Work] = []
    left: list[LeftOut] = []
    for function in report.functions:
        used = [one.specialization for one in function.specializations if one.specialization.calls]
        if not used or function.function.origin == "library":
            if used:
                left.append(LeftOut(function.function.name, "it belongs to a library, which keeps it to itself"))
            continue
        if function.function.origin == "eager":
            left.append(
                LeftOut(function.function.name, "operations called one by one; they could go into a jitted function")
            )
            continue
        found = reference(function.function, homes)
        if found.reason:
            left.append(LeftOut(function.function.name, found.reason))
            continue
        made: list[Specialization] = []
        for spec in used:
            reason = _reason(spec, context)
            if reason:
                left.append(LeftOut(f"{function.function.name}@{spec.number}", reason))
            else:
                made.append(spec)
        names = _Names(function.function.name, made)
        for spec in made:
            call = written(spec.signature, names.of(spec), program, concrete=found.jit == "filter_jit")
            name = f"{function.function.name}@{spec.number}"
            seconds = sum(stage.own for stage in spec.stages)
            works.append(Work(name, found.module, found.name, call, seconds, spec.calls))
    works.sort(key=lambda work: (-work.seconds, -work.calls, work.name))
    return Plan(tuple(works), tuple(left), program)


def _usual_context(report: Report) -> tuple[tuple[str, str], ...]:
    """The settings that most calls were made under: the program's own, which its server has too."""
    counts: Counter[tuple[tuple[str, str], ...]] = Counter()
    for function in report.functions:
        for one in function.specializations:
            counts[one.specialization.signature.context] += one.specialization.calls
    return counts.most_common(1)[0][0] if counts else ()


def _reason(spec: Specialization, context: tuple[tuple[str, str], ...]) -> str:
    """Why a specialization cannot be made ahead, or ""."""
    if spec.error:
        return f"it failed ({spec.error})"
    if spec.maker > 1:
        return "it belongs to another function object of the same code, made while the program ran"
    if spec.signature.transforms:
        return f"it was called under {', '.join(spec.signature.transforms)}"
    differing = dict(set(spec.signature.context) - set(context))
    if spec.signature.context != context:
        told = ", ".join(f"{name}={text}" for name, text in sorted(differing.items())) or "other settings"
        return f"it was called under {told}, unlike the rest"
    return ""


class _Names:
    """Names for arguments that are to be given: `f.x`, or `f@2.x` where it was not the same in every call."""

    def __init__(self, function: str, specs: Sequence[Specialization]) -> None:
        self._function = function
        self._specs = specs

    def of(self, spec: Specialization) -> Callable[[str], str]:
        """The name for a parameter in a specialization."""

        def name(path: str) -> str:
            looks = [(_at(other.signature, path), other.number) for other in self._specs]
            several = len({look for look, _ in looks if any(look)}) > 1
            first = next(number for look, number in looks if look == _at(spec.signature, path))
            return f"{self._function}@{first}.{path}" if several else f"{self._function}.{path}"

        return name


def _at(signature: Signature, path: str) -> tuple[tuple[object, ...], ...]:
    """What a signature says of a parameter; arrays of NumPy's and of JAX's are alike to a jit."""
    below = (f"{path}[", f"{path}.")
    leaves = [structs.replace(leaf, holder="") if leaf.holder in _ARRAYS else leaf for leaf in signature.leaves]
    return tuple(
        tuple(part for part in parts if part.path == path or part.path.startswith(below))
        for parts in (signature.nodes, leaves, signature.statics)
    )
