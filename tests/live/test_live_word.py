"""A function that is compiled again and again to one program is named while it happens, once."""

from __future__ import annotations

import jax
import numpy as np

from whyjit.observe.observer import Observer


def observed(program):
    said = []
    observer = Observer(lambda _batch: None, say=said.append)
    observer.start()
    program()
    observer._probes.finish()
    observer.stop()
    return said


def test_said_once_for_a_needless_retrace():
    def program():
        for at in range(12):
            jax.jit(lambda x: x + 1)(np.float32(at))

    (line,) = observed(program)
    assert "`<lambda>` (test_live_word.py:" in line
    assert "5 times for one program, " in line


def test_programs_that_differ_in_literals_are_said_to():
    def program():
        scale = jax.jit(lambda x, rate: x * rate, static_argnums=1)
        for at in range(12):
            scale(np.float32(1), at / 8)

    (line,) = observed(program)
    assert "5 times for one program but for its literals, " in line


def test_not_said_for_real_variants_and_hits():
    def program():
        double = jax.jit(lambda x: x * 2)
        for size in range(1, 10):
            double(np.ones((2,) * (size % 4), np.float32))

    assert observed(program) == []
