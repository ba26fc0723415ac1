"""What the findings' sentences have in common: the work done, what several leaves share, sizes and types in words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from whyjit.model.durations import duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from whyjit.analyse.group import Group
    from whyjit.model.finding import Change, Explained

_SIZES = re.compile(r"\[([0-9, ]*)\]")
_LONG = {"f": "float", "bf": "bfloat", "i": "int", "u": "uint", "c": "complex"}
_NUMBERS = re.compile(r"(?:np\.)?(?:[a-z]+\d+)?[\s()\[\],+\-.0-9ej]+|True|False|nan|-?inf")
_TYPE = re.compile(r"^~?([a-z]+)(\d+)\[")


def work(some: Iterable[Explained]) -> str:
    """The work that specializations caused: `3 traces and 3 compiles, 0.12 s`."""
    kinds = [stage.kind for one in some for stage in one.specialization.stages]
    spent = sum(stage.own for one in some for stage in one.specialization.stages)
    counts = [
        f"{kinds.count(kind)} {word}{'s' if kinds.count(kind) > 1 else ''}{where}"
        for kind, word, where in (
            ("trace", "trace", ""),
            ("compile", "compile", ""),
            ("cache_load", "load", " from disk"),
        )
        if kind in kinds
    ]
    joined = " and ".join((", ".join(counts[:-1]), counts[-1])) if len(counts) > 1 else "".join(counts)
    return f"{joined or 'no work seen'}, {duration(spent)}"


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
    by_path: dict[str, list[tuple[Explained, Change]]],
    *,
    by_change: bool = False,
    word: Callable[[str], str] = str,
) -> list[tuple[list[str], list[tuple[Explained, Change]]]]:
    """Paths that changed in the very same specializations are one matter: a batch and its labels.

    With `by_change` only if they also changed alike, as far as `word` tells of what they were.
    """
    found: dict[tuple[object, ...], tuple[list[str], list[tuple[Explained, Change]]]] = {}
    for path, changed in by_path.items():
        key: tuple[object, ...] = tuple(one.specialization.number for one, _ in changed)
        if by_change:
            key += tuple((word(change.old), word(change.new)) for _, change in changed)
        found.setdefault(key, ([], changed))[0].append(path)
    return list(found.values())


def spread(texts: Sequence[str]) -> tuple[str, list[int]]:
    """The different types of a leaf in words, and the sizes of the one dimension that varies, if it is one."""
    unique = list(dict.fromkeys(texts))
    shapes = [shape_of(text) for text in unique]
    one_rank = len({len(shape) for shape in shapes}) == 1
    varying = [at for at, sizes in enumerate(zip(*shapes, strict=True)) if len(set(sizes)) > 1] if one_rank else []
    if len(varying) == 1 and len(unique) > 2:
        sizes = sorted({shape[varying[0]] for shape in shapes})
        where = "" if len(shapes[0]) == 1 else f" of dimension {varying[0]}"
        return f"{len(sizes)} lengths{where} from {sizes[0]} to {sizes[-1]}", sizes
    shown = ", ".join(unique) if len(unique) <= 4 else f"{unique[0]}, {unique[1]}, ... {unique[-1]}"
    return f"{len(unique)} shapes ({shown})", []


def shape_of(text: str) -> list[int]:
    """The sizes in a type as JAX prints it: `f32[3,4]` gives 3 and 4."""
    found = _SIZES.search(text)
    return [int(size) for size in found[1].split(",") if size.strip()] if found else []


def metadata_of(group: Group, path: str) -> str | None:
    """The path of the pytree node that a static value is metadata of; None for a static argument."""
    for one in group.explained:
        for node in one.specialization.signature.nodes:
            if any(static.path == path for static in node.metadata):
                return node.path
    return None


def is_static(group: Group, path: str) -> str:
    """A static value in words, as the subject of a sentence: "`mode` is static and"."""
    return f"the metadata of `{path}`" if metadata_of(group, path) == path else f"`{path}` is static and"


def is_object(text: str) -> bool:
    """Whether the text of a value is that of an object of some class, which no array stands for: `Adam(rate=0.1)`."""
    return re.match(r"(?!np\.|numpy\.|array\()[A-Za-z_][\w.]*\(", text) is not None


def may_be_array(change: Change) -> bool:
    """Whether what changed is numbers, for which an array could stand: no name, no dtype, no object."""
    inside = re.findall(r"-> ([^;]*?)(?= \(and |;|$)", change.note)
    if not inside and is_object(change.new) and not change.new.startswith("dtype("):
        return True  # of which it is not known what in it changed
    return any(_NUMBERS.fullmatch(text) for text in (inside or [change.new]))


def holds_function(text: str) -> bool:
    """Whether the text of a value is that of a function, a partial or a jitted function, or has one in it."""
    return any(sign in text for sign in ("<function ", "<method ", "<jitted ", "partial("))


def taken(group: Group, found: Sequence[tuple[Explained, Change]]) -> str:
    """The values a static took, in words: `took 4 values in 8 calls (...)`. Objects that look alike differ inside."""
    values = list(dict.fromkeys([found[0][1].old, *(change.new for _, change in found)]))
    inside = list(dict.fromkeys(change.note.split("; ")[0] for _, change in found if change.note))
    if len(values) == 1 and inside:
        return f"was {len(inside) + 1} objects in {group.calls} calls ({_several(inside, 2)})"
    if len(values) == 1:
        short = values[0] if len(values[0]) <= 60 else f"{values[0][:59]}…"
        times = f"{len(found)} times" if len(found) > 1 else "once"
        return f"changed {times} in {group.calls} calls, in a part that its text does not show ({short})"
    if inside and all(text.endswith("…") for text in values):
        return f"took {len(values)} values in {group.calls} calls ({_several(inside, 2)})"
    return f"took {len(values)} values in {group.calls} calls ({_several(values, 4)})"


def _several(texts: Sequence[str], limit: int) -> str:
    shown = ", ".join(texts[:limit])
    return shown if len(texts) <= limit else f"{shown} and {len(texts) - limit} more"


def buckets(sizes: Sequence[int]) -> list[int]:
    """Powers of two that hold all sizes."""
    return sorted({bucket(size) for size in sizes if size > 0})


def bucket(size: int) -> int:
    """The smallest power of two that holds a size."""
    return 1 << max(0, size - 1).bit_length()


def dtype_of(text: str) -> str:
    """The dtype in a type as JAX prints it: `~f32[]` gives `float32`."""
    found = _TYPE.match(text)
    return f"{_LONG[found[1]]}{found[2]}" if found and found[1] in _LONG else text.lstrip("~").partition("[")[0]


def element(text: str) -> str:
    """The element type in a type as JAX prints it, without its sizes: `~f32[3]` gives `~f32`."""
    return text.partition("[")[0]


def calls(group: Group, some: Iterable[Explained]) -> str:
    """How often specializations were called: `4 of 12 calls`."""
    used = sum(one.specialization.calls + one.specialization.nested_calls for one in some)
    return f"{used} of {group.calls} calls"


def named(qualname: str) -> str:
    """A function of the user's as it is spoken of: without the functions around it; "" for what has no name."""
    names = [name for name in qualname.split(".<locals>.") if not name.startswith("<")]
    return names[-1] if names else ""


def to_jit(qualname: str) -> str:
    """What of the code around a line to jit: a generator expression cannot be, and a method is called on an object."""
    inside = named(qualname)
    if not inside or qualname.endswith(">"):
        return "put the lines into a function and jit it"
    if inside.endswith(".__init__"):
        return f"make `{inside.removesuffix('.__init__')}` in a jitted function"
    if inside.endswith(".__call__"):
        return f"call `{inside}` from a jitted function"
    return f"put `jax.jit` on `{inside}`, or on a function of these lines where the rest cannot be traced"
