"""What the findings' sentences have in common: the work done, what several leaves share, sizes and types in words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Change, Explained

_SIZES = re.compile(r"\[([0-9, ]*)\]")
_LONG = {"f": "float", "bf": "bfloat", "i": "int", "u": "uint", "c": "complex"}
_TYPE = re.compile(r"^~?([a-z]+)(\d+)\[")


def work(some: Iterable[Explained]) -> str:
    """The work that specializations caused: `3 traces and 3 compiles, 0.12 s`."""
    kinds = [stage.kind for one in some for stage in one.specialization.stages]
    spent = sum(stage.own for one in some for stage in one.specialization.stages)
    counts = [
        f"{kinds.count(kind)} {word}{'s' if kinds.count(kind) > 1 else ''}"
        for kind, word in (("trace", "trace"), ("compile", "compile"), ("cache_load", "load from disk"))
        if kind in kinds
    ]
    joined = " and ".join((", ".join(counts[:-1]), counts[-1])) if len(counts) > 1 else "".join(counts)
    return f"{joined or 'no work seen'}, {spent:.2g} s"


def more(some: Sequence[Explained]) -> str:
    """The work that specializations caused beyond the first: `3 more traces and 3 more compiles, 0.12 s`."""
    return re.sub(r"(\d+) (trace|compile|load)", r"\1 more \2", work(some))


def names(paths: Sequence[str], limit: int = 3) -> str:
    """Several leaves in words: "`x`, `y` and 4 more"."""
    shown = [f"`{path}`" for path in paths[:limit]]
    if len(paths) > limit:
        return f"{', '.join(shown)} and {len(paths) - limit} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def together(
    by_path: dict[str, list[tuple[Explained, Change]]], *, by_change: bool = False
) -> list[tuple[list[str], list[tuple[Explained, Change]]]]:
    """Paths that changed in the very same specializations are one matter: a batch and its labels.

    With `by_change` only if they also changed alike.
    """
    found: dict[tuple[object, ...], tuple[list[str], list[tuple[Explained, Change]]]] = {}
    for path, changed in by_path.items():
        key: tuple[object, ...] = tuple(one.specialization.number for one, _ in changed)
        if by_change:
            key += tuple((change.old, change.new) for _, change in changed)
        found.setdefault(key, ([], changed))[0].append(path)
    return list(found.values())


def spread(texts: Sequence[str]) -> tuple[str, list[int]]:
    """The different types of a leaf in words, and the sizes of the one dimension that varies, if it is one."""
    unique = list(dict.fromkeys(texts))
    shapes = [_shape(text) for text in unique]
    one_rank = len({len(shape) for shape in shapes}) == 1
    varying = [at for at, sizes in enumerate(zip(*shapes, strict=True)) if len(set(sizes)) > 1] if one_rank else []
    if len(varying) == 1 and len(unique) > 2:
        sizes = sorted({shape[varying[0]] for shape in shapes})
        where = "" if len(shapes[0]) == 1 else f" of dimension {varying[0]}"
        return f"{len(sizes)} lengths{where} from {sizes[0]} to {sizes[-1]}", sizes
    shown = ", ".join(unique) if len(unique) <= 4 else f"{unique[0]}, {unique[1]}, ... {unique[-1]}"
    return f"{len(unique)} shapes ({shown})", []


def _shape(text: str) -> list[int]:
    found = _SIZES.search(text)
    return [int(size) for size in found[1].split(",") if size.strip()] if found else []


def taken(group: Group, found: Sequence[tuple[Explained, Change]]) -> str:
    """The values a static took, in words: `took 4 values in 8 calls (...)`. Objects that look alike differ inside."""
    values = list(dict.fromkeys([found[0][1].old, *(change.new for _, change in found)]))
    inside = list(dict.fromkeys(change.note.split("; ")[0] for _, change in found if change.note))
    if len(values) == 1 and inside:
        return f"was {len(inside) + 1} objects in {group.calls} calls ({_several(inside, 2)})"
    plural = "s" if len(values) > 1 else ""
    return f"took {len(values)} value{plural} in {group.calls} calls ({_several(values, 4)})"


def _several(texts: Sequence[str], limit: int) -> str:
    shown = ", ".join(texts[:limit])
    return shown if len(texts) <= limit else f"{shown} and {len(texts) - limit} more"


def buckets(sizes: Sequence[int]) -> list[int]:
    """Powers of two that hold all sizes."""
    return sorted({max(1, 1 << (size - 1).bit_length()) for size in sizes if size > 0})


def dtype_of(text: str) -> str:
    """The dtype in a type as JAX prints it: `~f32[]` gives `float32`."""
    found = _TYPE.match(text)
    return f"{_LONG[found[1]]}{found[2]}" if found and found[1] in _LONG else text.lstrip("~").partition("[")[0]


def calls(group: Group, some: Iterable[Explained]) -> str:
    """How often specializations were called: `4 of 12 calls`."""
    used = sum(one.specialization.calls + one.specialization.nested_calls for one in some)
    return f"{used} of {group.calls} calls"
