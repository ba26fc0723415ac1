"""How many calls used a value that had changed outside."""

import jax
import numpy as np

import whyjit


class Gauge:
    factor = 1.0

    def read(self, x):
        jax.debug.callback(lambda _: None, x)  # keeps the function off the fast path: each call comes by the door
        return x * self.factor

    def read_fast(self, x):
        return x * self.factor


def stale_after(gauge, method, calls):
    read = jax.jit(method)
    with whyjit.record() as recorded:
        for _ in range(calls):
            read(np.float32(1))
            gauge.factor += 1
    (found,) = recorded.recording().stale
    return found.path, found.old, found.calls_since


def test_every_call_after_the_change_is_counted_at_the_door():
    gauge = Gauge()
    assert stale_after(gauge, gauge.read, 4) == ("self.factor", "1.0", 3)


def test_every_call_after_the_change_is_counted_on_the_fast_path():
    gauge = Gauge()
    assert stale_after(gauge, gauge.read_fast, 4) == ("self.factor", "1.0", 3)
