"""How values enter a nested trace: JAX's own frames on the stack hold what the outer function passed.

Evidence, on 0.6.2, 0.8.3, 0.10.2 and 0.12.0.1: the frame that stages a program keeps its input tracers in `in_tracers`
and (from 0.7 on) its trace in `trace`; a few frames further out stands the function of JAX's that was called (`scan`,
`cond`, `_infer_params`, ...) with the values as its locals, in the order of the inputs. Reading them costs nothing
before an error, and runs no code of the user's.
"""

from __future__ import annotations

import inspect
from typing import Any

from whyjit.jaxlink import nnx
from whyjit.jaxlink.missing import Missing

# The name of a function of JAX's, and the groups of locals that may hold its inputs, in order.
_HOLDERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "_infer_params": (("dynargs",),),
    "_infer_params_internal": (("dynargs",),),
    "_infer_params_impl": (("explicit_args",),),
    "scan": (("args",), ("init", "xs"), ("init_flat", "xs_flat")),
    "while_loop": (("init_val",), ("init_val_flat",)),
    "_while_loop": (("init_val",), ("init_val_flat",)),
    "cond": (("operands",), ("ops",)),
    "_cond": (("operands",), ("ops",)),
    "switch": (("operands",), ("ops",)),
    "_switch_internal": (("operands",), ("ops",)),
    "fun_remat": (("args_flat",),),
    "__call__": (("args_flat",),),
    "_shard_map_staging": (("args",), ("in_tracers",)),
    "process_custom_jvp_call": (("tracers",),),
    "process_custom_vjp_call": (("tracers",),),
}
_TRACES = ("trace", "lin_trace", "linearize_trace", "jvp_trace")
# Those in which JAX stages what it makes of the user's program, and not the program.
_ASIDE = ("tangent_trace", "primal_trace", "fwd_trace", "rem_trace", "jaxpr_trace")
# Functions of JAX's that apply a transformation without staging, and the locals their arguments are in.
_APPLIERS = frozenset({"vmap_f", "grad_f", "value_and_grad_f", "jacfun", "_jvp", "_vjp", "vjp", "jvp", "linearize"})


def traces_in(local: dict[str, Any]) -> list[tuple[Any, bool]]:
    """The traces that a frame of JAX's keeps alive while it runs, and whether it stages the user's function with it."""
    found = [(value, name in _TRACES) for name in (*_TRACES, *_ASIDE) if _is_transforming(value := local.get(name))]
    if "in_tracers" in local:
        traces = (getattr(value, "_trace", None) for value in _leaves(local["in_tracers"])[:1])
        found.extend((trace, True) for trace in traces if trace is not None)
    return [(trace, stages and hasattr(trace, "frame")) for trace, stages in found]


def _is_transforming(value: Any) -> bool:
    return hasattr(value, "process_primitive") and type(value).__name__ != "EvalTrace"


def inputs_in(function: str, local: dict[str, Any], count: int) -> list[Any] | None:
    """The values a function of JAX's passes into the trace it starts, if it holds exactly `count` of them."""
    for group in _HOLDERS.get(function, ()):
        if not all(name in local for name in group):
            continue
        values = [leaf for name in group for leaf in _leaves(local[name])]
        if len(values) == count:
            return values
    return None


def mapped_in(function: str, local: dict[str, Any]) -> list[Any] | None:
    """The tracers that a `vmap` gives to its function, one for each leaf of the arguments."""
    return _leaves(local["in_tracers"]) if function == "_batch_inner" and "in_tracers" in local else None


def applied_in(function: str, local: dict[str, Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]] | None:
    """The function, arguments and keywords of a transformation that stages nothing (vmap, grad, jvp)."""
    if function not in _APPLIERS or not callable(local.get("fun")):
        return None
    args = local.get("args", local.get("primals"))
    if not isinstance(args, (tuple, list)):
        return None
    return local["fun"], tuple(args), dict(local.get("kwargs") or {})


def door_in(function: str, local: dict[str, Any]) -> tuple[Any, Any, tuple[Any, ...], dict[str, Any]] | None:
    """The function, jit info, arguments and keywords of a call to a jitted function, from the frame of its door."""
    if (
        function not in ("_infer_params", "_infer_params_internal")
        or not {"fun", "ji", "args", "kwargs"} <= local.keys()
    ):
        return None
    return local["fun"], local["ji"], local["args"], local["kwargs"]


def _leaves(value: Any) -> list[Any]:
    if type(value).__name__.startswith("FT") or type(value).__name__ == "FlatTree":
        return list(value)
    import jax

    try:
        return list(jax.tree_util.tree_leaves(value))
    except Exception:
        return []


def leaf_paths(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[str, Any]] | Missing:
    """Each leaf of a call, with its path: the parameter's name and JAX's key string, or flax nnx's own names."""
    import jax

    try:
        bound = inspect.signature(function).bind(*args, **kwargs).arguments
    except (TypeError, ValueError) as fault:
        return Missing(f"the arguments do not fit the function's signature: {fault}")
    found: list[tuple[str, Any]] = []
    for name, value in bound.items():
        try:
            flat, _ = jax.tree_util.tree_flatten_with_path(value, is_leaf=nnx.is_states)
        except Exception as fault:
            return Missing(f"{name} cannot be taken apart: {fault}")
        for path, leaf in flat:
            found.extend((name + inner, one) for inner, one in _below(jax.tree_util.keystr(path), leaf))
    return found


def _below(path: str, leaf: Any) -> list[tuple[str, Any]]:
    """A leaf; or, where it is a module of flax nnx that JAX got taken apart, the module's arrays."""
    import jax

    if not nnx.is_states(leaf):
        return [(path, leaf)]
    named = nnx.arrays_of(leaf)
    if named is not None:
        return [(path + name, one) for name, one in named]
    flat, _ = jax.tree_util.tree_flatten_with_path(leaf)
    return [(path + jax.tree_util.keystr(inner), one) for inner, one in flat]


def holds_states(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a module of flax nnx is among the arguments of a call."""
    import jax

    try:
        leaves = jax.tree_util.tree_leaves((args, kwargs), is_leaf=nnx.is_states)
    except Exception:
        return False
    return any(map(nnx.is_states, leaves))


def is_input(value: Any) -> bool:
    """Whether JAX takes a value as an array or scalar."""
    from jax.api_util import shaped_abstractify

    try:
        shaped_abstractify(value)
    except OverflowError:
        return True
    except Exception:
        return False
    return True
