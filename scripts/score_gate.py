"""Run the scorer over the collected cases, and fail where whyjit misleads or has got worse.

A wrong answer is worse than none, so one "wrong" or one "crash" fails. The number of right answers may not fall
below the floor in tests/score_floor.toml. Where the cases are not at hand there is nothing to do.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# For each case; far more than any takes, on a busy machine, too.
TIME_LIMIT_S = 900
TALLY = re.compile(r"(\d+) right, (\d+) unknown, (\d+) wrong, (\d+) crash of (\d+)")


def run_scorer(command: list[str]) -> str:
    """Run the scorer, show each line as it comes, and return the last one."""
    last = ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as scorer:
        for line in scorer.stdout or ():
            print(line, end="", flush=True)
            last = line.strip() or last
    return last


def judge(tally: str, floor: int) -> list[str]:
    """The reasons to fail, none when all is well."""
    match = TALLY.fullmatch(tally)
    if match is None:
        return [f"the scorer's last line is not a tally: {tally!r}"]
    right, _, wrong, crash, _ = map(int, match.groups())
    reasons = [f"{count} {name}, must be 0" for name, count in (("wrong", wrong), ("crash", crash)) if count]
    if right < floor:
        reasons.append(f"{right} right, must be at least {floor}")
    return reasons


def main() -> int:
    """Score, and say what is amiss."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--whyjit", required=True, help="the whyjit command")
    parser.add_argument("--shared", type=Path, required=True, help="the folder with tools/score.py and cases/")
    parser.add_argument("--floor", type=Path, default=ROOT / "tests" / "score_floor.toml")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    scorer, cases = options.shared / "tools" / "score.py", options.shared / "cases"
    if not scorer.is_file() or not cases.is_dir():
        print(f"No score: there is no {scorer} or no {cases}.")
        return 0
    command = [sys.executable, str(scorer), "-v", "--whyjit", options.whyjit, "--cases", str(cases)]
    tally = run_scorer([*command, "--jobs", str(options.jobs), "--timeout", str(TIME_LIMIT_S)])
    reasons = judge(tally, floor=tomllib.loads(options.floor.read_text())["right"])
    for reason in reasons:
        print(f"score: {reason}", file=sys.stderr)
    return 1 if reasons else 0


if __name__ == "__main__":
    sys.exit(main())
