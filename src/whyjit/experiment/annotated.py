"""In the process of an experiment: arguments made from a function's annotations."""

from __future__ import annotations

import enum
import inspect
import types
import typing
from collections.abc import Mapping
from typing import Any

from whyjit.errors import WhyjitError
from whyjit.jaxlink.abstract import array_type

# Sizes for named axes, all different so that an axis can be told by its size, and none of them special.
_SIZES = (5, 7, 11, 13, 17, 19, 23, 29)
# The element type for an annotation that allows several, the first that it allows.
_PREFERRED = ("float32", "int32", "bool", "complex64", "float16", "bfloat16", "uint8", "int64", "float64")
_NUMBERS = {float: 1.0, int: 1, bool: True, complex: 1j}


def arguments(function: Any, signature: inspect.Signature | None) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments that fit the annotations; parameters with a default are left out.

    Shapes are read as jaxtyping writes them, `Float[Array, "batch 3"]`: a named axis gets one size throughout, numbers
    are taken as they are, and an ellipsis or a starred name is no axis at all.
    """
    if signature is None:
        raise WhyjitError("the function's signature cannot be read; give the arguments with --args")
    hints = hints_of(function)
    sizes: dict[str, int] = {}
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if (
            parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            or parameter.default is not parameter.empty
        ):
            continue
        if name not in hints:
            raise WhyjitError(f"nothing says what {name} is; annotate it, or give the arguments with --args")
        value = example(hints[name], name, sizes)
        if parameter.kind is parameter.KEYWORD_ONLY:
            kwargs[name] = value
        else:
            args.append(value)
    return tuple(args), kwargs


def hints_of(function: Any) -> dict[str, Any]:
    """The annotations of a function, as far as they can be evaluated."""
    try:
        return typing.get_type_hints(inspect.unwrap(function), include_extras=True)
    except Exception:  # noqa: BLE001 - evaluating annotations runs the program's code
        return {}


def example(hint: Any, name: str, sizes: dict[str, int]) -> Any:
    """A value that fits an annotation; `sizes` holds those of named axes, and gets new ones."""
    if hasattr(hint, "dim_str") and hasattr(hint, "dims"):
        return _array(hint, name, sizes)
    if hint in _NUMBERS:
        return _NUMBERS[hint]
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return next(iter(hint))
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return parts[0]
    if origin is typing.Annotated:
        return example(parts[0], name, sizes)
    if origin in (typing.Union, types.UnionType):
        return None if type(None) in parts else example(parts[0], name, sizes)
    if origin in (tuple, list) and parts and ... not in parts:
        return origin(example(part, f"{name}[{at}]", sizes) for at, part in enumerate(parts))
    if hint is type(None):
        return None
    shown = getattr(hint, "__name__", str(hint))
    raise WhyjitError(
        f"the annotation {shown} of {name} does not say which value to use; write a shape as in "
        'Float[Array, "batch 3"] (jaxtyping), or give the arguments with --args'
    )


def optional_array(hint: Any) -> Any:
    """The array annotation in a union with None, or None where there is none that says a shape."""
    parts = typing.get_args(hint)
    return next((part for part in parts if hasattr(part, "dim_str")), None) if type(None) in parts else None


def sizes_of(hints: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, int]:
    """The sizes of named axes, from the arguments whose annotations name them."""
    sizes: dict[str, int] = {}
    for name, value in values.items():
        hint = hints.get(name)
        words = getattr(optional_array(hint) or hint, "dim_str", "").split()
        shape = getattr(value, "shape", ())
        if len(words) == len(shape):
            sizes.update((word, size) for word, size in zip(words, shape, strict=True) if word.isidentifier())
    return sizes


def _array(hint: Any, name: str, sizes: dict[str, int]) -> Any:
    allowed = hint.dtypes if isinstance(hint.dtypes, (tuple, list)) else _PREFERRED
    if "prng_key" in allowed:
        return array_type((), "key<fry>")
    dtype = next((known for known in _PREFERRED if known in allowed), next(iter(allowed), ""))
    shape: list[int] = []
    for word in hint.dim_str.split():
        if word == "..." or word.startswith("*"):
            continue
        label = word.lstrip("#?_").rpartition("=")
        size = label[2]
        if size.isdigit():
            shape.append(int(size))
        elif size.isidentifier():
            shape.append(sizes.setdefault(size, _SIZES[len(sizes) % len(_SIZES)]))
        elif not size:
            shape.append(_SIZES[0])
        else:
            shape.append(_computed(size, name, sizes))
    try:
        return array_type(tuple(shape), dtype)
    except TypeError as fault:
        raise WhyjitError(f"the element type {dtype} of {name} is not known to JAX; use --args") from fault


def _computed(text: str, name: str, sizes: dict[str, int]) -> int:
    """A size such as `n+1`."""
    try:
        return int(eval(text.strip("{}"), {"__builtins__": {}}, dict(sizes)))  # noqa: S307 - the program's annotation
    except Exception as fault:
        raise WhyjitError(f"the size {text} of {name} cannot be computed; give the arguments with --args") from fault
