"""What a body does only while it is traced: each kind is found where it stands, and look-alikes are not."""

import collections
import datetime as dt
import functools
import itertools
import logging
import os
import random
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import whyjit

RNG = np.random.default_rng(0)
OTHER = random.Random(0)  # noqa: S311 - no secret
LOG = logging.getLogger("a test")
SEEN, NAMES, QUEUE, TABLE = [], set(), collections.deque(), {}
COUNTER = itertools.count()
SCALE = 2.0
NUMBER = 0


def once(function, *args):
    """(kind, text) of everything found in a function that is jitted and called once, outside reads apart."""
    with whyjit.record() as recorded:
        jax.jit(function)(*(args or (jnp.ones(3),)))
    name = getattr(function, "__name__", "")
    (found,) = [f.once for f in recorded.recording().functions if f.name == name]
    return [(each.kind, each.text) for each in found if each.kind != "read"]


def helper(x):
    print("helping", x.shape)
    return x * SCALE


class Model:
    def __init__(self):
        self.calls = 0
        self.seen = []

    @functools.partial(jax.jit, static_argnums=0)
    def forward(self, x):
        self.calls += 1
        self.seen.append(x.shape)
        return self.scaled(x)

    def scaled(self, x):
        return x * time.time()


def prints(x):
    print(x.shape)
    return x


def changes(x):
    global NUMBER  # noqa: PLW0603 - the very thing that is found
    NUMBER += 1
    SEEN.append(1)
    NAMES.add("x")
    QUEUE.append(2)
    TABLE["a"] = 1
    TABLE["b"] = TABLE.get("b", 0) + 1
    next(COUNTER)
    return x


def reads_clocks(x):
    return x * time.time() + time.perf_counter() + dt.datetime.now().year  # noqa: DTZ005 - as people write it


def draws(x):
    return x * np.random.normal() + random.random() + RNG.normal() + OTHER.gauss(0, 1)  # noqa: NPY002, S311


def reads_surroundings(x):
    os.getenv("HOME")
    return x * len(os.environ["PATH"]) + len(os.environ.get("NOTHING", ""))


def logs(x):
    LOG.info("tracing")
    logging.debug("tracing")  # noqa: LOG015 - as people write it
    return x


def calls_helper(x):
    return jax.lax.scan(lambda c, _: (helper(c), None), x, None, length=2)[0]


def inner_function(x):
    def body(carry, _):
        print("body")
        return carry, None

    return jax.lax.scan(body, x, None, length=2)[0]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (prints, [("print", "print")]),
        (
            changes,
            [
                *(("change", text) for text in ("NUMBER", "SEEN.append", "NAMES.add", "QUEUE.append")),
                *(("change", text) for text in ("TABLE", "TABLE", "next(COUNTER)")),
            ],
        ),
        (reads_clocks, [("clock", "time.time"), ("clock", "time.perf_counter"), ("clock", "dt.datetime.now")]),
        (draws, [("random", text) for text in ("np.random.normal", "random.random", "RNG.normal", "OTHER.gauss")]),
        (reads_surroundings, [("environment", text) for text in ("os.getenv", "os.environ", "os.environ.get")]),
        (logs, [("log", "LOG.info"), ("log", "logging.debug")]),
        (calls_helper, [("print", "print")]),
        (inner_function, [("print", "print")]),
    ],
)
def test_found(function, expected, capsys):
    assert once(function) == expected
    capsys.readouterr()


def test_where_it_stands(capsys):
    with whyjit.record() as recorded:
        jax.jit(calls_helper)(jnp.ones(3))
    (found,) = [f.once for f in recorded.recording().functions if f.name == "calls_helper"]
    capsys.readouterr()
    assert [(each.kind, each.text, each.location.line, each.location.function) for each in found] == [
        ("print", "print", helper.__code__.co_firstlineno + 1, "helper"),
        ("read", "SCALE", helper.__code__.co_firstlineno + 2, "helper"),
    ]


def test_a_method_that_changes_its_object():
    model = Model()
    with whyjit.record() as recorded:
        model.forward(jnp.ones(3))
    (found,) = [f.once for f in recorded.recording().functions if f.name == "forward"]
    assert [(each.kind, each.text) for each in found if each.kind != "read"] == [
        *[("change", "self.calls"), ("change", "self.seen.append")],
        ("clock", "time.time"),
    ]


def own_containers(x):
    found = []
    found.append(x)
    table = {}
    table["a"] = x
    names = {1}
    names.add(2)

    def body(carry, _):
        found.append(1)
        return carry, None

    return jax.lax.scan(body, found[0], None, length=2)[0]


def debug_prints(x):
    jax.debug.print("{}", x)
    return x


def shadowed_print(x):
    from jax.debug import print  # noqa: A004 - the very thing that is tested

    print("{}", x)
    return x


def calls_back(x):
    def host(value):
        print(value)

    jax.debug.callback(host, x)
    jax.debug.callback(lambda value: print(value), x)  # noqa: PLW0108 - as people write it
    jax.debug.callback(print, x)
    return x


def calls_back_by_name(x):
    jax.debug.callback(helper, x)
    return x


class Touchy:
    """Tells of every attribute that is asked for through it."""

    def __init__(self):
        self.asked = []

    def __getattr__(self, name):
        self.asked.append(name)
        return lambda *_: None

    def __call__(self, x):
        return x


TOUCHY = Touchy()


def test_no_code_of_the_users_runs_to_look():
    def asks(x):
        return TOUCHY(x)

    TOUCHY.asked.clear()  # pytest looks through a module for tests
    once(asks)
    assert TOUCHY.asked == []


def only_named(x):
    shown = print
    clock = time.time
    return x if shown is clock else x * 2


def draws_with_a_key(x):
    return x + jax.random.normal(jax.random.key(0), x.shape) + np.sqrt(2.0)


@pytest.mark.parametrize(
    "function",
    [
        *(own_containers, debug_prints, shadowed_print, calls_back, calls_back_by_name, only_named),
        draws_with_a_key,
    ],
)
def test_not_found(function, capfd):
    assert once(function) == []
    jax.effects_barrier()
    capfd.readouterr()


def test_a_closure_of_the_trace_is_not_outside():
    def outer(x):
        total = 0

        def add(value):
            nonlocal total
            total += 1
            return value

        return add(add(x))

    assert once(outer) == []


def test_a_closure_from_around_is_outside():
    total = 0

    def count(x):
        nonlocal total
        total += 1
        return x

    assert once(count) == [("change", "total")]
