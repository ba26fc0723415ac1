"""What was found when a call was padded: whether padding reaches the results."""

from __future__ import annotations

from typing import Literal

import msgspec

Verdict = Literal["safe", "masked", "zeros", "leaks", "untold"]
LeakKind = Literal["content", "size", "shape", "rounding"]


class Leak(msgspec.Struct, frozen=True):
    """One output that padding reaches: by the padding's content, by the padded size alone, or in its shape.

    "rounding" is a difference by content within the tolerance: a result that is right to rounding, and not proven.
    """

    output: str
    kind: LeakKind
    text: str


class Safety(msgspec.Struct, frozen=True):
    """Whether a function's results stay the same when its arguments are padded, as far as it was tried.

    `verdict`: "safe", whatever the padding holds; "masked", as long as the arrays named in `masks` are padded with
    their own fill (False or 0), whatever the others hold; "zeros", with the fill and with nothing else; "leaks", not
    even so; "untold", which `note` explains. `leaks` names the outputs that padding reaches, for verdicts other than
    "safe" and "masked". `spreads_nan` tells that a NaN in the padding would reach a result, as 0 * NaN does.
    `gradients` is "equal", "differ", or "" where there are none to compare or they were not compared; then
    `gradient_note` says why. `tried` are the sizes, each with the size it was padded to.
    """

    verdict: Verdict
    leaks: tuple[Leak, ...] = ()
    masks: tuple[str, ...] = ()
    spreads_nan: bool = False
    gradients: Literal["equal", "differ", ""] = ""
    gradient_note: str = ""
    note: str = ""
    tried: tuple[tuple[int, int], ...] = ()

    @property
    def safe(self) -> bool:
        """Whether the function may be padded: its results are right, and its gradients where they were compared."""
        return self.verdict in ("safe", "masked") and self.gradients != "differ"
