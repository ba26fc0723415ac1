"""`jax.pmap`, which is a jit of a function of JAX's own from 0.8 on: the user's function and arguments behind it.

Evidence, on JAX 0.8.3, 0.10.2 and 0.12.0.1: the jit is called from a function `wrapped` in `jax/_src/pmap.py`, whose
closure holds `infer_params`; the closure of that holds the user's function, as `f` or inside `wrapped_fun`, and the
positions of its static arguments. Before that `pmap` is a primitive of its own, which no jit sees.
"""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from whyjit.jaxlink.missing import Missing

if TYPE_CHECKING:
    from types import FrameType

_SOURCES = f"{os.sep}jax{os.sep}_src{os.sep}"
_FILE = f"{_SOURCES}pmap.py"
_MADE = (_FILE, f"{_SOURCES}linear_util.py")


def examine() -> Missing | None:
    """Whether this JAX makes `pmap` of a jit."""
    if importlib.util.find_spec("jax._src.pmap") is None:
        return Missing("pmap is a primitive of its own before JAX 0.8, which no jit sees")
    return None


class Mapped(NamedTuple):
    """The function a user gave `pmap`, the call's arguments, and the positions of the static ones."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    static_argnums: tuple[int, ...]


def may_be(function: Any) -> bool:
    """Whether a jitted function may be one that `pmap` made: `shard_map` of a function of JAX's own."""
    code = getattr(getattr(function, "__wrapped__", None), "__code__", None)
    return code is not None and code.co_filename.endswith(_MADE)


def is_call(frame: FrameType) -> bool:
    """Whether a frame is the call of a function that `pmap` returned."""
    return frame.f_code.co_name == "wrapped" and frame.f_code.co_filename.endswith(_FILE)


def mapped_in(frame: FrameType) -> Mapped | Missing:
    """What stands behind the call in such a frame."""
    names = frame.f_locals
    infer = names.get("infer_params")
    held = dict(zip(infer.__code__.co_freevars, infer.__closure__ or (), strict=True)) if infer is not None else {}
    if "f" in held:
        function = held["f"].cell_contents
    elif "wrapped_fun" in held:
        function = getattr(held["wrapped_fun"].cell_contents, "f", None)
    else:
        function = None
    statics = held.get("static_broadcasted_tuple")
    if function is None or statics is None:
        return Missing("pmap keeps its function somewhere else in this JAX")
    return Mapped(function, tuple(names.get("args", ())), dict(names.get("kwargs", {})), tuple(statics.cell_contents))
