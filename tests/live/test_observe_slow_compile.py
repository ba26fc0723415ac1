"""A compile takes longer than it takes until the next batch is written: what is told of it comes right all the same."""

import jax
import numpy as np
from jax._src import compiler

from whyjit.observe.observer import Observer


def total(x):
    return (x * 2).sum()


def test_a_call_that_compiles_without_a_trace_is_counted_once(monkeypatch):
    batches = []
    observer = Observer(batches.append)
    compile_now = compiler.backend_compile_and_load

    def compile_later(*args, **options):
        observer.flush()
        return compile_now(*args, **options)

    monkeypatch.setattr(compiler, "backend_compile_and_load", compile_later)
    observer.start()
    try:
        x = np.ones(4, np.float32)
        for options in ({}, {"xla_cpu_enable_fast_math": True}):
            jitted = jax.jit(total, compiler_options=options)
            for _ in range(3):
                jitted(x)
    finally:
        observer.stop()
    names = {function.id: function.name for batch in batches for function in batch.functions}
    written = {(spec.function, spec.number): spec for batch in batches for spec in batch.specializations}
    calls = {number: spec.calls for (function, number), spec in written.items() if names[function] == "total"}
    assert calls == {1: 3, 2: 3}
