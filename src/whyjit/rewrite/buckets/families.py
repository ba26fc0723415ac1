"""The axes of a function's arguments that come in many sizes, and those among them that share one size."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from whyjit.model.finding import FunctionReport
    from whyjit.model.recording import Specialization

# With two sizes there is nothing to choose: a second program, or one padded to the larger.
_FEWEST = 3

Axis = tuple[str, int]


class Family(NamedTuple):
    """Axes that had one size in every recorded call.

    `axes` are leaf paths with the axes, `sizes` the size of each of `specs`. `rest` are the other shapes of each, by
    which the calls would still differ when these axes are padded; `others` names the axes that make it so. `odd` counts
    specializations whose calls do not have these axes, or not with one size, or were made under a transformation.
    """

    axes: dict[str, tuple[int, ...]]
    specs: tuple[Specialization, ...]
    sizes: tuple[int, ...]
    rest: tuple[tuple[int, ...], ...]
    others: tuple[Axis, ...]
    odd: int = 0

    @property
    def counts(self) -> dict[int, int]:
        """The number of recorded calls of each size."""
        found: dict[int, int] = {}
        for spec, size in zip(self.specs, self.sizes, strict=True):
            found[size] = found.get(size, 0) + spec.calls
        return dict(sorted(found.items()))

    def programs(self, buckets: Sequence[int]) -> int:
        """How many programs the recorded calls would need with these buckets."""
        chosen = (min((bucket for bucket in buckets if bucket >= size), default=size) for size in self.sizes)
        kinds = ((spec.signature.statics, spec.signature.form, _kind(spec)) for spec in self.specs)
        return len(set(zip(chosen, self.rest, kinds, strict=True)))


def family_of(function: FunctionReport) -> Family | None:
    """The axes with the most sizes, if there are three or more; None where no axis has."""
    called = [one.specialization for one in function.specializations]
    called = [spec for spec in called if spec.calls and not spec.error and not spec.operation]
    alike = _alike(called)
    sizes: dict[Axis, tuple[int, ...]] = {}
    for leaf in alike[0].signature.leaves if alike else ():
        for axis in range(len(leaf.shape)):
            sizes[leaf.path, axis] = tuple(_shapes(spec)[leaf.path][axis] for spec in alike)
    varying = {axis: found for axis, found in sizes.items() if len(set(found)) > 1}
    most = max(varying.values(), key=lambda found: len(set(found)), default=())
    if len(set(most)) < _FEWEST:
        return None
    axes: dict[str, tuple[int, ...]] = {}
    for (path, axis), found in varying.items():
        if found == most:
            axes[path] = (*axes.get(path, ()), axis)
    others = tuple(axis for axis, found in varying.items() if found != most)
    by_size = [(spec, None if spec.signature.transforms else _size(spec, axes)) for spec in called]
    known = [(spec, size) for spec, size in by_size if size is not None]
    rest = tuple(tuple(_along(spec, axis) for axis in others) for spec, _ in known)
    return Family(
        axes,
        tuple(spec for spec, _ in known),
        tuple(size for _, size in known),
        rest,
        others,
        len(by_size) - len(known),
    )


def _alike(specs: Iterable[Specialization]) -> list[Specialization]:
    """The largest set of specializations whose arguments have one structure and the same types but for sizes."""
    groups: dict[object, list[Specialization]] = {}
    for spec in specs:
        if not spec.signature.transforms:
            groups.setdefault(_kind(spec), []).append(spec)
    most = max(map(len, groups.values()), default=0)
    return next((group for group in groups.values() if len(group) == most), [])


def _kind(spec: Specialization) -> object:
    leaves = tuple((leaf.path, leaf.dtype, leaf.weak_type, len(leaf.shape)) for leaf in spec.signature.leaves)
    return spec.signature.nodes, leaves


def _size(spec: Specialization, axes: dict[str, tuple[int, ...]]) -> int | None:
    """The size of the axes in the arrays that are there, or None where there are none, or they differ."""
    shapes = _shapes(spec)
    given = [(shapes[path], axis) for path, inside in axes.items() for axis in inside if path in shapes]
    found = {shape[axis] if axis < len(shape) else None for shape, axis in given}
    return found.pop() if len(found) == 1 else None


def _along(spec: Specialization, axis: Axis) -> int:
    shape = _shapes(spec).get(axis[0], ())
    return shape[axis[1]] if axis[1] < len(shape) else -1


def _shapes(spec: Specialization) -> dict[str, tuple[int, ...]]:
    return {leaf.path: leaf.shape for leaf in spec.signature.leaves}


def argument(family: Family) -> dict[str, tuple[int, ...]]:
    """The axes as `whyjit.bucketed` takes them: by parameter where all its arrays go together, else by leaf path."""
    found: dict[str, tuple[int, ...]] = {}
    for path, axes in family.axes.items():
        root = path.partition("[")[0].partition(".")[0]
        inside = [leaf for leaf in family.specs[0].signature.leaves if _under(leaf.path, root)]
        together = all(
            family.axes.get(leaf.path, ()) == tuple(axis for axis in axes if axis < len(leaf.shape)) for leaf in inside
        )
        found[root if together else path] = axes
    return found


def _under(path: str, root: str) -> bool:
    return path == root or path.startswith((root + "[", root + "."))
