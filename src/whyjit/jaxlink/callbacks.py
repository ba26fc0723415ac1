"""What a host callback does, as text: two staged programs with callbacks are the same only if these are.

A callback runs in Python and prints as an address. It is told apart by its code and by what it holds: plain values and
small host arrays by themselves, other objects by their number, which is the same for as long as one lives.
"""

from __future__ import annotations

import functools
import hashlib
import re
import types
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.jaxlink.programs import Tokens

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_PLAIN = (int, float, complex, str, bytes, bool, type(None), np.generic)
_BYTES = 1024
_DEPTH = 6


def text_of(callback: Any, tokens: Tokens) -> str:
    """The name of the function that is called, and a digest of what it does and holds."""
    function = getattr(callback, "callback_func", callback)
    digest = hashlib.blake2b("\x1f".join(_parts(function, tokens, 0)).encode("utf-8", "replace"), digest_size=4)
    return f"{getattr(function, '__qualname__', type(function).__name__)} {digest.hexdigest()}"


def _parts(value: Any, tokens: Tokens, depth: int) -> Iterator[str]:
    if depth > _DEPTH:
        yield f"#{tokens.of(value)}"
    elif isinstance(value, types.FunctionType):
        yield _code(value.__code__)
        held = [cell.cell_contents for cell in value.__closure__ or () if _is_set(cell)]
        for inner in (*held, *(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).items()):
            yield from _parts(inner, tokens, depth + 1)
    elif isinstance(value, functools.partial):
        for inner in (value.func, *value.args, *value.keywords.items()):
            yield from _parts(inner, tokens, depth + 1)
    elif isinstance(value, types.MethodType):
        yield from _parts(value.__func__, tokens, depth + 1)
        yield f"#{tokens.of(value.__self__)}"
    elif isinstance(value, (tuple, list, dict)):
        yield f"{type(value).__name__} {len(value)}"
        for inner in value.items() if isinstance(value, dict) else value:
            yield from _parts(inner, tokens, depth + 1)
    elif isinstance(value, _PLAIN):
        yield repr(value)
    elif isinstance(value, np.ndarray) and value.nbytes <= _BYTES and value.dtype != object:
        yield f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    elif type(value).__module__.split(".")[0] in ("jax", "jaxlib") and not hasattr(value, "shape"):
        yield _ADDRESS.sub("", str(value))
    else:
        yield f"#{tokens.of(value)}"


def _code(code: types.CodeType) -> str:
    inner = [_code(part) if isinstance(part, types.CodeType) else repr(part) for part in code.co_consts]
    return f"{code.co_filename}:{code.co_firstlineno} {code.co_names} {code.co_code.hex()} {inner}"


def _is_set(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False
