"""The program delta: how far a specialization's program is from the one it is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whyjit.model.finding import Delta
    from whyjit.model.program import Fingerprint

CONSTANTS_UNREAD = "the programs close over arrays whose contents were not compared"
_ALSO_LITERALS = "literals follow from the sizes"


def program_delta(old: Fingerprint | None, new: Fingerprint | None) -> tuple[Delta | None, str]:
    """The delta and a note on it; (None, "") where one of the programs is not known."""
    if old is None or new is None:
        return None, ""
    if old.whole == new.whole:
        if old.constants == new.constants:
            return "identical", ""
        return "literals", CONSTANTS_UNREAD if "?" in old.constants + new.constants else "a constant array differs"
    if old.literals == new.literals:
        return "literals", ""
    if old.shapes == new.shapes:
        return "shapes", ""
    if old.types == new.types:
        return "dtypes", ""
    if old.skeleton == new.skeleton:
        return "dtypes", "sizes differ, too"
    return "structure", ""
