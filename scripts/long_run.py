"""A long run for real: millions of cached calls and very many specializations of a JAX program, recorded.

    python scripts/long_run.py CALLS SPECIALIZATIONS

Prints how long it took, what it made, what the recording has, the size of the file, and the peak of memory with and
without the recording. Most specializations are traced and not compiled, since XLA takes a hundred times longer.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_CLEAR = 1_000  # JAX itself keeps every program; its caches are cleared after so many


def work(calls: int, specializations: int) -> None:
    """The program."""
    import jax
    import numpy as np

    @jax.jit
    def step(x: jax.Array) -> jax.Array:
        return x * 2

    @jax.jit
    def serve(x: jax.Array) -> jax.Array:
        return x + 1

    x = jax.device_put(np.ones(3, np.float32))
    each = calls // specializations
    for number in range(1, specializations + 1):
        step.trace(jax.ShapeDtypeStruct((number,), np.float32))
        if number % _CLEAR == 0:
            step.clear_cache()
        for _ in range(each):
            serve(x)


def run(calls: int, specializations: int, folder: str) -> None:
    """The program in this process, recorded into a folder unless that is ""."""
    began = time.perf_counter()
    found: dict[str, object] = {}
    if folder:
        import whyjit

        with whyjit.record(out=folder) as recorded:
            work(calls, specializations)
        found["file_bytes"] = sum(path.stat().st_size for path in Path(folder).rglob("*.whyjit"))
        found["peak_mb"] = _peak()
        report = recorded.report()
        found["totals"] = {name: report["totals"][name] for name in ("calls", "traces", "compiles")}
        found["gaps"] = report["gaps"]
    else:
        work(calls, specializations)
        found["peak_mb"] = _peak()
    found["seconds"] = round(time.perf_counter() - began, 1)
    print(json.dumps(found))


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main(calls: str, specializations: str) -> None:
    """Run both, each in a process of its own."""
    for recorded in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            print("recorded" if recorded else "plain", flush=True)
            command = [sys.executable, __file__, calls, specializations, folder if recorded else ""]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        run(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    else:
        main(*sys.argv[1:])
