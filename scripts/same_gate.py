"""Run programs plainly and under whyjit, and fail where anything that the program did is different.

    python scripts/same_gate.py --python PYTHON --whyjit WHYJIT FOLDER_OR_FILE...

Compared are what the program printed, its exit status, its traceback, how often each function of its file ran, and
JAX's own count of traces, lowerings, compiles and cache hits. A folder is searched for `*/case.py`. What differs
between plain runs of a program, too, is no difference.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
# What differs between any two runs of a program: addresses, identities, the folder it runs in, clock times.
FLEETING = re.compile(
    r"0x[0-9a-f]+|\bid[ =]\d+|/[^\s\"']*/same-[a-z0-9_]+|\d+\.\d+(?:e-?\d+)?(?= ?(?:s|ms|us|sec|seconds)\b)"
)
# JAX flattens a pytree whenever it likes; whyjit does so once more at a miss, to name the leaves. Nothing else may run
# more often.
FLATTENING = re.compile(r"\w*flatten\w*:\d+$")
# Far more than any of the programs takes, on a busy machine, too.
TIME_LIMIT_S = 1200
# How often a program that seems to differ is run plainly again, to see what of that is chance.
MORE_RUNS = 5
# XLA writes to standard error what took it long, which is the machine's affair.
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3"}


class Ran(NamedTuple):
    """What one run of a program did, without what differs between any two runs."""

    printed: str
    status: int
    errors: str
    counts: dict[str, dict[str, int]]


class Difference(NamedTuple):
    """What is not the same: a field of `Ran`, or the count of this name in a table of its `counts`; and in words."""

    field: str
    name: str
    text: str

    def value(self, ran: Ran) -> object:
        """What a run has there."""
        return ran.counts.get(self.field, {}).get(self.name, 0) if self.name else getattr(ran, self.field)


def programs(paths: list[Path], every: int = 1) -> list[Path]:
    """The files to run: those that are named, and of those in a folder the first and then every so many."""
    found: list[Path] = []
    for path in paths:
        found += [path] if path.is_file() else sorted(path.glob("*/case.py"))[::every]
    return found


def run(command: list[str], program: Path) -> Ran:
    """Run a program in an empty folder."""
    with tempfile.TemporaryDirectory(prefix="same-") as folder:
        shutil.copy(program, folder)
        counts = Path(folder) / "counts.json"
        try:
            done = subprocess.run(
                [*command, str(HERE / "counted.py"), counts.name, program.name],
                cwd=folder,
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **QUIET, "PYTHONHASHSEED": "0"},
                timeout=TIME_LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Ran("", -1, f"it was stopped after {TIME_LIMIT_S} s", {})
        counted = json.loads(counts.read_text()) if counts.exists() else {}
    return Ran(FLEETING.sub("*", done.stdout), done.returncode, FLEETING.sub("*", done.stderr), counted)


def differences(plain: Ran, recorded: Ran) -> list[Difference]:
    """What is not the same, none when all is. What whyjit adds comes after all that the program wrote."""
    found = []
    if plain.status != recorded.status:
        found.append(Difference("status", "", f"exit status {plain.status}, under whyjit {recorded.status}"))
    if plain.printed != recorded.printed:
        text = f"printed ...{plain.printed[-200:]!r}, under whyjit ...{recorded.printed[-200:]!r}"
        found.append(Difference("printed", "", text))
    if not recorded.errors.startswith(plain.errors):
        text = f"stderr ...{plain.errors[-300:]!r}, under whyjit ...{recorded.errors[-500:]!r}"
        found.append(Difference("errors", "", text))
    for what in ("bodies", "events"):
        before, after = plain.counts.get(what, {}), recorded.counts.get(what, {})
        found += [
            Difference(what, name, f"{name}: {before.get(name, 0)}, under whyjit {after.get(name, 0)}")
            for name in sorted({*before, *after})
            if before.get(name) != after.get(name) and not _is_flattening(name, before.get(name, 0), after.get(name, 0))
        ]
    return found


def not_by_chance(found: list[Difference], plain: Ran, again: Callable[[], Ran]) -> list[Difference]:
    """Without what differs between plain runs, too: how often JAX compares statics, say, hangs on addresses."""
    for _ in range(MORE_RUNS):
        if not found:
            break
        ran = again()
        found = [each for each in found if each.value(plain) == each.value(ran)]
    return found


def _is_flattening(name: str, before: int, after: int) -> bool:
    return FLATTENING.search(name) is not None and 0 < before <= after


def main() -> int:
    """Compare, and say what differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", required=True)
    parser.add_argument("--whyjit", required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="of a folder's programs, one in N alone")
    parser.add_argument("paths", nargs="+", type=Path)
    options = parser.parse_args()
    # Programs run in folders of their own. (A link stays one: an environment's Python is known by it.)
    python, whyjit = (str(Path(command).absolute()) for command in (options.python, options.whyjit))

    def compare(program: Path) -> list[str]:
        plain = run([python], program)
        found = differences(plain, run([whyjit, "run", "--quiet"], program))
        return [each.text for each in not_by_chance(found, plain, lambda: run([python], program))]

    found = programs([path.resolve() for path in options.paths], options.every)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = dict(zip(found, pool.map(compare, found), strict=True))
    for program, reasons in results.items():
        for reason in reasons:
            print(f"{program.parent.name}/{program.name}: {reason}")
    different = sum(map(bool, results.values()))
    print(f"{len(results) - different} of {len(results)} programs did the same with and without whyjit")
    return 1 if different or not results else 0


if __name__ == "__main__":
    sys.exit(main())
