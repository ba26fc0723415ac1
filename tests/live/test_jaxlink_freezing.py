"""Arguments to bytes and back: every kind of value, and nothing of the program disturbed."""

import collections
import dataclasses
import enum
import gc
import math
import threading
import weakref

import msgspec
import numpy as np
import pytest

pytest.importorskip("jax")

import jax
import jax.numpy as jnp

from whyjit.jaxlink.freezing import freeze
from whyjit.jaxlink.thawing import thaw, thaw_all
from whyjit.model.arguments import KeptCall, Made

Pair = collections.namedtuple("Pair", "a b")  # noqa: PYI024 - plain on purpose


class Mode(enum.Enum):
    FAST = 1


@jax.tree_util.register_pytree_node_class
@dataclasses.dataclass
class Layer:
    weight: object
    size: int

    def tree_flatten(self):
        return (self.weight,), self.size

    @classmethod
    def tree_unflatten(cls, size, children):
        return cls(*children, size)


def module_function(x):
    return x


def there_and_back(*args, **kwargs):
    call = freeze(args, kwargs, 10**6)
    assert call.missing == ""
    return thaw(msgspec.msgpack.decode(msgspec.msgpack.encode(call), type=KeptCall))


def one(value):
    return there_and_back(value)[0][0]


@pytest.mark.parametrize(
    "value",
    [1, 0.1, True, None, "text", b"bytes", 1 + 2j, float("inf"), -0.0, (1, [2.5, {"a": ()}]), Mode.FAST, 10**30],
)
def test_plain_values_come_back_equal_and_of_their_type(value):
    back = one(value)
    assert back == value
    assert type(back) is type(value)
    assert repr(back) == repr(value)


def test_not_a_number_comes_back_and_no_two_are_one():
    first, second = there_and_back(float("nan"), float("nan"))[0]
    assert math.isnan(first)
    assert math.isnan(second)
    assert first is not second


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "uint32", "bool", "complex64", "float16"])
def test_arrays_come_back_to_the_bit(dtype):
    array = jnp.asarray([[0, 1], [1, 0]]).astype(dtype)
    back = one(array)
    assert isinstance(back, jax.Array)
    assert back.dtype == array.dtype
    assert np.asarray(back).tobytes() == np.asarray(array).tobytes()


def test_weak_types_numpy_arrays_and_numpy_scalars_stay_what_they_are():
    assert one(jnp.asarray(0.1)).aval.weak_type
    assert not one(jnp.asarray([0.1])).aval.weak_type
    assert type(one(np.arange(3))) is np.ndarray
    assert type(one(np.float32(2))) is np.float32


def test_random_keys_old_and_new():
    key = jax.random.key(3)
    assert one(key).dtype == key.dtype
    assert jnp.array_equal(jax.random.key_data(one(key)), jax.random.key_data(key))
    assert jnp.array_equal(one(jax.random.PRNGKey(3)), jax.random.PRNGKey(3))


def test_containers_come_back_as_their_class():
    pair, ordered, layer = there_and_back(
        Pair(jnp.ones(2), 1), collections.OrderedDict(z=1, a=2), Layer(jnp.ones(3), 7)
    )[0]
    assert type(pair).__name__ == "Pair"
    assert list(ordered.items()) == [("z", 1), ("a", 2)]
    assert (type(layer).__name__, layer.size) == ("Layer", 7)


def test_functions_come_back_as_themselves():
    assert there_and_back(jax.nn.relu, module_function, jnp.float32)[0] == (jax.nn.relu, module_function, jnp.float32)


def test_keywords_keep_their_names():
    assert there_and_back(1, b=2)[1] == {"b": 2}


def test_objects_of_calls_with_one_mark_are_the_same_object():
    call = freeze((Mode,), {}, 0)
    plain = freeze((Settings(1),), {}, 0)
    first, second, other = (args[0] for args, _ in thaw_all([plain, plain, plain], ["a", "a", "b"]))
    assert first is second
    assert first is not other
    assert call.missing == ""


class Settings:
    def __init__(self, size):
        self.size = size


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (threading.Lock(), "cannot be pickled"),
        (np.ones(1000, np.float32), "larger than"),
        (np.array([object()]), "Python objects"),
    ],
)
def test_what_cannot_be_kept_says_why(value, said):
    call = freeze((value,), {}, 100)
    assert said in call.missing
    assert call.args == ()


def test_a_tracer_is_not_kept():
    said = []

    @jax.jit
    def f(x):
        said.append(freeze((x,), {}, 100).missing)
        return x

    f(jnp.ones(1))
    assert "another function's trace" in said[0]


def test_nothing_is_kept_alive_and_donation_still_works():
    array = jnp.arange(1000.0)
    jax.block_until_ready(array)
    alive = weakref.ref(array)
    freeze((array,), {}, 10**6)
    assert getattr(array, "_npy_value", None) is None
    jax.jit(lambda x: x + 1, donate_argnums=0)(array)
    assert array.is_deleted()
    del array
    gc.collect()
    assert alive() is None


def test_made_up_values_have_their_type():
    call = KeptCall(
        (
            Made((2, 3), "float32"),
            Made((3,), "int32", holder="numpy"),
            Made((), "float32", weak_type=True, holder="python"),
            Made((), "key<fry>"),
            Made((2,), "bfloat16", weak_type=True),
        ),
        kept=False,
    )
    matrix, numbers, scalar, key, weak = thaw(call)[0]
    assert (matrix.shape, matrix.dtype, bool(jnp.any(matrix == 0))) == ((2, 3), jnp.float32, False)
    assert isinstance(numbers, np.ndarray)
    assert type(scalar) is float
    assert str(key.dtype) == "key<fry>"
    assert (weak.dtype, weak.aval.weak_type) == (jnp.bfloat16, True)
