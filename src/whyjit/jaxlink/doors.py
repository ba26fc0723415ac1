"""The door that every call missing the C++ fast path goes through, and the mark of a Python body being traced.

Evidence, on 0.6.2, 0.8.3, 0.10.2 and 0.12.0.1: `jax._src.pjit._infer_params(fun, jit_info, args, kwargs)` is looked up
as a global by `cache_miss`, `jit_trace` and their kin, and returns the parameters of the call with `params['jaxpr']`;
`DynamicJaxprTrace.__init__(debug_info, ...)` runs once for each program being staged, and never when a cache answers;
`JaxprStackFrame.to_jaxpr(trace, ...)` puts its equations together at the end.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

from whyjit.jaxlink.missing import Missing

if TYPE_CHECKING:
    from collections.abc import Callable

    Door = Callable[[Callable[..., Any], Any, tuple[Any, ...], dict[str, Any]], Any]

_DOOR_PARAMETERS = ["fun", "ji", "args", "kwargs"]


class Replaced(NamedTuple):
    """A private name that was replaced, with what puts it back. One that was inherited (not `own`) is taken away."""

    owner: Any
    name: str
    original: Any
    replacement: Any
    own: bool = True

    def restore(self) -> None:
        """Put the original back, unless somebody else has replaced the name since."""
        if self.owner.__dict__.get(self.name) is not self.replacement:
            return
        if self.own:
            setattr(self.owner, self.name, self.original)
        else:
            delattr(self.owner, self.name)


def stand_in(owner: Any, name: str, replacement: Any) -> Replaced:
    """Put a function in the place of one of JAX's, under its full name.

    By that name pickle finds it again. Without it, cloudpickle would take whyjit's own function along, with all that it
    holds, whenever a program hands a jitted function to another process.
    """
    own = name in owner.__dict__
    original = getattr(owner, name)
    for attribute in ("__module__", "__name__", "__qualname__"):
        if isinstance(name_of_original := getattr(original, attribute, None), str):  # a partial has no name
            setattr(replacement, attribute, name_of_original)
    setattr(owner, name, replacement)
    return Replaced(owner, name, original, replacement, own)


def replace_door(make: Callable[[Door], Door]) -> Replaced | Missing:
    """Put `make(original)` in the place of the door. Missing where the door is not as described above."""
    try:
        from jax._src import pjit
    except ImportError as fault:
        return Missing(f"jax._src.pjit cannot be imported: {fault}")
    door = getattr(pjit, "_infer_params", None)
    if door is None:
        return Missing("jax._src.pjit has no _infer_params")
    if list(inspect.signature(door).parameters) != _DOOR_PARAMETERS:
        return Missing(f"jax._src.pjit._infer_params takes {inspect.signature(door)}")
    return stand_in(pjit, "_infer_params", make(door))


def home() -> str:
    """The file of the functions that come to the door."""
    from jax._src import pjit

    return str(pjit.__file__)


def replace_trace_mark(mark: Callable[[Any, Any], None]) -> Replaced | Missing:
    """Have `mark(debug_info, trace)` called whenever JAX begins to stage a program."""
    try:
        from jax._src.interpreters.partial_eval import DynamicJaxprTrace
    except ImportError as fault:
        return Missing(f"DynamicJaxprTrace cannot be imported: {fault}")
    original = DynamicJaxprTrace.__dict__.get("__init__")
    if original is None or "debug_info" not in inspect.signature(original).parameters:
        return Missing("DynamicJaxprTrace takes no debug_info")

    def __init__(self: Any, debug_info: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it takes the place of one
        mark(debug_info, self)
        original(self, debug_info, *args, **kwargs)

    return stand_in(DynamicJaxprTrace, "__init__", __init__)


def replace_trace_end(ended: Callable[[Any], None]) -> Replaced | Missing:
    """Have `ended(trace)` called whenever JAX has staged a program."""
    try:
        from jax._src.interpreters.partial_eval import JaxprStackFrame
    except ImportError as fault:
        return Missing(f"JaxprStackFrame cannot be imported: {fault}")
    original = JaxprStackFrame.__dict__.get("to_jaxpr")
    if original is None or list(inspect.signature(original).parameters)[:2] != ["self", "trace"]:
        return Missing("JaxprStackFrame has no to_jaxpr that takes a trace")

    def to_jaxpr(self: Any, trace: Any, *args: Any, **kwargs: Any) -> Any:
        answer = original(self, trace, *args, **kwargs)
        ended(trace)
        return answer

    return stand_in(JaxprStackFrame, "to_jaxpr", to_jaxpr)


def staged_for(debug_info: Any) -> tuple[str, str]:
    """What a program is staged for ("jit", "scan", ...) and the source of the function, as JAX's debug info says."""
    return str(getattr(debug_info, "traced_for", "")), str(getattr(debug_info, "func_src_info", "") or "")


def jaxpr_of(answer: Any) -> Any:
    """The staged program in what the door returned: a `ClosedJaxpr`. None where it is not where it used to be."""
    try:
        return answer[0].params["jaxpr"]
    except (AttributeError, KeyError, IndexError, TypeError):
        return None


def name_of(answer: Any) -> str:
    """The name under which JAX lowers and compiles what the door returned."""
    try:
        return str(answer[0].params["name"])
    except (AttributeError, KeyError, IndexError, TypeError):
        return ""


def outputs_of(closed: Any) -> list[tuple[str, Any]]:
    """The path and abstract value of each output of a staged program, as JAX's debug info names them."""
    avals = list(getattr(closed, "out_avals", ()))
    paths = getattr(getattr(closed.jaxpr, "debug_info", None), "result_paths", None)
    if not isinstance(paths, tuple) or len(paths) != len(avals):
        return (
            [("result", aval) for aval in avals]
            if len(avals) == 1
            else [(f"result[{at}]", a) for at, a in enumerate(avals)]
        )
    return [
        (str(path) if str(path).startswith("result") else f"result{path}", aval)
        for path, aval in zip(paths, avals, strict=True)
    ]


def effects_of(closed: Any) -> str:
    """The effects of a staged program as text; any of them keeps its calls off the fast path."""
    return ", ".join(sorted(str(effect) for effect in getattr(closed, "effects", ()) or ()))


_excluded: set[str] = set()


def exclude_from_tracebacks(folder: str) -> None:
    """Keep frames of a folder of whyjit's out of JAX's tracebacks and of the source lines it writes into programs.

    JAX has no way to take a folder back, and none is needed: nobody else's frames lie in it.
    """
    from jax._src import source_info_util, traceback_util

    if folder in _excluded:
        return
    _excluded.add(folder)
    source_info_util.register_exclusion(folder)
    traceback_util.register_exclusion(folder)
