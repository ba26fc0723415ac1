"""A run of very many processes, made up: what it takes to read it as one, and to export it.

    python -m bench.processes [PROCESSES] [SPECIALIZATIONS]

The recordings are written with whyjit's own writer, and differ as those of one computation do; the last process parts
from the others. Peak memory is that of the process that reads.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from whyjit.model.batch import Batch
from whyjit.model.program import Fingerprint
from whyjit.model.recording import Environment, Function, Row, Specialization, Stage
from whyjit.model.signature import CallForm, Leaf, Signature
from whyjit.model.source import Location
from whyjit.store.writer import Writer

FUNCTIONS = 5
LEAVES = 40
SITE = Location("/job/train.py", 12, "main")


def main() -> None:
    """Make the run, and measure both commands on it."""
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    specializations = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    with tempfile.TemporaryDirectory(prefix="whyjit-bench-") as folder:
        run = Path(folder) / "run"
        run.mkdir()
        start = time.perf_counter()
        for process in range(processes):
            write(run, process, specializations, odd=process == processes - 1)
        size = sum(file.stat().st_size for file in run.iterdir())
        print(f"made {processes:,} recordings, {size / 1e6:,.0f} MB, in {time.perf_counter() - start:.0f} s")
        measure("processes", str(run))
        measure("export", str(run), "-o", str(Path(folder) / "tables"))


def write(run: Path, process: int, specializations: int, *, odd: bool) -> None:
    """One process's recording."""
    environment = Environment(
        "3.12", "0.12.0.1", "0.12.0.1", "cpu", process, ("train.py",), "/job", 1000 + process, 1.0e9
    )
    functions = tuple(
        Function(at, f"step_{at}", f"step_{at}", "/job/train.py", 10 * at, "user") for at in range(FUNCTIONS)
    )
    made = [specialization(at % FUNCTIONS, at // FUNCTIONS + 1, at, odd=odd) for at in range(specializations)]
    rows = tuple(
        Row(2 * at, spec.function, spec.number, "hit", SITE, 500, 0.1 * at, spec.number, spec.number)
        for at, spec in enumerate(made, 1)
    )
    writer = Writer.create(run, environment)
    writer.write(Batch(environment, functions, tuple(made), rows, seconds=60.0, final=True))
    writer.close()


def specialization(function: int, number: int, at: int, *, odd: bool) -> Specialization:
    """One specialization, of forty leaves; the odd process has another program near the end."""
    leaves = tuple(Leaf(f"params[{leaf}]", (64, 64), "float32") for leaf in range(LEAVES - 1))
    batch = Leaf("batch", (8 + number, 64), "float32")
    name = f"{function}-{number}" + ("-odd" if odd and at == 30 else "")
    stages = (
        Stage("trace", 0.1 * at, 0.02, 0.02),
        Stage("lower", 0.1 * at + 0.02, 0.01),
        Stage("compile", 0.1 * at + 0.03, 0.5),
    )
    signature = Signature(CallForm((("params", "positional"), ("batch", "positional"))), (), (*leaves, batch), ())
    return Specialization(
        function, number, signature, SITE, stages=stages, fingerprint=Fingerprint(name, name, "s", name, "s", "", 90),
        calls=501, misses=1,
    )  # fmt: skip


def measure(*command: str) -> None:
    """Run one command to its end; print its time and the most memory that any of them has taken so far."""
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "whyjit", *command], capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"whyjit {command[0]}: {seconds:.1f} s, peak memory {peak:,.0f} MB")
    print("\n".join(f"  {line}" for line in done.stdout.splitlines()[:4]))


if __name__ == "__main__":
    main()
