"""Arrays of a call padded to another size, and outputs cropped back to theirs.

An operation on a device is compiled for each new shape, padding and cropping among them. What is done here to concrete
arrays is therefore done by NumPy on the host, and costs no compile; what is done to tracers becomes part of the program
that they are traced for.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whyjit.errors import WhyjitError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

# Which axes are padded: one for all arrays that have it, or by parameter or leaf path.
Axes = int | dict[str, tuple[int, ...]]


@functools.cache
def _jax() -> Any:
    import jax

    return jax


class Place(NamedTuple):
    """One array that is padded: its path, its number among the leaves of its argument, its axes (counted from 0)."""

    path: str
    leaf: int
    axes: tuple[int, ...]


class _Argument(NamedTuple):
    leaves: list[Any]
    rebuild: Callable[[list[Any]], Any]
    places: tuple[Place, ...]


class Located:
    """A call with the arrays in it that share the size. Arguments that hold none of them stay the objects they are."""

    def __init__(
        self,
        names: Sequence[str],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        found: dict[int | str, _Argument],
        size: int,
    ) -> None:
        self.names = names
        self.args = args
        self.kwargs = kwargs
        self.size = size
        self._found = found

    def name_of(self, key: int | str) -> str:
        """The name of an argument: of a positional one by its number."""
        if isinstance(key, str):
            return key
        return self.names[key] if key < len(self.names) else f"args[{key}]"

    def with_arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Located:
        """The same call with other arguments of the same structure and shapes."""
        found = {
            key: _Argument(_flat(args[key] if isinstance(key, int) else kwargs[key], "")[0], one.rebuild, one.places)
            for key, one in self._found.items()
        }
        return Located(self.names, args, kwargs, found, self.size)

    def places(self) -> list[tuple[Place, Any]]:
        """Each padded array with its place."""
        return [(place, one.leaves[place.leaf]) for one in self._found.values() for place in one.places]

    def replaced(self, change: Callable[[Place, Any], Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with each padded array replaced."""
        args, kwargs = list(self.args), dict(self.kwargs)
        for key, one in self._found.items():
            leaves = list(one.leaves)
            for place in one.places:
                leaves[place.leaf] = change(place, leaves[place.leaf])
            value = one.rebuild(leaves)
            if isinstance(key, int):
                args[key] = value
            else:
                kwargs[key] = value
        return tuple(args), kwargs

    def padded(self, size: int, fill: Callable[[Place], Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments padded to a size, each array with a value of its own."""
        return self.replaced(lambda place, leaf: pad(leaf, place.axes, size, fill(place)))

    def abstract(self, size: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with types of that size in the places of the arrays."""
        return self.replaced(lambda place, leaf: _struct(leaf, place.axes, size))


def locate(names: Sequence[str], args: tuple[Any, ...], kwargs: dict[str, Any], axes: Axes) -> Located:
    """Find the arrays that are to be padded.

    Arguments:
      names: the names of positional parameters; what has none is `args[0]` and so on.
      args: the positional arguments.
      kwargs: those given by keyword.
      axes: one axis for all arrays that have it, or the axes by parameter name (meaning all arrays in that argument
        that have them) or by leaf path.

    Raises:
      WhyjitError: no array has such an axis, or their sizes differ.
    """
    given: list[tuple[int | str, str, Any]] = [
        (at, names[at] if at < len(names) else f"args[{at}]", value) for at, value in enumerate(args)
    ]
    given += [(key, key, value) for key, value in kwargs.items()]
    found: dict[int | str, _Argument] = {}
    sizes: dict[str, int] = {}
    for key, name, value in given:
        if not _named(name, axes):
            continue
        leaves, paths, rebuild = _flat(value, name)
        places: list[Place] = []
        for number, (path, leaf) in enumerate(zip(paths, leaves, strict=True)):
            wanted = _wanted(name, path, axes)
            shape = getattr(leaf, "shape", None)
            if shape is None or not wanted or not hasattr(leaf, "dtype"):
                continue
            inside = tuple(sorted({axis % len(shape) for axis in wanted if -len(shape) <= axis < len(shape)}))
            if inside:
                places.append(Place(path, number, inside))
                sizes.update({f"axis {axis} of `{path}`": int(shape[axis]) for axis in inside})
        if places:
            found[key] = _Argument(leaves, rebuild, tuple(places))
    if not sizes:
        wanted_text = f"axis {axes}" if isinstance(axes, int) else ", ".join(f"`{name}`" for name in axes)
        raise WhyjitError(f"no array to pad in this call: looked for {wanted_text}; name the parameters and their axes")
    if len(set(sizes.values())) > 1:
        each = ", ".join(f"{where} has {size}" for where, size in list(sizes.items())[:4])
        raise WhyjitError(
            f"the arrays to pad differ in size: {each}; name the ones that go together, as in axis={{'x': 0}}"
        )
    return Located(names, args, kwargs, found, next(iter(sizes.values())))


def _named(name: str, axes: Axes) -> bool:
    return isinstance(axes, int) or any(key == name or key.startswith((name + "[", name + ".")) for key in axes)


def _wanted(name: str, path: str, axes: Axes) -> tuple[int, ...]:
    return (axes,) if isinstance(axes, int) else axes.get(path, axes.get(name, ()))


def _flat(value: Any, name: str) -> tuple[list[Any], list[str], Callable[[list[Any]], Any]]:
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return [value], [name], lambda leaves: leaves[0]
    util = _jax().tree_util
    pairs, tree = util.tree_flatten_with_path(value)
    paths = [name + util.keystr(path) for path, _ in pairs]
    return [leaf for _, leaf in pairs], paths, functools.partial(util.tree_unflatten, tree)


def is_tracer(value: Any) -> bool:
    """Whether a value stands for one that is being traced."""
    return isinstance(value, _jax().core.Tracer)


def on_host(value: Any) -> bool:
    """Whether NumPy can do the work without changing what JAX makes of the array."""
    if isinstance(value, np.ndarray):
        return True
    if is_tracer(value) or getattr(value, "weak_type", False) or not isinstance(value.dtype, np.dtype):
        return False
    return len(value.sharding.device_set) == 1


def placed_like(made: np.ndarray[Any, Any], like: Any) -> Any:
    """A NumPy array where an array of JAX's was: committed to its device if that one was."""
    if isinstance(like, np.ndarray):
        return made
    committed = getattr(like, "_committed", True)
    return _jax().device_put(made, like.sharding) if committed else _jax().device_put(made)


def pad(value: Any, axes: Sequence[int], size: int, fill: Any, *, keep: bool = True) -> Any:
    """An array with entries appended along each of the axes until it has that size.

    `fill` is one value, or an array of the padded shape that the appended entries are taken from; without `keep` all
    entries are taken from it.
    """
    if not isinstance(value.dtype, np.dtype):
        raise WhyjitError(f"cannot pad an array of {value.dtype}: leave it out of axis=")
    shape = tuple(size if axis in axes else length for axis, length in enumerate(value.shape))
    inside = tuple(slice(0, length) for length in value.shape)
    if not keep:
        return placed_like(np.asarray(fill, value.dtype), value)
    if on_host(value):
        made = np.empty(shape, value.dtype)
        made[...] = fill if np.ndim(fill) else np.asarray(fill, value.dtype)
        made[inside] = value
        return placed_like(made, value)
    widths = [(0, new - old) for new, old in zip(shape, value.shape, strict=True)]
    jnp = _jax().numpy
    if np.ndim(fill) == 0:
        return jnp.pad(value, widths, constant_values=np.asarray(fill, value.dtype))
    return jnp.asarray(fill, value.dtype).at[inside].set(value)


def _struct(value: Any, axes: Sequence[int], size: int) -> Any:
    """The type of an array, with that size along the axes. Being committed to a device stays part of it."""
    shape = tuple(size if axis in axes else length for axis, length in enumerate(value.shape))
    dtype, sharding = value.dtype, None
    if isinstance(value, np.ndarray):
        dtype = _jax().dtypes.canonicalize_dtype(dtype)
    elif not is_tracer(value):
        sharding = getattr(value, "sharding", None)
        if not getattr(value, "_committed", True) or (sharding is not None and len(sharding.device_set) > 1):
            sharding = None
    weak = bool(getattr(value, "weak_type", False))
    return _jax().ShapeDtypeStruct(shape, dtype, weak_type=weak, sharding=sharding)


def parameters_of(function: Any) -> tuple[str, ...]:
    """The names of a function's positional parameters, as far as they can be told."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD))


def unpadded(located: Located) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments as they are."""
    return located.args, located.kwargs


def with_values(located: Located, change: Callable[[Place, Any], Any]) -> Located:
    """The same call with other values in the arrays that are padded. They stay arrays of the kind they are."""
    return located.with_arguments(
        *located.replaced(lambda place, leaf: pad(leaf, (), 0, change(place, leaf), keep=False))
    )


def copied(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with a copy of each of JAX's arrays, which may be donated."""
    array = _jax().Array
    copy = _jax().tree_util.tree_map(
        lambda leaf: leaf.copy() if isinstance(leaf, array) and not is_tracer(leaf) else leaf, (args, kwargs)
    )
    return copy[0], copy[1]


def look_of(names: Sequence[str], located: Located, statics: frozenset[str] | None) -> Hashable | None:
    """What a call is known again by, apart from its size and the contents of its arrays.

    Python scalars count by type where they are data, and by value where they are, or may be, static: `statics` names
    the static parameters, and is None where they are not known. The answer is None where a value has no hash.
    """
    args, kwargs = located.replaced(
        lambda place, leaf: _Masked(
            (tuple(-1 if axis in place.axes else size for axis, size in enumerate(leaf.shape)), str(leaf.dtype))
        )
    )
    look: list[Any] = []
    given = [(names[at] if at < len(names) else f"args[{at}]", value) for at, value in enumerate(args)]
    for name, value in [*given, *kwargs.items()]:
        if statics is not None and name in statics:
            look.append((name, type(value), value))
            continue
        leaves, tree = _jax().tree_util.tree_flatten(value)
        look.append((name, tree, tuple(_leaf_look(leaf, by_value=statics is None) for leaf in leaves)))
    try:
        hash(tuple(look))
    except TypeError:
        return None
    return tuple(look)


@dataclasses.dataclass(frozen=True)
class _Masked:
    """What is left of an array that is padded: a leaf, for JAX."""

    look: tuple[Any, ...]


def _leaf_look(leaf: Any, *, by_value: bool) -> Any:
    if isinstance(leaf, _Masked):
        return leaf
    if hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
        return tuple(leaf.shape), str(leaf.dtype)
    return (type(leaf), leaf) if by_value else type(leaf)
