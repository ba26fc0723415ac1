"""`whyjit.expect()`: what it counts, and what it says."""

import asyncio
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import whyjit
from whyjit.pytest_plugin import held

pytestmark = pytest.mark.live


@pytest.fixture
def step():
    @jax.jit
    def step(x):
        return jnp.where(x > 0, x, 0)

    return step


def call(step, *sizes):
    for size in sizes:
        step(np.ones(size, np.float32))


def broken(step, *sizes, **expected):
    with pytest.raises(whyjit.ExpectationError) as raised, whyjit.expect(**expected):
        call(step, *sizes)
    return raised.value


@pytest.mark.parametrize("count", [2, (2, 2), (None, 2), (1, None), range(1, 3)])
def test_what_is_as_expected_passes(step, count):
    with whyjit.expect(traces=count, compiles=count, of="step"):
        call(step, 3, 4, 3)


def test_one_too_many_names_the_call_the_cause_and_the_remedy(step):
    error = broken(step, 3, 4, 5, traces=2)
    assert "`step` was traced 3 times, expected 2" in str(error)
    assert "`x` changed from f32[4] to f32[5]" in str(error)
    assert "what to do: " in str(error)
    (breach,) = error.breaches
    assert breach.call_site.file == __file__
    assert isinstance(error, AssertionError)
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (str(again), again.breaches) == (str(error), error.breaches)


def test_traces_and_compiles_are_counted_apart(step):
    with whyjit.expect(traces=1, compiles=0, of="step"):
        step.trace(np.ones(3, np.float32))
    with whyjit.expect(traces=0, compiles=1, of="step"):
        call(step, 3)


def test_what_was_made_before_does_not_count(step):
    call(step, 3)
    with whyjit.expect(traces=0, compiles=0, of="*"):
        call(step, 3)
    error = broken(step, 3, traces=1, of="step")
    assert "`step` was never traced, expected 1" in str(error)


def test_functions_of_libraries_count_when_a_pattern_takes_them_in(step):
    with whyjit.expect(traces=1):
        call(step, 3)
    jax.clear_caches()
    assert "expected 1" in str(broken(step, 3, traces=1, of="*"))


def test_an_error_of_the_block_goes_before(step):
    @whyjit.expect(traces=5)
    def work():
        call(step, 3)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()


def test_each_call_of_a_decorated_function_is_held_to_it(step):
    @whyjit.expect(traces=(None, 1))
    def work(*sizes):
        call(step, *sizes)

    @whyjit.expect(traces=0)
    async def rest():
        call(step, 3)

    work(3)
    work(3, 4)
    asyncio.run(rest())
    with pytest.raises(whyjit.ExpectationError):
        work(5, 6)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"traces": -1},
        {"traces": True},
        {"traces": (3, 1)},
        {"compiles": "2"},
        {"compiles": range(0)},
        {"of": "step"},
    ],
)
def test_what_makes_no_sense_is_refused(arguments):
    with pytest.raises(whyjit.WhyjitError):
        whyjit.expect(**arguments)


def test_an_expectation_of_a_marked_test_itself_is_the_tests_own(step):
    own = whyjit.expect(traces=0)
    with pytest.raises(whyjit.ExpectationError), held([pytest.mark.traces(max=5).mark]), own:
        step(np.ones(3, np.float32))
    with pytest.raises(pytest.fail.Exception), held([pytest.mark.traces(max=0).mark]):
        step(np.ones(4, np.float32))
