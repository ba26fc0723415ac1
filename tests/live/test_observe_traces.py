"""What is seen inside a trace: bodies with their time, unrolled loops, and the calls that led to each equation."""

import contextlib
import time

import jax
import jax.numpy as jnp
import pytest

import whyjit
from whyjit.analyse.lines import by_line
from whyjit.analyse.tracetime import Traces
from whyjit.store import reader

X = jnp.ones((4,))


def recorded(function, *args):
    """The specialization of a function that is jitted here and called once, and the report it is in."""
    with whyjit.record() as found:
        jax.jit(function)(*args or (X,))
    report = found.explained()
    (own,) = [each for each in report.functions if each.function.name == function.__name__]
    return own.specializations[0].specialization, report


def unrolled(function, *args):
    spec, _ = recorded(function, *args)
    return [(loop.line, loop.times, loop.even, loop.alike) for loop in spec.unrolled]


def line_of(function, offset):
    return function.__code__.co_firstlineno + offset


def layer(x):
    return jnp.sin(x) * 2.0 + 1.0


def for_loop(x):
    for _ in range(15):
        x = layer(x)
    return x


def while_loop(x):
    i = 0
    while i < 15:
        x = layer(x) * i
        i += 1
    return x


def comprehension(x):
    return sum([layer(x) for _ in range(15)])


def generator(x):
    return sum(layer(x * i) for i in range(15))


def nested(x):
    for _ in range(5):
        for _ in range(3):
            x = layer(x)
    return x


def growing(x):
    for _ in range(20):
        x = jnp.concatenate([x, x[:1]]) * 2
    return x


def loss(x):
    for _ in range(15):
        x = jnp.tanh(x) * 2.0
    return x.sum()


def gradient(x):
    return jax.grad(loss)(x)


def library_loops(x):
    return jnp.stack([x] * 50).sum() + jnp.linalg.norm(x)


def tree_map(x):
    for _ in range(3):
        x = jax.tree.map(layer, [x] * 20)[0]
    return x


def three_layers(x):
    for _ in range(3):
        x = layer(x)
    return x


def no_loop(x):
    return layer(layer(layer(layer(layer(layer(layer(layer(layer(layer(layer(layer(x))))))))))))


@jax.jit
def inner(x):
    for _ in range(20):
        x = jnp.cos(x) + 1
    return x


def calls_inner(x):
    return inner(x)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (for_loop, (1, 15, True, True)),
        (while_loop, (2, 15, True, True)),
        (comprehension, (1, 15, False, True)),
        (nested, (2, 15, True, True)),
    ],
)
def test_a_loop_is_found_with_its_rounds(function, expected):
    offset, times, _, alike = expected
    (found,) = unrolled(function)
    assert (found[0], found[1], found[3]) == (line_of(function, offset), times, alike)


def test_a_generator_is_a_loop():
    (found,) = unrolled(generator)
    assert found[:2] == (line_of(generator, 1), 15)


def test_rounds_of_other_types_are_not_alike():
    (found,) = unrolled(growing)
    assert found == (line_of(growing, 1), 20, False, False)


def test_a_loop_is_found_through_its_gradient():
    (found,) = unrolled(gradient)
    assert found[:2] == (line_of(loss, 1), 15)
    assert found[3]


@pytest.mark.parametrize("function", [library_loops, tree_map, three_layers, no_loop, calls_inner])
def test_what_is_no_loop_of_the_user_here_is_not_named(function):
    assert unrolled(function) == []


def test_a_jitted_function_has_its_loops_itself():
    with whyjit.record() as found:
        jax.jit(calls_inner)(jnp.ones(7))
    specs = {f.id: f.name for f in found.recording().functions}
    assert [(specs[s.function], u.times) for s in found.recording().specializations for u in s.unrolled] == [
        ("inner", 20)
    ]


# Bodies.


def with_bodies(x):
    def body(carry, _):
        time.sleep(0.02)
        return jax.lax.cond(carry.sum() > 0, slow_branch, lambda v: v, carry), None

    def slow_branch(v):
        time.sleep(0.03)
        return v * 2

    time.sleep(0.01)
    return jax.lax.scan(body, x, None, length=3)[0]


def test_bodies_are_timed_within_each_other():
    spec, report = recorded(with_bodies)
    tree = Traces(report.functions).tree(spec)
    (scan,) = [child for child in tree.children if child.kind == "scan"]
    assert (scan.name, scan.line) == ("body", line_of(with_bodies, 1))
    (branch,) = [child for child in scan.children if child.name == "slow_branch"]
    # Sleeping takes at least as long as it says; that each second is own to one part only is arithmetic.
    assert tree.own >= 0.01
    assert scan.own >= 0.02
    assert branch.own >= 0.03
    assert tree.seconds == pytest.approx(sum(own(tree)))


def own(span):
    yield span.own
    for child in span.children:
        yield from own(child)


def test_a_jitted_function_is_placed_in_the_body_that_called_it():
    @jax.jit
    def called(v):
        return v * 3

    def outer(x):
        return jax.lax.scan(lambda c, _: (called(c), None), x, None, length=2)[0]

    spec, report = recorded(outer)
    (scan,) = [child for child in Traces(report.functions).tree(spec).children if child.kind == "scan"]
    assert "called" in [child.name for child in scan.children]


def test_a_body_that_raises_leaves_nothing_open():
    def fails(carry, _):
        raise ValueError

    def tries(x):
        with contextlib.suppress(ValueError):
            jax.lax.scan(fails, x, None, length=2)
        return jax.lax.scan(lambda c, _: (c + 1, None), x, None, length=2)[0]

    spec, _ = recorded(tries)
    assert [(body.name, body.count, body.parent) for body in spec.bodies if body.name != "fails"] == [
        ("<lambda>", 1, -1)
    ]


# Lines.


def test_equations_stand_below_the_calls_that_led_to_them(tmp_path):
    with whyjit.record(tmp_path):
        jax.jit(for_loop)(jnp.ones(9))
    file = reader.main_file(reader.find_run(tmp_path, tmp_path))
    recording = reader.load(file)
    (number,) = [f.id for f in recording.functions if f.name == "for_loop"]
    (key,) = [s.program for s in recording.specializations if s.function == number]
    root = by_line(reader.program(file, key))
    (line,) = root.children
    assert (line.line, line.function, line.own, line.total) == (line_of(for_loop, 2), "for_loop", 0, 45)
    assert [(each.line, each.function, each.own) for each in line.children] == [(line_of(layer, 1), "layer", 45)]


def from_elsewhere(function):
    return function(jnp.ones(5))


def test_a_program_does_not_depend_on_where_it_was_called_from(tmp_path):
    function = jax.jit(for_loop)
    with whyjit.record() as found:
        function(jnp.ones(5))
        function.clear_cache()
        from_elsewhere(function)
    specs = [s for s in found.recording().specializations if len(s.unrolled)]
    assert len(specs) == 2
    assert specs[0].program == specs[1].program != ""
