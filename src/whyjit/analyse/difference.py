"""What differs between two specializations, factor by factor, in the words of their owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.factors import arrays_in, placement, static_key
from whyjit.model.avals import leaf_text
from whyjit.model.finding import Change
from whyjit.model.signature import Leaf, Node, Static

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.model.recording import Capture, Specialization
    from whyjit.model.signature import Signature

# The most telling kind first: who it is, then what was configured, then what came in, then the surroundings.
ORDER = (
    "function",
    "static",
    "static_identity",
    "structure",
    "call_form",
    "dtype",
    "shape",
    "weak_type",
    "context",
    "sharding",
    "jit_options",
)
LEFT_OUT = "left out"
_GRAPH = "._graphdef"


def changes(old: Specialization, new: Specialization) -> tuple[Change, ...]:
    """All changed factors from `old` to `new`, the most telling first."""
    found = [
        *_function(old, new),
        *_arguments(old.signature, new.signature),
        *_named("context", dict(old.signature.context), dict(new.signature.context), "default"),
        *_transforms(old.signature, new.signature),
        *_named("jit_options", dict(old.signature.options), dict(new.signature.options), "default"),
    ]
    return tuple(sorted(found, key=lambda change: ORDER.index(change.kind)))


def _function(old: Specialization, new: Specialization) -> Iterator[Change]:
    if old.maker == new.maker:
        return
    before = _by_name(old.captures)
    after = _by_name(new.captures)
    told = False
    for name, capture in after.items():
        earlier = before.get(name)
        if earlier is not None and earlier.look != capture.look:
            told = True
            yield Change("function", name, earlier.text, capture.text, "captured by the function")
        elif earlier is not None and arrays_in(earlier) != arrays_in(capture):
            told = True
            note = "captured by the function; another array, whose contents were not compared"
            yield Change("function", name, earlier.text, capture.text, note)
    if not told:
        yield Change("function", None, f"object {old.maker}", f"object {new.maker}", _same_captures(before, after))


def _by_name(captures: tuple[Capture, ...]) -> dict[str, Capture]:
    return {capture.name: capture for capture in captures}


def _same_captures(before: dict[str, Capture], after: dict[str, Capture]) -> str:
    if not after:
        return "a new function object; it captures nothing, so nothing differs"
    other = [name for name, capture in after.items() if name in before and before[name].identity != capture.identity]
    if other:
        return f"a new function object; {', '.join(other)} looks the same but is another object"
    return "a new function object; what it captures is the same"


def _arguments(old: Signature, new: Signature) -> Iterator[Change]:
    before, after = dict(old.form.parameters), dict(new.form.parameters)
    only_form: set[str] = set()
    for name in [*before, *(name for name in after if name not in before)]:
        was, now = before.get(name, "default"), after.get(name, "default")
        if was != now:
            yield Change("call_form", name, _form(was), _form(now))
            if "default" in (was, now):
                only_form.add(name)
                yield from _from_default(name, old, new)
    structure = [*_structure(old, new, only_form)]
    told = {f"{change.path}{_GRAPH}" for change in structure}
    # With another array in it a module of flax's nnx has another graph, which is no change of its own.
    yield from (one for one in _statics(old, new, only_form) if one.path not in told or " -> " in one.note)
    yield from structure
    yield from _leaves(old, new, only_form)


def _from_default(name: str, old: Signature, new: Signature) -> Iterator[Change]:
    """The change of a static that is left out in one of two calls, where its default is not the other's value."""
    before, after = (
        {static.path: static for static in (*signature.form.defaults, *signature.statics)}.get(name)
        for signature in (old, new)
    )
    if before is None or after is None:
        return
    left_out = "it was left out, and its default held"
    if dict(new.form.parameters).get(name) == "default":
        left_out = "it is left out now, and its default holds"
    for change in static_change(before, after):
        yield Change(change.kind, name, change.old, change.new, "; ".join(filter(None, (change.note, left_out))))


def _form(form: str) -> str:
    return LEFT_OUT if form == "default" else form


def _belongs(path: str, names: set[str]) -> bool:
    return any(path == name or path.startswith((f"{name}.", f"{name}[")) for name in names)


def _all_statics(signature: Signature) -> dict[str, Static]:
    found = {static.path: static for static in signature.statics}
    for node in signature.nodes:
        found.update((static.path, static) for static in node.metadata)
    return found


def _statics(old: Signature, new: Signature, skip: set[str]) -> Iterator[Change]:
    before, after = _all_statics(old), _all_statics(new)
    for path, static in after.items():
        earlier = before.get(path)
        if earlier is not None and not _belongs(path, skip):
            yield from static_change(earlier, static)


def static_change(old: Static, new: Static) -> Iterator[Change]:
    """The change of one static value, told apart: another value, or an equal one that JAX cannot take for the same."""
    if static_key(old) == static_key(new):
        if "nan" in new.note:
            note = "is NaN, which equals nothing, itself included"
            yield Change("static_identity", new.path, old.text, new.text, note)
        return
    if old.look == new.look and old.type == new.type:
        note = f"looks the same, but {_others(old, new)}"
        if new.note:
            note += f" ({new.note})"
        yield Change("static_identity", new.path, old.text, new.text, note)
    elif old.type != new.type and _equal_numbers(old, new):
        types = f"({old.type}, {new.type})"
        note = f"was {old.text}, now {new.text}: equal, but JAX keys static values by type, too {types}"
        yield Change("static_identity", new.path, old.text, new.text, note)
    else:
        yield Change("static", new.path, old.text, new.text, _inside(old, new))


def _others(old: Static, new: Static) -> str:
    """Which objects are others, in words: the value itself, or the outermost ones inside it."""
    found = _other_objects(old, new)
    named = [f"`{path.lstrip('.')}`" for path, _ in found[:3]]
    if not found or not all(path for path, _ in found):
        return "is compared by identity and is another object"
    if len(found) == 1:
        return f"{named[0]} in it (a {found[0][1]}) is compared by identity and is another object"
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    functions = " (functions)" if {kind for _, kind in found} <= {"function", "jitted function"} else ""
    return f"{', '.join(named)}{more} in it{functions} are compared by identity and are other objects"


def _other_objects(old: Static, new: Static) -> list[tuple[str, str]]:
    """The path and type of each object in a static that is another than before, and lies in no other such one."""
    before = dict(zip((path for path, _ in old.objects), old.identity.split(","), strict=False))
    found: list[tuple[str, str]] = []
    for (path, kind), number in zip(new.objects, new.identity.split(","), strict=False):
        inside = any(path.startswith((f"{outer}.", f"{outer}[")) for outer, _ in found)
        if before.get(path, number) != number and not inside and (path, kind) not in found:
            found.append((path, kind))
    return found


def _equal_numbers(old: Static, new: Static) -> bool:
    values: list[float] = []
    for static in (old, new):
        name = static.type.removeprefix("numpy.")
        text = static.text.removeprefix(f"{name}(").removesuffix(")") if name != static.type else static.text
        if name not in ("int", "float", "bool") and name == static.type:
            return False
        try:
            values.append(float({"True": "1", "False": "0"}.get(text, text)))
        except ValueError:
            return False
    return values[0] == values[1]


def _inside(old: Static, new: Static) -> str:
    """Which fields of a structured static changed."""
    before = dict(old.parts)
    alike: dict[tuple[str, str], list[str]] = {}
    for path, text in new.parts:
        if before.get(path, text) != text:
            alike.setdefault((before[path], text), []).append(path.lstrip("."))
    changed = [
        f"{paths[0]}: {was} -> {now}" + (f" (and {len(paths) - 1} more alike)" if len(paths) > 1 else "")
        for (was, now), paths in alike.items()
    ]
    others = [path.lstrip(".") for path, _ in _other_objects(old, new) if path]
    told = {path.lstrip(".") for paths in alike.values() for path in paths}
    changed[3:] = changed[3:4] if not others else []
    changed += [f"{path} is another object" for path in others[:1] if path not in told]
    if not changed and before:
        now = dict(new.parts)
        changed = [f"{path.lstrip('.')} is new" for path in now if path not in before]
        changed += [f"{path.lstrip('.')} is gone" for path in before if path not in now]
    return "; ".join(changed[:4])


def _structure(old: Signature, new: Signature, skip: set[str]) -> Iterator[Change]:
    # Another set of static arguments is a change of the jit's options, and not of each argument.
    roles = _statics_of_jit(old) == _statics_of_jit(new)
    before, after = _tree(old, statics=roles), _tree(new, statics=roles)
    changed: list[str] = []
    for path, now in after.items():
        was = before.get(path)
        if (
            was is None
            or was is now
            or _belongs(path, skip)
            or any(path.startswith(parent) and path != parent for parent in changed)
        ):
            continue
        change = _node_change(path, was, now)
        if change is not None:
            changed.append(path)
            yield change


def _statics_of_jit(signature: Signature) -> list[tuple[str, str]]:
    return [(name, text) for name, text in signature.options if name in ("static_argnums", "static_argnames")]


def _tree(signature: Signature, *, statics: bool) -> dict[str, Node | Leaf | Static]:
    found: dict[str, Node | Leaf | Static] = {node.path: node for node in signature.nodes}
    found.update((leaf.path, leaf) for leaf in signature.leaves)
    if statics:
        found.update((static.path, static) for static in signature.statics)
    return dict(sorted(found.items(), key=lambda item: len(item[0])))


def _node_change(path: str, was: Node | Leaf | Static, now: Node | Leaf | Static) -> Change | None:
    if isinstance(was, Node) and isinstance(now, Node):
        if was.container != now.container:
            return Change("structure", path, _node_text(was), _node_text(now), "another container")
        if was.keys == now.keys:
            return None
        added = [key for key in now.keys if key not in was.keys]
        gone = [key for key in was.keys if key not in now.keys]
        note = "; ".join([*(f"{path}{key} is new" for key in added[:5]), *(f"{path}{key} is gone" for key in gone[:5])])
        return Change("structure", path, _node_text(was), _node_text(now), note or "another order of keys")
    if type(was) is type(now):
        return None
    note = "an array became a static value" if isinstance(was, Leaf) and isinstance(now, Static) else ""
    note = "a static value became an array" if isinstance(was, Static) and isinstance(now, Leaf) else note
    return Change("structure", path, _node_text(was), _node_text(now), note)


def _node_text(node: Node | Leaf | Static) -> str:
    if isinstance(node, Leaf):
        return leaf_text(node)
    if isinstance(node, Static):
        return node.text
    if node.container == "None":
        return "None"
    if node.keys and node.keys[0] == "[0]":
        return f"{node.container} of {len(node.keys)}"
    return f"{node.container} with {', '.join(node.keys[:8])}" if node.keys else f"empty {node.container}"


def _leaves(old: Signature, new: Signature, skip: set[str]) -> Iterator[Change]:
    before = {leaf.path: leaf for leaf in old.leaves}
    for leaf in new.leaves:
        was = before.get(leaf.path)
        if was is None or was is leaf or _belongs(leaf.path, skip):  # most leaves are shared
            continue
        texts = leaf_text(was), leaf_text(leaf)
        if was.dtype != leaf.dtype:
            yield Change("dtype", leaf.path, *texts)
        if was.shape != leaf.shape:
            yield Change("shape", leaf.path, *texts)
        if was.weak_type != leaf.weak_type:
            yield Change("weak_type", leaf.path, *texts)
        if placement(was) != placement(leaf):
            yield Change("sharding", leaf.path, place_text(was), place_text(leaf))


def place_text(leaf: Leaf) -> str:
    """Where a leaf lies, in words."""
    text = leaf.sharding or "not committed to a device"
    if leaf.memory and leaf.memory != "device":
        text += f", memory kind {leaf.memory}"
    if leaf.layout:
        text += f", layout {leaf.layout}"
    return text


def _named(kind: str, before: dict[str, str], after: dict[str, str], default: str) -> Iterator[Change]:
    for name in [*before, *(name for name in after if name not in before)]:
        was, now = before.get(name, default), after.get(name, default)
        if was != now:
            yield Change(kind, name, was, now)


def _transforms(old: Signature, new: Signature) -> Iterator[Change]:
    was, now = (" of ".join(signature.transforms) or "none" for signature in (old, new))
    if was != now:
        yield Change("context", "transformation", was, now, "called under another JAX transformation")
