"""Loop carries and branches that do not agree: which leaf, both types, and the expressions that made them."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

from whyjit.analyse.failure.results import Source, follow, function_source, keys_of, parts_of, result, returns
from whyjit.model.failure import Mismatch, Step

if TYPE_CHECKING:
    from whyjit.analyse.failure.locate import Located
    from whyjit.analyse.failure.use import Use
    from whyjit.model.scene import Scene

# As JAX 0.6.2 to 0.12.0.1 word them.
_WHY = r"(?:,? so (?P<why>[^\n]*?))?[.;]?\s*$"
_CARRY = re.compile(
    r"[Tt]he input carry(?: component)?(?: at path)? ?(?P<leaf>\S*) has type (?P<old>.+?)"
    rf" but the corresponding output carry component has type (?P<new>.+?){_WHY}",
    re.MULTILINE,
)
_CARRY_TREE = re.compile(
    r"[Tt]he input carry(?: component)?(?: at path)? ?(?P<leaf>\S*) is a (?P<old>.+?)"
    rf" but the corresponding component of the carry output is a (?P<new>.+?){_WHY}",
    re.MULTILINE,
)
_BRANCH = re.compile(
    r"[Tt]he output of (?P<first>true_fun|branch ?\d+)(?: at path (?P<leaf>\S+))? has type (?P<old>.+?)"
    rf" but the corresponding output of (?P<second>false_fun|branch ?\d+) has type (?P<new>.+?){_WHY}",
    re.MULTILINE,
)
_BRANCH_TREE = re.compile(
    r"(?P<first>true_fun|branch ?\d+) output(?: at path (?P<leaf>\S+))? is a (?P<old>.+?)"
    rf" but (?P<second>false_fun|branch ?\d+) output(?: at path \S+)? is a (?P<new>.+?){_WHY}",
    re.MULTILINE,
)
_CLASS = re.compile(r"<class '(?:[\w.]*\.)?(\w+)'>")
_ARRAYS = frozenset({"ShapedArray", "ArrayImpl", "DynamicJaxprTracer", "JitTracer"})


class Loop(NamedTuple):
    """The parts of a call of `scan`, `while_loop` or `fori_loop`: body, first carry, and where the body returns it."""

    body: ast.expr | None
    init: ast.expr | None
    to_carry: tuple[int, ...] = ()


def carry_mismatches(scene: Scene, located: Located | None, use: Use | None) -> tuple[Mismatch, ...]:
    """What differs between a loop's first carry and the one its body returns."""
    loop = _loop(located, use)
    found: list[Mismatch] = []
    for match in (*_CARRY.finditer(scene.message), *_CARRY_TREE.finditer(scene.message)):
        leaf = match["leaf"]
        path = re.sub(r"^\w*", "", leaf)
        if leaf.startswith("loop_carry"):  # JAX's own carry of a fori_loop: its counters, then the user's value
            path = re.sub(r"^\[\d+\]", "", path)
            leaf = f"{_carried(scene, loop) or 'carry'}{path}"
        keys = keys_of(path)
        if "NoneType" in match["old"]:
            other = _none_at(scene, loop, keys, located) or path
            leaf = leaf.removesuffix(path) + other
            keys = keys_of(other)
        before = _initial(scene, loop, keys, located)
        after = _returned(scene, loop, keys)
        found.append(
            Mismatch(leaf or "carry", _plain(match["old"]), _plain(match["new"]), match["why"] or "", before, after)
        )
    return tuple(found)


def _carried(scene: Scene, loop: Loop) -> str:
    """The name that the body of a `fori_loop` has for its carry."""
    source = None if loop.body is None else function_source(scene, 0, loop.body)
    arguments = None if source is None else source.node.args
    return "" if arguments is None or len(arguments.args) < 2 else arguments.args[-1].arg


def pair_missing(scene: Scene, located: Located | None, use: Use | None) -> str | None:
    """What the body of a `scan` returns where it is no pair; None where the error is another."""
    if "must be a pair" not in scene.message:
        return None
    loop = _loop(located, use)
    made = _returned(scene, Loop(loop.body, None), [])
    return "one value" if made is None else made.source


def branch_mismatches(scene: Scene, located: Located | None, use: Use | None) -> tuple[Mismatch, ...]:
    """What differs between the results of two branches."""
    found: list[Mismatch] = []
    for match in (*_BRANCH.finditer(scene.message), *_BRANCH_TREE.finditer(scene.message)):
        keys = keys_of(match["leaf"] or "")
        steps = [_branch_step(scene, located, use, match[name], keys) for name in ("first", "second")]
        leaf = f"result{match['leaf'] or ''}"
        found.append(Mismatch(leaf, _plain(match["old"]), _plain(match["new"]), match["why"] or "", *steps))
    return tuple(found)


def _none_at(scene: Scene, loop: Loop, keys: list[int | str], located: Located | None) -> str | None:
    """The path of the only None in the first carry, where the path that JAX told leads to something else.

    Until 0.11 JAX counts the leaves of a carry that holds None one too few, and names the one before.
    """
    if not keys or loop.init is None or located is None:
        return None
    top = _start(scene, loop, located)
    whole = None if top is None else follow(loop.init, [], top)
    if whole is None:
        return None
    nothing = [key for key, part in parts_of(whole.node, whole.source.lines) if _is_none(part)]
    if len(keys) != 1 or len(nothing) != 1 or nothing[0] in keys:
        return None
    key = nothing[0]
    attribute = isinstance(key, str) and isinstance(whole.node, ast.Call)
    return f".{key}" if attribute else f"[{key!r}]"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _plain(text: str) -> str:
    if text == "pytree leaf":
        return "array"
    match = _CLASS.search(text)
    if match is None:
        return text
    name = {"NoneType": "None"}.get(match[1], "array" if match[1] in _ARRAYS else match[1])
    return text.replace(match[0], name)


def _call(located: Located | None) -> ast.Call | None:
    return located.node if located is not None and isinstance(located.node, ast.Call) else None


def _argument(call: ast.Call, place: int, *names: str) -> ast.expr | None:
    given = next((one.value for one in call.keywords if one.arg in names), None)
    return given if given is not None else call.args[place] if place < len(call.args) else None


def _loop(located: Located | None, use: Use | None) -> Loop:
    call = _call(located)
    name = "" if use is None else use.callee.rpartition(".")[2]
    if call is None:
        return Loop(None, None)
    if name == "scan":
        return Loop(_argument(call, 0, "f"), _argument(call, 1, "init"), (0,))
    if name == "while_loop":
        return Loop(_argument(call, 1, "body_fun"), _argument(call, 2, "init_val"))
    if name == "fori_loop":
        return Loop(_argument(call, 2, "body_fun"), _argument(call, 3, "init_val"))
    return Loop(None, None)


def _returned(scene: Scene, loop: Loop, keys: list[int | str]) -> Step | None:
    source = None if loop.body is None else function_source(scene, 0, loop.body)
    found = None if source is None else result(source, [*loop.to_carry, *keys])
    return None if found is None else found.step()


def _initial(scene: Scene, loop: Loop, keys: list[int | str], located: Located | None) -> Step | None:
    if loop.init is None or located is None:
        return None
    source = _start(scene, loop, located)
    return None if source is None else follow(loop.init, keys, source).step()


def _start(scene: Scene, loop: Loop, located: Located) -> Source | None:
    """Where the first carry is written."""
    if loop.init is None:
        return None
    around = located.function
    file = scene.points[0].file
    if around is None:  # at the top of a module
        around = ast.FunctionDef("<module>", _NO_ARGUMENTS, [], [], lineno=1, col_offset=0)
        top = located.ancestors[0] if located.ancestors else None
        around.body = top.body if isinstance(top, ast.Module) else []
    return Source(around, file, located.lines)


_NO_ARGUMENTS = ast.arguments([], [], None, [], [], None, [])


def _branch_step(
    scene: Scene, located: Located | None, use: Use | None, name: str, keys: list[int | str]
) -> Step | None:
    call = _call(located)
    if call is None or use is None:
        return None
    node: ast.expr | None
    if name in ("true_fun", "false_fun"):
        node = _argument(call, 1 if name == "true_fun" else 2, name)
    else:
        listed = _argument(call, 1, "branches")
        at = int(name.removeprefix("branch"))
        node = listed.elts[at] if isinstance(listed, (ast.List, ast.Tuple)) and at < len(listed.elts) else None
    source = None if node is None else function_source(scene, 0, node)
    found = None if source is None else result(source, keys)
    if found is None and source is not None and not isinstance(source.node, ast.Lambda) and not returns(source):
        return Step("", f"{source.node.name}, which returns nothing", source.file, source.node.lineno, source.node.name)
    return None if found is None else found.step()
