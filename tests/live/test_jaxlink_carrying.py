"""Functions that no module has by name, taken apart and made anew: the same code over the same contents."""

import functools
import threading
from pathlib import Path

import msgspec
import numpy as np
import pytest

pytest.importorskip("jax")

import jax
import jax.numpy as jnp

from whyjit.jaxlink.freezing import baked, carry
from whyjit.jaxlink.rebuilding import CannotRebuild, digest
from whyjit.jaxlink.thawing import function_of
from whyjit.model.arguments import Carried

LIMIT = 10**6


def again(function):
    carried, _ = carry(function, LIMIT)
    assert carried.missing == ""
    stored = msgspec.msgpack.decode(msgspec.msgpack.encode(carried), type=Carried)
    made = function_of(stored.function)
    assert made is not function
    return made


def cell(function, name):
    return dict(zip(function.__code__.co_freevars, function.__closure__, strict=True))[name]


def at_the_top(x):
    return x


@jax.jit
def jitted_at_the_top(x):
    return x


class Model:
    def __init__(self, k):
        self.k = k
        self.step = jax.jit(self.call, static_argnums=1)

    def call(self, x, n):
        return x * self.k * n


@pytest.mark.parametrize("function", [at_the_top, jitted_at_the_top, jitted_at_the_top.__wrapped__, Model.call])
def test_what_a_module_has_by_name_is_not_carried(function):
    assert carry(function, LIMIT) == (None, 0)


def test_a_closure_comes_back_with_its_contents():
    w, names = jnp.arange(3.0), {"a": [1, (2.5, None)]}

    def inner(x, *, k=2):
        return x * w * k, names

    made = again(inner)
    assert np.array_equal(made(2.0)[0], w * 4)
    assert made(2.0)[1] == names
    assert (made.__name__, made.__qualname__, made.__module__) == (inner.__name__, inner.__qualname__, inner.__module__)
    assert made.__globals__ is globals()


def test_weak_types_and_keys_stay():
    scale, key = jnp.asarray(2.0), jax.random.key(3)
    assert scale.aval.weak_type

    def inner():
        return scale, key

    weak, typed = again(inner)()
    assert weak.aval.weak_type
    assert np.array_equal(jax.random.key_data(typed), jax.random.key_data(key))


def test_recursion_goes_through_its_own_cell():
    def up(n):
        return 0 if n == 0 else 1 + up(n - 1)

    made = again(up)
    assert cell(made, "up").cell_contents is made
    assert made(5) == 5


def test_two_functions_share_one_cell_and_one_array():
    count, w = 0, jnp.ones(2)

    def bump():
        nonlocal count
        count += 1
        return w

    def both():
        return bump(), count, w

    made = again(both)
    first, counted, second = made()
    assert counted == 1
    assert first is second
    assert count == 0


def test_an_empty_cell_stays_empty():
    def outer():
        def inner():
            return later

        function = inner
        if function is None:
            later = 1
        return function

    with pytest.raises(NameError):
        again(outer())()


def test_modules_partials_jits_and_gradients_are_made_anew():
    import math as m

    scale = 3.0
    helper = jax.jit(lambda x, n: x * n * scale, static_argnums=1)
    bound = functools.partial(helper, n=2)
    slope = jax.grad(lambda x: jnp.sum(x**2))

    def inner(x):
        return bound(x) + slope(x) + m.floor(1.5) + jitted_at_the_top(x)

    made = again(inner)
    assert np.array_equal(made(jnp.arange(3.0)), inner(jnp.arange(3.0)))
    again_helper = cell(made, "bound").cell_contents.func
    assert again_helper._jit_info.static_argnums == (1,)


def test_a_bound_method_and_its_object():
    made = again(Model(3.0).call)
    assert made(2.0, 2) == 12.0
    assert made.__self__.step._jit_info.static_argnums == (1,)


def test_a_lambda_is_told_from_another_in_its_line():
    first, second = (lambda x: x * 2), (lambda x: x * 3)  # two in one line, on purpose
    assert (again(first)(1), again(second)(1)) == (2, 3)
    assert digest(first.__code__) != digest(second.__code__)


def test_what_is_in_the_way_is_named():
    lock, log = threading.Lock(), Path(__file__).open()  # noqa: SIM115 - it is to be open

    def inner():
        return lock

    def other():
        return log

    class Local:
        pass

    def third():
        return Local

    assert "`lock`, which it closes over: a lock cannot be pickled" in carry(inner, LIMIT)[0].missing
    assert "`log`, which it closes over" in carry(other, LIMIT)[0].missing
    assert "the class `Local` is made inside a function" in carry(third, LIMIT)[0].missing
    log.close()


def test_a_class_made_inside_a_function_is_made_anew_with_its_objects():
    def make(k):
        class Base:
            def __init__(self, w):
                self.w = w

        class Local(Base):
            def __init__(self, w):
                super().__init__(w)
                self.kind = Local

            @functools.partial(jax.jit, static_argnums=0)
            def call(self, x):
                return x * k + self.w

        return Local(2.0)

    one = make(3)

    def inner(x):
        return one.call(x), one

    result, made = again(inner)(1.0)
    assert float(result) == 5.0
    assert made.kind is type(made)
    assert type(made) is not type(one)
    assert type(made).__qualname__ == type(one).__qualname__


def test_a_traced_value_and_too_large_an_array_are_refused():
    found = []

    @jax.jit
    def outer(x):
        found.append(carry(lambda: x, LIMIT)[0])
        return x

    outer(1.0)
    assert "a trace that is under way" in found[0].missing
    large = jnp.ones(1000)
    assert "may still be kept" in carry(lambda: large, 100)[0].missing


def test_a_large_object_is_not_walked_to_its_end():
    walked = 0

    class Endless:
        def __reduce__(self):
            nonlocal walked
            walked += 1
            return bytes, (bytes(1000),), None, None

    large = [Endless() for _ in range(100_000)]
    assert "takes more than 1 MB when pickled" in carry(lambda: large, LIMIT)[0].missing
    assert walked < 5000


def test_equal_contents_have_one_digest_and_are_sent_once():
    def make(k):
        return lambda x: x * k

    one, two, other = (carry(make(k), LIMIT)[0] for k in (jnp.ones(2), jnp.ones(2), jnp.zeros(2)))
    assert one.digest == two.digest != other.digest
    known, nbytes = carry(make(jnp.ones(2)), LIMIT, {one.digest})
    assert (known.function, known.digest, nbytes) == (None, one.digest, 0)


def test_code_that_is_no_longer_there_is_not_made_up():
    namespace = {"__name__": __name__}
    exec(compile("def make():\n    return lambda x: x\n", __file__, "exec"), namespace)  # noqa: S102 - a file that changed
    stale, _ = carry(namespace["make"](), LIMIT)
    with pytest.raises(CannotRebuild, match="no longer what was recorded"):
        function_of(stale.function)


def test_a_digest_of_what_a_program_has_baked_in():
    def program(w):
        return jax.jit(jax.jit(lambda y: y + w)).trace(1.0).jaxpr

    one, two, other = (baked(program(w), LIMIT) for w in (jnp.ones(2), np.ones(2, np.float32), jnp.zeros(2)))
    assert one == two != other
    assert baked(program(jnp.ones(1000)), 100) == ""
