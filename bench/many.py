"""One function with 10,000 specializations, by a static counter: what recording them adds, and analysing takes.

    python -m bench.many bare|recorded SPECIALIZATIONS

specializes in a process of its own, and prints its figures as JSON. JAX itself grows slower with every specialization
of a function, and the whole takes minutes. So the bare process and the recorded one run side by side, under the same
conditions at every moment.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from typing import Any

import jax
import jax.numpy as jnp

from bench.results import Result


def specialize(specializations: int) -> dict[str, float]:
    """Call one function with so many static values, and tell how long that took, by the clock and by the processor.

    Its programs have no equation, so that JAX's own share is as small as it can be, and each differs by a literal.
    """

    def count(x: jax.Array, counter: int) -> Any:
        return x, counter

    counting = jax.jit(count, static_argnames="counter")
    x = jnp.ones(4)
    clock, processor = time.perf_counter(), time.process_time()
    for counter in range(specializations):
        out = counting(x, counter)
    jax.block_until_ready(out)
    return {"seconds": time.perf_counter() - clock, "processor": time.process_time() - processor}


def recorded(specializations: int) -> dict[str, float]:
    """The same with whyjit, and its analysis of what it recorded."""
    import whyjit

    with tempfile.TemporaryDirectory(prefix="whyjit-bench-") as folder:
        with whyjit.record(out=folder) as recording:
            taken = specialize(specializations)
        start = time.perf_counter()
        recording.report()
        return {**taken, "analysing": time.perf_counter() - start}


ARMS = {"bare": specialize, "recorded": recorded}


def main() -> None:
    """Run one arm."""
    arm, specializations = sys.argv[1:]
    specialize(20)  # what JAX loads late is paid for here
    print(json.dumps(ARMS[arm](int(specializations))))


def run(*, quick: bool) -> list[Result]:
    """Start both arms side by side, and compare them."""
    specializations = 200 if quick else 10_000
    started = [
        subprocess.Popen([sys.executable, "-m", __spec__.name, arm, str(specializations)], stdout=subprocess.PIPE)
        for arm in ARMS
    ]
    bare, watched = (json.loads(process.communicate()[0]) for process in started)
    title = f"{specializations:,} specializations"
    return [
        Result(f"{title} ({bare['seconds']:.0f} s bare)", "whyjit", watched["seconds"] / bare["seconds"], limit=1.10),
        Result(f"{title}: processor time", "whyjit", watched["processor"] / bare["processor"], limit=1.10),
        Result(f"{title}: analysing", "whyjit", watched["analysing"], unit="s", limit=5),
    ]


if __name__ == "__main__":
    main()
