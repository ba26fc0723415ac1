"""Make docs/explanation/advice.md: what becomes of each function in the suite of advice, counted.

    python scripts/advice_table.py            run the suite (some minutes), then write the page
    python scripts/advice_table.py --expected write the page from what the suite expects, without running it

The page is only written if every function got what the suite expects of it, and no wrong change was accepted.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "explanation" / "advice.md"
sys.path.insert(0, str(ROOT / "tests" / "live"))
os.environ.setdefault("JAX_PLATFORMS", "cpu")

if TYPE_CHECKING:
    from advice_suite.case import Case

# What each kind is called on the page, in its order.
KINDS = {
    "make-dynamic": "a static that is data",
    "drop-static": "a static that decides nothing",
    "make-static": "an argument that must be static",
    "bucket": "an axis of many sizes",
    "cond": "a branch",
    "where": "a branch for each element",
    "logical": "`and`, `or`, `not`, chained comparisons",
    "at-set": "an assignment to elements",
    "jnp-function": "a function of Python's or NumPy's",
    "mask-reduce": "a reduction under a mask",
}
OUTCOMES = ("PROVEN", "TESTED", "REFUSED", "REJECTED", "NONE")

HEAD = """\
# What becomes of advice

`whyjit advise` offers a change only with evidence. This page counts what it makes of the functions of its own suite, of
which many were written to mislead it. `make advice-table` runs them all, and writes the page only if each of them got
what the suite expects and no wrong change was accepted.

| kind | functions | proven | tested | refused | rejected | left alone | wrong ones | of these accepted |
|---|--:|--:|--:|--:|--:|--:|--:|--:|
"""
TAIL = """
- *proven*: the changed program is the same at every recorded value, or padding of any content was shown to reach no
  result, and outputs, gradients and traces were compared.
- *tested*: both versions were run and agree; no proof was possible.
- *refused*: not tried, for a reason that is told: a side effect, another program at each trace, a function that cannot
  be made anew from what was kept of it, a branch that leaves a name undefined.
- *rejected*: tried, and found not to be the same: another constant, another program, another type, a lost or other
  gradient, padding that reaches a result, a value that Python must have.
- *left alone*: nothing is said, since the program is right as it is.
- *wrong ones*: functions for which the obvious change would alter what the program does on some call.

The suite was written together with the program. It shows what is told apart, and not how often each case occurs in
programs in the field. The functions are in `tests/live/advice_suite/`.
"""


def suites() -> list[tuple[Iterable[Case], Callable[[Case, Path], str]]]:
    """The parts of the suite, each with what tells what becomes of one of its functions."""
    from advice_suite import buckets, control, hostile, nested, statics

    recorded = nested.CASES + hostile.CASES
    return [(statics.CASES, _static), (buckets.CASES, _bucket), (control.CASES, _control), (recorded, _recorded)]


def _static(case: Case, folder: Path) -> str:
    from advice_suite.trying import advised, outcome

    advisers = ("whyjit.rewrite.statics.propose", "whyjit.rewrite.statics.concrete")
    return outcome(case, advised(case, folder, advisers=advisers).items)[1]


def _recorded(case: Case, folder: Path) -> str:
    from advice_suite.trying import advised, outcome

    return outcome(case, advised(case, folder).items)[1]


def _control(case: Case, folder: Path) -> str:
    from test_rewrite_control import become, tried

    return become(tried(case, folder))


def _bucket(case: Case, folder: Path) -> str:  # noqa: ARG001 - all are called alike
    from test_jaxlink_poisoning import BUCKET, axes_of, captured

    from whyjit.jaxlink import padding, poisoning

    function, calls = captured(case)
    axes = axes_of(calls)
    if not axes:
        return "NONE"
    chosen = [(padding.locate((), args, kwargs, axes), BUCKET) for args, kwargs in calls]
    safety = poisoning.examine(function, [chosen[0], chosen[-1]], lambda _place: 0)
    if safety.verdict == "untold":
        return "REFUSED"
    return "PROVEN" if safety.safe else "REJECTED"


def run() -> list[str]:
    """Try every function; what is not as the suite expects, a line for each."""
    unlike: list[str] = []
    with tempfile.TemporaryDirectory(prefix="whyjit-advice-") as name:
        for number, (cases, become) in enumerate(suites()):
            for at, case in enumerate(cases):
                if case.kind == "bucket" and case.expected == "NONE":
                    continue  # whether buckets pay is a question of measured times, not of this suite
                folder = Path(name) / f"{number}-{at}"
                folder.mkdir()
                with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                    warnings.simplefilter("ignore")
                    found = become(case, folder)
                if found != case.expected:
                    unlike.append(f"{case.kind}, {case.name}: {found} instead of {case.expected}")
                if case.wrong and found in {"PROVEN", "TESTED"}:
                    unlike.append(f"{case.kind}, {case.name}: WRONG, and accepted as {found}")
    return unlike


def page() -> str:
    """The page, from what the suite expects."""
    cases = [case for cases, _ in suites() for case in cases]
    rows = [
        _row(f"{KINDS[kind]} (`{kind}`)", [case for case in cases if case.kind == kind])
        for kind in KINDS
        if any(case.kind == kind for case in cases)
    ]
    return HEAD + "\n".join([*rows, _row("**all**", cases)]) + "\n" + TAIL


def _row(title: str, cases: list[Case]) -> str:
    counts = Counter(case.expected for case in cases)
    wrong = [case for case in cases if case.wrong]
    accepted = sum(case.expected in {"PROVEN", "TESTED"} for case in wrong)
    cells = [title, len(cases), *(counts[one] for one in OUTCOMES), len(wrong), accepted]
    return f"| {' | '.join(map(str, cells))} |"


def main() -> int:
    """Run, and write."""
    parser = argparse.ArgumentParser(description="Write docs/explanation/advice.md.")
    parser.add_argument("--expected", action="store_true", help="do not run the suite")
    if not parser.parse_args().expected:
        unlike = run()
        if unlike:
            print("\n".join(unlike))
            return 1
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
