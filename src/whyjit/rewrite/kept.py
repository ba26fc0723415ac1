"""The arguments of recorded calls: those that were kept, else small ones made up from the recorded signature.

What stands here are descriptions: no array is made, and no object of the user's program is loaded, before a `KeptCall`
has been handed to a process of its own (msgspec encodes it), where `whyjit.jaxlink.thawing.thaw` makes live arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from whyjit.model.arguments import KeptCall
from whyjit.rewrite import synthetic
from whyjit.store import kept

if TYPE_CHECKING:
    from pathlib import Path

    from whyjit.model.recording import Specialization
    from whyjit.rewrite.advisers import Context


@dataclass(frozen=True)
class Unavailable:
    """Why something that verification needs is not there."""

    reason: str


@dataclass(frozen=True)
class KeptArguments:
    """The arguments kept with one recording. `file` is the recording's."""

    file: Path

    def of(self, function: int, number: int) -> KeptCall | None:
        """What was kept of the call that made a specialization, or None."""
        return kept.read(self.file, function, number)


def arguments_for(context: Context, function: int, number: int) -> KeptCall | Unavailable:
    """The arguments of the call that made specialization `number` of a function: as kept, else made from its signature.

    A `KeptCall` whose `kept` is False holds small made-up values: what rests on it is at most TESTED.
    """
    spec = _specialization(context, function, number)
    if spec is None:
        return Unavailable(f"the run has no specialization {number} of function {function}")
    found = context.kept.of(function, number)
    if found is not None and not found.missing:
        return found
    made = synthetic.describe(spec.signature)
    if isinstance(made, KeptCall):
        known = KeptCall() if found is None else found
        return msgspec.structs.replace(made, carried=known.carried, constants=known.constants)
    told = found.missing if found is not None else "they were not kept; record with: whyjit run --keep-arguments"
    return Unavailable(f"there are no arguments to run it with ({told}), and none can be made up: {made}")


def maker_of(spec: Specialization, call: KeptCall) -> int:
    """Which function object made a specialization: a number, 0 for the one that its module has by name."""
    return spec.maker if call.carried is not None else 0


def _specialization(context: Context, function: int, number: int) -> Specialization | None:
    for report in context.report.functions:
        if report.function.id == function:
            for explained in report.specializations:
                if explained.specialization.number == number:
                    return explained.specialization
    return None
