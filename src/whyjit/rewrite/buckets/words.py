"""What advice on buckets says: the plan with its measurements, and what the trial of padding showed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse import buckets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whyjit.analyse.buckets import Costs, Fit, Plan
    from whyjit.model.padding import Safety
    from whyjit.rewrite.buckets.families import Family
    from whyjit.rewrite.buckets.trial import Verified

_CONTENTS = "0, +-1e4 or more, and random values"


def plan(family: Family, costs: Costs, chosen: Plan) -> str:
    """The buckets and what they cost, beside the usual choices."""
    counts = family.counts
    sizes = sorted(counts)
    exact = buckets.bill(counts, counts, costs)
    powers = buckets.powers_of_two(counts, costs)
    held = buckets.held_out(counts, costs, chosen.grid)
    usual = "" if powers.sizes == chosen.sizes else f", powers of two {_cost(powers)}"
    measured = ", ".join(map(str, sorted(costs.compile.measured)))
    parts = [
        (
            f"{_several(chosen)} cost{'s' if len(chosen.sizes) == 1 else ''} least for the {sum(counts.values())} calls"
            f" of {len(sizes)} sizes from {sizes[0]} to {sizes[-1]}: {_cost(chosen)}; without buckets"
            f" {_cost(exact)}{usual}"
        ),
        (
            f"measured here at {measured}: compile(n) = {_formula(costs.compile)}, run(n) = {_formula(costs.run)}"
            f" seconds, off by {costs.compile.error:.0%} and {costs.run.error:.0%} at most"
        ),
    ]
    if held.calls:
        beyond = f", and {held.beyond} of its {held.calls} calls are larger than all of them" if held.beyond else ""
        parts.append(
            f"buckets for one half of the calls cost {held.excess:.0%} more than the best on the other{beyond}"
        )
    return ". ".join(part[0].upper() + part[1:] for part in parts)


def _several(chosen: Plan) -> str:
    grid = f", multiples of {chosen.grid}," if chosen.grid > 1 else ""
    if len(chosen.sizes) == 1:
        return f"one bucket of {chosen.sizes[0]}"
    return f"{len(chosen.sizes)} buckets ({', '.join(map(str, chosen.sizes))}{grid.rstrip(',')})"


def _cost(chosen: Plan) -> str:
    return f"{chosen.compile_s:.2g} s compiling + {chosen.run_s:.2g} s running"


def _formula(fit: Fit) -> str:
    names = ("", " n", " n^2")
    return " + ".join(f"{value:.2g}{names[at]}" for at, value in enumerate(fit.coefficients) if value) or "0"


def evidence(found: Verified, *, kept: bool, missing: Sequence[int]) -> str:
    """What the trial showed of a function that may be padded."""
    safety = found.safety
    sizes = len({size for size, _ in safety.tried})
    held = f", with {_names(safety.masks)} padded with False or 0" if safety.verdict == "masked" else ""
    parts = [
        f"results at {sizes} size{'s' if sizes > 1 else ''} were the same whatever the padding held ({_CONTENTS}){held}"
    ]
    if safety.gradients == "equal":
        parts[0] += "; gradients were equal"
    elif safety.gradient_note:
        parts.append(f"gradients were not compared: {safety.gradient_note}")
    if safety.spreads_nan:
        parts.append("a NaN in the padding would reach them; the wrapper pads with zeros")
    if found.added_s:
        parts.append(f"padding and cropping on the host add {found.added_s * 1e3:.2g} ms to a call")
    if not kept:
        parts.append("the arguments were made up from the recorded types: proof needs whyjit run --keep-arguments")
    if missing:
        shown = ", ".join(map(str, missing[:4])) + (", ..." if len(missing) > 4 else "")
        parts.append(f"{len(missing)} recorded programs (sizes {shown}) were not tried: no time, or no arguments")
    return ". ".join(part[0].upper() + part[1:] for part in parts)


def refusal(
    found: Verified, family: Family | None, chosen: Plan | None, *, has_patch: bool, spared: float = 0.0
) -> str:
    """Why buckets cannot be more than a suggestion, or "". `spared` are seconds that they spare the recorded run."""
    safety = found.safety
    if safety.verdict == "untold":
        return f"padding was not tried: {safety.note}"
    if safety.verdict in ("zeros", "leaks"):
        return _leaks(safety)
    if safety.gradients == "differ":
        return f"tried and rejected: results stay right, but gradients do not: {safety.gradient_note}"
    if family is None or chosen is None:
        return ""
    programs = family.programs(chosen.sizes)
    if family.others and programs > len(chosen.sizes) and 2 * programs > len(family.specs):
        others = ", ".join(f"axis {axis} of `{path}`" for path, axis in family.others[:4])
        return f"padding is safe but does not help alone: {others} vary as well; pad them together"
    if family.odd:
        return (
            f"padding is safe, but the wrapper would also meet {family.odd} recorded"
            f" program{'s' if family.odd > 1 else ''} without such axes, or with several sizes"
        )
    if not has_patch:
        return "padding is safe, but no single jit of the function was found in its file to put the wrapper around"
    if found.fault:
        return f"padding is safe, but the changed program failed: {found.fault}"
    if found.wrong:
        return f"tried and rejected: the changed program gives another result at {found.wrong}"
    calls = sum(family.counts.values())
    if found.added_s * calls > spared:
        return (
            f"padding is safe, but padding {calls} calls on the host would take {found.added_s * calls:.2g} s, more"
            f" than the {spared:.2g} s that it spares; pad where the data are made"
        )
    return ""


def _leaks(safety: Safety) -> str:
    outputs = list(dict.fromkeys(leak.output for leak in safety.leaks))
    first = safety.leaks[0]
    if first.kind == "shape":
        return f"tried and rejected: not pad-safe: {first.text}"
    names = ", ".join(f"`{name}`" for name in outputs[:3])
    if len(outputs) > 3:
        names += f" and {len(outputs) - 3} more"
    zeros = ""
    if safety.verdict == "zeros":
        zeros = "right with zeros in the padding as far as tried, but otherwise "
    return (
        f"tried and rejected: not pad-safe, {zeros}the padding reaches {names}: `{first.output}` {first.text}; mask the"
        " padding inside the function, by a length or a mask passed to it"
    )


def _names(masks: Sequence[str]) -> str:
    return " and ".join(f"`{mask}`" for mask in masks)


def guess(counts: Mapping[int, int]) -> tuple[int, ...]:
    """Powers of two, where nothing could be measured."""
    return tuple(sorted({1 << max(0, size - 1).bit_length() for size in counts}))
