"""The configuration that is part of JAX's cache keys, by name.

`jax._src.config.trace_context()` gives the values on every supported version, and `trace_context_names()` their names
from 0.10 on. Before that the names are looked up among the states that 0.10 names.
"""

from __future__ import annotations

import functools
from typing import Any

from whyjit.jaxlink.objects import devices_of

# As trace_context_names() gives them on 0.10.2; the managers hold meshes and scopes rather than settings.
_NAMES_BEFORE_PUBLISHED = (
    *("mesh_context_manager", "abstract_mesh_context_manager", "compute_on_context_manager"),
    *("xla_metadata_context_manager", "axis_env_state", "check_vma", "eager_constant_folding"),
    *("jax_debug_key_reuse", "jax_check_static_indices", "jax_random_seed_offset", "jax_threefry_partitionable"),
    *("jax_threefry_gpu_kernel_lowering", "jax_use_direct_linearize", "jax_use_simplified_jaxpr_constants"),
    *("jax_remove_size_one_mesh_axis_from_type", "jax_softmax_custom_jvp", "jax_explicit_x64_dtypes"),
    *("jax_hlo_source_file_canonicalization_regex", "jax_enable_pgle", "jax_pgle_profiling_runs"),
    *("jax_numpy_dtype_promotion", "jax_error_checking_behavior_nan", "jax_error_checking_behavior_divide"),
    *("jax_error_checking_behavior_oob", "jax_enable_x64", "jax_default_device", "jax_disable_jit"),
    *("jax_numpy_rank_promotion", "jax_default_matmul_precision", "jax_no_execution", "jax_mutable_array_checks"),
    *("jax_dynamic_shapes", "jax_xla_profile_version", "jax_use_shardy_partitioner", "jax_high_dynamic_range_gumbel"),
)


@functools.cache
def _published(length: int) -> tuple[str, ...]:  # noqa: ARG001 - a key that has grown has new names
    """The names of the key's elements in their order, where JAX publishes them."""
    from jax._src import config

    try:
        return tuple(config.trace_context_names())
    except (AttributeError, NotImplementedError):
        return ()


@functools.cache
def _states(length: int) -> tuple[tuple[str, Any], ...]:
    """The settings in the keys. An import can register more of them: `length` is how many elements a key has now."""
    from jax._src import config

    names = _published(length) or _NAMES_BEFORE_PUBLISHED
    states = dict(getattr(config, "config_states", {}))
    found = ((name, states.get(name, getattr(config, name, None))) for name in names)
    return tuple((name, state) for name, state in found if hasattr(state, "value"))


def state_names() -> tuple[str, ...]:
    """The names of the settings that are part of the keys here."""
    return tuple(name for name, _ in _states(len(_key())))


_texts: dict[Any, tuple[tuple[str, str], ...]] = {}


def _key() -> Any:
    from jax._src import config

    return config.trace_context()


def _text(name: str, value: Any) -> str:
    mesh = devices_of(value) if "mesh" in name else None
    if mesh is not None and mesh.size:
        return f"{value!r} over {[str(device) for device in mesh.flat]}"
    if value is None or getattr(value, "empty", False) is True:
        return "default"
    return str(getattr(value, "val", value))[:200]  # metadata for XLA prints as an address


def context_items() -> tuple[tuple[str, str], ...]:
    """Every setting in the present context that is in the caches' keys: its name and its value as text."""
    key = _key()
    try:
        known = _texts.get(key)
    except TypeError:  # something unhashable in it: JAX could not use it as a key either
        return _items()
    if known is None:
        if len(_texts) > 1000:  # a program that makes a new mesh at every step must not fill the memory
            _texts.clear()
        known = _texts[key] = _items()
    return known


def _items() -> tuple[tuple[str, str], ...]:
    items: list[tuple[str, str]] = []
    key = _key()
    known = {name: state.value for name, state in _states(len(key))}
    names = _published(len(key))
    # From 0.12 on the mesh and the layout mode are in the key without being a state that can be read.
    present = dict(zip(names, key, strict=True)) if names and len(names) == len(key) else known
    for name, plain in present.items():
        value = known.get(name, plain)
        if name == "axis_env_state":  # the named axes of a vmap; the object itself prints as an address
            value = tuple(dict(getattr(value, "axis_sizes", value or ())).items())
        if not isinstance(value, (tuple, list)) or value:
            items.append((name, _text(name, value)))
    return tuple(items)
