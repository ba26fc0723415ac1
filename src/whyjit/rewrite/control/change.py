"""What a rule makes of a failing expression: a change of the source, or the reason why there is none."""

from __future__ import annotations

from typing import NamedTuple

from whyjit.model.advice import AdviceKind


class Change(NamedTuple):
    """A new text of the whole file, which differs at the failing expression and, where needed, in the imports.

    `what` says it in a few words. `notes` are differences that no test of values decides, to be told with the patch.
    `branches` tells that a condition chooses between two ways, so that both must be forced. `ties` tells that the
    gradient differs from Python's where the two values are equal.
    """

    kind: AdviceKind
    text: str
    what: str
    notes: tuple[str, ...] = ()
    branches: bool = False
    ties: bool = False


class Refusal(NamedTuple):
    """Why a rule that is meant for this kind of expression leaves this one alone."""

    kind: AdviceKind
    reason: str


class Rewritten(NamedTuple):
    """An example that a rule rewrites: the failing expression `at` in `before`, and the whole of the text after."""

    before: str
    at: str
    after: str


class Refused(NamedTuple):
    """An example that a rule leaves alone, with a part of its reason; "" where the form is not the rule's at all."""

    before: str
    at: str
    reason: str
