"""Run programs plainly and under whyjit, and fail where anything that the program did is different.

    python scripts/same_gate.py --python PYTHON --whyjit WHYJIT FOLDER_OR_FILE...

Compared are what the program printed, its exit status, its traceback, how often each function of its file ran, and
JAX's own count of traces, lowerings, compiles and cache hits. A folder is searched for `*/case.py`.
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
TIME_LIMIT_S = 300


class Ran(NamedTuple):
    """What one run of a program did, without what differs between any two runs."""

    printed: str
    status: int
    errors: str
    counts: dict[str, dict[str, int]]


def programs(paths: list[Path]) -> list[Path]:
    """The files to run."""
    found: list[Path] = []
    for path in paths:
        found += [path] if path.is_file() else sorted(path.glob("*/case.py"))
    return found


def run(command: list[str], program: Path) -> Ran:
    """Run a program in an empty folder."""
    with tempfile.TemporaryDirectory(prefix="same-") as folder:
        shutil.copy(program, folder)
        counts = Path(folder) / "counts.json"
        done = subprocess.run(
            [*command, str(HERE / "counted.py"), counts.name, program.name],
            cwd=folder,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONHASHSEED": "0"},
            timeout=TIME_LIMIT_S,
            check=False,
        )
        counted = json.loads(counts.read_text()) if counts.exists() else {}
    return Ran(FLEETING.sub("*", done.stdout), done.returncode, FLEETING.sub("*", done.stderr), counted)


def differences(plain: Ran, recorded: Ran) -> list[str]:
    """What is not the same, none when all is. What whyjit adds comes after all that the program wrote."""
    found = []
    if plain.status != recorded.status:
        found.append(f"exit status {plain.status}, under whyjit {recorded.status}")
    if plain.printed != recorded.printed:
        found.append(f"printed ...{plain.printed[-200:]!r}, under whyjit ...{recorded.printed[-200:]!r}")
    if not recorded.errors.startswith(plain.errors):
        found.append(f"stderr ...{plain.errors[-300:]!r}, under whyjit ...{recorded.errors[-500:]!r}")
    for what in ("bodies", "events"):
        before, after = plain.counts.get(what, {}), recorded.counts.get(what, {})
        found += [
            f"{name}: {before.get(name, 0)}, under whyjit {after.get(name, 0)}"
            for name in sorted({*before, *after})
            if before.get(name) != after.get(name) and not _is_flattening(name, before.get(name, 0), after.get(name, 0))
        ]
    return found


def _is_chance(difference: str, plain: Ran, again: Ran) -> bool:
    """Whether a count differs between two plain runs, too: how often JAX compares statics hangs on addresses."""
    name = difference.partition(": ")[0]
    return any(
        plain.counts.get(what, {}).get(name) != again.counts.get(what, {}).get(name) for what in ("bodies", "events")
    )


def _is_flattening(name: str, before: int, after: int) -> bool:
    return FLATTENING.search(name) is not None and 0 < before <= after


def main() -> int:
    """Compare, and say what differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", required=True)
    parser.add_argument("--whyjit", required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("paths", nargs="+", type=Path)
    options = parser.parse_args()
    # Programs run in folders of their own. (A link stays one: an environment's Python is known by it.)
    python, whyjit = (str(Path(command).absolute()) for command in (options.python, options.whyjit))

    def compare(program: Path) -> list[str]:
        plain = run([python], program)
        found = differences(plain, run([whyjit, "run", "--quiet"], program))
        return [each for each in found if not _is_chance(each, plain, run([python], program))] if found else []

    found = programs([path.resolve() for path in options.paths])
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
