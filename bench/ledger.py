"""A recording with 1,000,000 ledger rows and 10,000 specializations: how long a report takes, and how much memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.results import Result
from whyjit.model.batch import Batch
from whyjit.model.program import Equation, Fingerprint, Literal, Program, Variable
from whyjit.model.recording import Environment, Function, Row, Specialization, Stage
from whyjit.model.signature import CallForm, Leaf, Node, Signature, Static
from whyjit.model.source import Location
from whyjit.store import programs
from whyjit.store.writer import Writer

SITE = Location("train.py", 31, "main")
STEP = Function(1, "step", "step", "train.py", 3, "user")
ENVIRONMENT = Environment("3.13", "0.12", "0.12", "cpu", argv=("train.py",))
LEAVES = 20
BATCHES = 100

# Runs the command, then adds to what it wrote the peak of this one process. Linux counts in ru_maxrss what the process
# was before it became this program, so where it can, the peak is read from VmHWM.
REPORT = """
import pathlib, resource, runpy, sys
try:
    runpy.run_module("whyjit", run_name="__main__", alter_sys=True)
except SystemExit as end:
    if end.code:
        raise
status = pathlib.Path("/proc/self/status")
if status.exists():
    print(next(int(line.split()[1]) for line in status.open() if line.startswith("VmHWM")) * 1024)
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def specialization(number: int, calls: int) -> Specialization:
    """One value of a static counter that is multiplied with the batch."""
    leaves = (Leaf("batch", (64, 64), "float32"), *(Leaf(f"params[{i}]", (64, 64), "float32") for i in range(LEAVES)))
    return Specialization(
        function=1,
        number=number,
        signature=Signature(
            form=CallForm((("params", "positional"), ("batch", "positional"), ("counter", "positional"))),
            nodes=(Node("params", "list"),),
            leaves=leaves,
            statics=(Static("counter", "int", str(number), f"int {number}"),),
            context=(("jax_enable_x64", "False"),),
        ),
        call_site=SITE,
        stages=(Stage("trace", number, 2e-3, 2e-3), Stage("lower", number, 1e-3), Stage("compile", number, 1e-2)),
        started=float(number),
        fingerprint=Fingerprint(f"whole {number}", "literals", f"shapes {number}", "types", "skeleton", equations=1),
        program=f"program {number}",
        calls=calls,
        misses=1,
    )


def program(number: int) -> bytes:
    """Its staged program, which differs from the others in a literal."""
    product = Equation("mul", (Variable(0), Literal(f"{number}.0", "f32[]")), (1,), ("f32[64,64]",))
    return programs.encode(Program(("f32[64,64]",), (), (product,), (Variable(1),)))


def synthetic_recording(folder: Path, specializations: int, rows: int) -> None:
    """Write a recording with so many specializations of one function, and so many rows that take turns among them."""
    writer = Writer.create(folder, ENVIRONMENT)
    numbers, calls = specializations // BATCHES, rows // specializations
    for first in range(1, specializations, numbers):
        new = range(first, first + numbers)
        turns = [number for _ in range(calls) for number in new]
        writer.write(
            Batch(
                ENVIRONMENT,
                functions=(STEP,),
                specializations=tuple(specialization(number, calls) for number in new),
                rows=tuple(
                    Row(
                        order=(first - 1) * calls + turn,
                        function=1,
                        specialization=number,
                        event="new" if turn < numbers else "hit",
                        call_site=SITE,
                        count=1,
                        moment=float(first),
                        traces=min(number, first + turn),
                        compiles=min(number, first + turn),
                    )
                    for turn, number in enumerate(turns)
                ),
                programs=tuple((f"program {number}", program(number)) for number in new),
                seconds=float(specializations),
                final=first + numbers > specializations,
            )
        )
    writer.close()


def run(*, quick: bool) -> list[Result]:
    """Write the recording, and have `whyjit report` report it, from start to end."""
    specializations, rows = (1_000, 10_000) if quick else (10_000, 1_000_000)
    with tempfile.TemporaryDirectory(prefix="whyjit-bench-") as folder:
        run, out = Path(folder) / "run", Path(folder) / "report.json"
        run.mkdir()
        synthetic_recording(run, specializations, rows)
        command = [sys.executable, "-c", REPORT, "report", str(run), "--format", "json", "-o", str(out)]
        start = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        seconds = time.perf_counter() - start
        (step,) = json.loads(out.read_text())["functions"]
    found = step["calls"], len(step["specializations"])
    if found != (rows, specializations):
        raise AssertionError(f"the report has {found} calls and specializations, not {(rows, specializations)}")
    title = f"{specializations:,} specializations, {rows:,} ledger rows"
    return [
        Result(f"{title}: whyjit report", "whyjit", seconds, unit="s", limit=5),
        Result(f"{title}: peak memory", "whyjit", int(done.stdout.split()[-1]) / 1e6, unit="MB", limit=500),
    ]
