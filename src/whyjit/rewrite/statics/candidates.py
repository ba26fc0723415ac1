"""Which static arguments of a recorded function took several values, and what the recording alone says of them."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.model.finding import FunctionReport
    from whyjit.model.recording import Specialization
    from whyjit.model.signature import Static

_NUMBERS = frozenset({"int", "float", "bool", "complex"})
_NUMPY = re.compile(r"^(numpy\.|np\.)?(float|int|uint|bool|bfloat|complex)\d*_?$")
_SPECIAL = frozenset({"inf", "-inf", "nan"})


@dataclass(frozen=True)
class Candidate:
    """A static value's path with its values, as text, in the order of their first calls.

    `numeric` tells whether all values could be arguments: numbers, or tuples of numbers. `parameter` tells a parameter
    of the function from a static field within one.
    """

    name: str
    values: tuple[str, ...]
    numeric: bool
    parameter: bool = True


def used(report: FunctionReport) -> list[Specialization]:
    """The specializations that were called, with what was traced for them, in order."""
    found = [explained.specialization for explained in report.specializations]
    return [
        spec
        for spec in found
        if not spec.error and any(stage.kind == "trace" for stage in spec.stages) and spec.calls + spec.nested_calls
    ]


def static_names(specs: Sequence[Specialization]) -> tuple[str, ...]:
    """The parameters that are static."""
    return tuple(dict.fromkeys(static.path for spec in specs for static in spec.signature.statics if _plain(static)))


def candidates(specs: Sequence[Specialization]) -> list[Candidate]:
    """The static parameters, and static fields within other arguments, that took several values."""
    found = []
    by_path: dict[str, list[Static]] = {}
    for spec in specs:
        for static in statics_of(spec):
            by_path.setdefault(static.path, []).append(static)
    for name, statics in by_path.items():
        values = tuple(dict.fromkeys(static.text for static in statics))
        looks = {(static.type, static.text, static.look, static.identity) for static in statics}
        # A NaN is unequal to itself: one text, and a specialization for each call.
        if len(looks) > 1 or (len(statics) > 1 and values == ("nan",)):
            found.append(Candidate(name, values, all(map(is_numeric, statics)), name.isidentifier()))
    return found


def programs(specs: Sequence[Specialization], name: str) -> str:
    """How the recorded programs compare where only this static differs: "equal", "constants", "different" or ""."""
    groups: dict[object, list[Specialization]] = {}
    for spec in specs:
        groups.setdefault(_others(spec, name), []).append(spec)
    answer = ""
    for group in groups.values():
        prints = [spec.fingerprint for spec in group if spec.fingerprint is not None]
        for one in prints[1:]:
            if one.whole == prints[0].whole and one.constants == prints[0].constants:
                answer = answer or "equal"
            elif one.literals == prints[0].literals:
                answer = "constants" if answer != "different" else answer
            else:
                answer = "different"
    return answer


def _others(spec: Specialization, name: str) -> object:
    signature = spec.signature
    statics = tuple((static.path, static.look) for static in statics_of(spec) if static.path != name)
    leaves = tuple((leaf.path, leaf.shape, leaf.dtype, leaf.weak_type) for leaf in signature.leaves)
    return statics, leaves, signature.form, signature.context


def statics_of(spec: Specialization) -> list[Static]:
    """Static parameters, then the static fields of pytrees."""
    nodes = spec.signature.nodes
    return [*spec.signature.statics, *(static for node in nodes for static in node.metadata)]


def _plain(static: Static) -> bool:
    return static.path.isidentifier()


def is_numeric(static: Static) -> bool:
    """Whether a static value could be an argument."""
    if static.type in _NUMBERS or _NUMPY.match(static.type):
        return True
    if static.type != "tuple":
        return False
    try:
        return _numbers(ast.literal_eval(static.text))
    except (ValueError, SyntaxError):
        return False


def _numbers(value: object) -> bool:
    if isinstance(value, (tuple, list)):
        return bool(value) and all(map(_numbers, value))
    return isinstance(value, (bool, int, float, complex))
