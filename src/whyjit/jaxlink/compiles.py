"""The function of JAX's that every program handed to XLA's compiler goes through.

Evidence, on 0.6.2, 0.8.3, 0.10.2 and 0.12.0.1: `jax._src.compiler.backend_compile_and_load(backend, module, ...)` is
looked up as a global of its module, once the persistent compilation cache has been asked and has nothing. An executable
found there is loaded without it, and so is one that JAX still holds in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whyjit.jaxlink.doors import Replaced, stand_in
from whyjit.jaxlink.missing import Missing

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME = "backend_compile_and_load"
# What JAX puts before a function's name in the name of its module.
_PREFIXES = ("jit_", "jit(", "pmap_")


def replace_compile(before: Callable[[str], None]) -> Replaced | Missing:
    """Have `before(name)` called before anything is compiled. What it raises keeps the compiler from starting."""
    try:
        from jax._src import compiler
    except ImportError as fault:
        return Missing(f"jax._src.compiler cannot be imported: {fault}")
    original = getattr(compiler, _NAME, None)
    if original is None:
        return Missing(f"jax._src.compiler has no {_NAME}")

    def whyjit_compile(*args: Any, **kwargs: Any) -> Any:
        before(_module_name(kwargs.get("module", args[1] if len(args) > 1 else None)))
        return original(*args, **kwargs)

    return stand_in(compiler, _NAME, whyjit_compile)


def _module_name(module: Any) -> str:
    """The name of the function a module was lowered from; "" where the module does not tell."""
    try:
        name = str(module.operation.attributes["sym_name"]).strip('"')
    except Exception:
        return ""
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return name.removeprefix(prefix).rstrip(")")
    return name
