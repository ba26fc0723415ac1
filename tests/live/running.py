"""Runs small programs one after the other in this process, each recorded, and prints their reports as JSON.

    python running.py FOLDER...        each folder holds a case.py

The host is given four devices, so that programs about placement can be among them. What one program leaves behind
(caches, settings) is cleaned up before the next. A program may end with an error; it and its explanation are told
beside the report.
"""

import contextlib
import gc
import io
import json
import os
import sys
import types
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax

import whyjit

SETTINGS = (
    *("jax_enable_x64", "jax_default_matmul_precision", "jax_compilation_cache_dir", "jax_default_device"),
    "jax_persistent_cache_min_compile_time_secs",
)


def run(path):
    """The report of one program, and the error it ended with."""
    before = {name: getattr(jax.config, name) for name in SETTINGS}
    module = types.ModuleType("__main__")
    module.__dict__["__file__"] = str(path)
    main, error = sys.modules["__main__"], ""
    failure = None
    sys.modules["__main__"] = module
    try:
        with whyjit.record() as recording, contextlib.redirect_stdout(io.StringIO()):
            try:
                exec(compile(path.read_text(), str(path), "exec"), module.__dict__)  # noqa: S102 - that is what it is for
            except Exception as raised:  # noqa: BLE001 - whatever a program ends with
                error = f"{type(raised).__name__}: {raised}"
                failure = whyjit.explain(raised).failure
        report = recording.report()
    finally:
        sys.modules["__main__"] = main
        for name, value in before.items():
            jax.config.update(name, value)
        module.__dict__.clear()
        jax.clear_caches()
        sys.modules["jax._src.compilation_cache"].reset_cache()
        gc.collect()
    return {"report": report, "error": error, "explained": failure.code if failure else ""}


if __name__ == "__main__":
    found = {}
    for folder in sys.argv[1:]:
        found[Path(folder).name] = run(Path(folder) / "case.py")
    json.dump(found, sys.stdout)
