"""Arguments without contents: arrays give way to their types, so that a function can be traced without data."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from whyjit.jaxlink import arrays

_KEYS = {"fry": "threefry2x32", "rbg": "rbg", "urbg": "unsafe_rbg"}


def abstract(value: Any) -> Any:
    """An array's type as a `ShapeDtypeStruct`, as JAX would take it in. Anything else stays what it is."""
    import jax
    from jax.api_util import shaped_abstractify

    if isinstance(value, jax.ShapeDtypeStruct):
        return jax.ShapeDtypeStruct(value.shape, value.dtype, weak_type=is_weak(value))
    if not arrays.is_array(value):
        return value
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "OUSVMm":
        return value
    try:
        aval = value.aval if isinstance(value, jax.Array) else shaped_abstractify(value)
    except TypeError:
        return value
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=bool(getattr(aval, "weak_type", False)))


def abstract_tree(tree: Any) -> Any:
    """A pytree with the types of its arrays in their place."""
    import jax

    return jax.tree_util.tree_map(abstract, tree)


def is_abstract(value: Any) -> bool:
    """Whether a value is such a type."""
    import jax

    return isinstance(value, jax.ShapeDtypeStruct)


def is_weak(value: Any) -> bool:
    """Whether such a type is weak."""
    return bool(getattr(value, "weak_type", False))


def array_type(shape: tuple[int, ...], dtype: str, *, weak: bool = False) -> Any:
    """The type with this shape and element type, whose name is as in a leaf: "bfloat16", "key<fry>"."""
    import jax

    return jax.ShapeDtypeStruct(shape, _dtype(dtype), weak_type=weak)


def _dtype(name: str) -> Any:
    import jax

    if name.startswith("key<"):
        kind = _KEYS.get(name[4:-1], name[4:-1])
        return jax.eval_shape(lambda: jax.random.key(0, impl=kind)).dtype
    return jax.numpy.dtype(name)


def x64() -> bool:
    """Whether 64-bit types are on."""
    import jax

    return bool(jax.config.jax_enable_x64)


def concrete(value: Any, fill: float = 0) -> Any:
    """An array of JAX's with this type, for wrappers that look at what they are given; all its elements are `fill`."""
    import jax

    if not is_abstract(value):
        return value
    if jax.numpy.issubdtype(value.dtype, jax.dtypes.prng_key):
        keys = jax.random.split(jax.random.key(int(fill)), int(np.prod(value.shape)))
        return keys.reshape(value.shape) if value.shape else keys[0]
    array = jax.device_put(np.full(value.shape, fill, value.dtype))
    if is_weak(value):
        from jax._src.lax import lax

        with contextlib.suppress(AttributeError, TypeError):  # without it the array is strong
            return lax._convert_element_type(array, value.dtype, weak_type=True)
    return array


def filled(value: Any, fill: float) -> Any:
    """A NumPy array with this type that takes no memory for its contents; keys and weak types stay abstract."""
    import jax

    if not is_abstract(value) or is_weak(value) or jax.numpy.issubdtype(value.dtype, jax.dtypes.extended):
        return value
    return np.broadcast_to(np.full((), fill, value.dtype), value.shape)


def paths_and_leaves(tree: Any, name: str) -> list[tuple[str, Any]]:
    """The leaves of an argument by leaf path: the parameter's `name`, then JAX's key string."""
    import jax

    return [(name + jax.tree_util.keystr(path), leaf) for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]]


def change_leaf(tree: Any, name: str, change: Callable[[str, Any], Any]) -> Any:
    """The argument with each leaf replaced by `change(leaf path, leaf)`."""
    import jax

    return jax.tree_util.tree_map_with_path(lambda path, leaf: change(name + jax.tree_util.keystr(path), leaf), tree)
