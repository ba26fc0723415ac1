"""What one process recorded: functions, specializations, ledger rows, and what could not be seen.

Times are seconds; moments are seconds since the recording began.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from whyjit.model.failure import Failure
from whyjit.model.program import Constant, Fingerprint
from whyjit.model.signature import Leaf, Signature
from whyjit.model.source import Location

Origin = Literal["user", "library", "eager"]
StageKind = Literal["trace", "lower", "compile", "cache_load"]


class Gap(msgspec.Struct, frozen=True):
    """Something that could not be observed, and why."""

    what: str
    reason: str


class Environment(msgspec.Struct, frozen=True):
    """The process that was recorded."""

    python: str
    jax: str
    jaxlib: str
    platform: str
    process_index: int = 0
    argv: tuple[str, ...] = ()
    directory: str = ""
    pid: int = 0
    started: float = 0.0


class Function(msgspec.Struct, frozen=True):
    """A function group: all function objects that share one code object (and the same wrappers around it).

    `origin` is "user" for code outside installed packages, "library" for packages, "eager" for JAX's own operations
    called op by op, which are grouped by the user's line. `bodies` are the bodies of control flow called outside a jit,
    as JAX names them, and how often each was traced.
    """

    id: int
    name: str
    qualname: str
    file: str
    line: int
    origin: Origin
    kind: str = "function"
    bodies: tuple[tuple[str, int], ...] = ()


class Stage(msgspec.Struct, frozen=True, gc=False):
    """One piece of work that JAX really did. `own` is `seconds` without the traces of jitted functions inside it.

    A "cache_load" is an executable found in the persistent compilation cache instead of being compiled.
    """

    kind: StageKind
    start: float
    seconds: float
    own: float = 0.0
    thread: int = 0
    detail: str = ""


class Capture(msgspec.Struct, frozen=True, gc=False):
    """One value a function object carries: a closure variable, a bound argument of a partial, `self`."""

    name: str
    text: str
    look: str
    identity: str = ""


class Specialization(msgspec.Struct, frozen=True):
    """One entry that JAX made for a function, or tried to: what it was keyed on, and the work done for it.

    `number` counts from 1 within the function. `maker` numbers the function object. `parent` is the function and number
    of the specialization whose trace contained this one. `error` is the class of the exception its trace ended with.
    `outputs` are the types of what it returns. `notes` are marks for the analysis: "earlier-gone" and "earlier-alive"
    tell whether the program made last for the same key was still there. `earlier` marks one that existed before the
    recording began. `operation` is the operation, where the function is a line that calls JAX op by op. `slow_path`
    names the effects that keep its calls off the fast path. `calls` are calls outside any trace, `nested_calls` calls
    inside one, `misses` those of the former that left the C++ fast path.
    """

    function: int
    number: int
    signature: Signature
    call_site: Location
    maker: int = 1
    captures: tuple[Capture, ...] = ()
    stages: tuple[Stage, ...] = ()
    parent: tuple[int, int] | None = None
    thread: int = 0
    started: float = 0.0
    fingerprint: Fingerprint | None = None
    program: str = ""
    constants: tuple[Constant, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""
    earlier: bool = False
    outputs: tuple[Leaf, ...] = ()
    operation: str = ""
    slow_path: str = ""
    calls: int = 0
    nested_calls: int = 0
    misses: int = 0


class Row(msgspec.Struct, frozen=True, array_like=True):
    """One row of the call ledger: `count` equal consecutive calls.

    `order` places rows of all functions in one sequence; `event` is "hit", "miss" (Python reached, nothing traced or
    compiled) or "new" (a trace or compile); `traces` and `compiles` are the function's counts when the row ended.
    """

    order: int
    function: int
    specialization: int
    event: Literal["hit", "miss", "new"]
    call_site: Location
    count: int
    moment: float
    traces: int
    compiles: int
    nested: bool = False


class StaleRead(msgspec.Struct, frozen=True):
    """A value a traced function read from outside that has changed since, while its program is still in use.

    `path` is how the source reads it (`self.offset`, `SCALE`); `calls_since` counts calls seen after the change.
    """

    function: int
    specialization: int
    path: str
    old: str
    new: str
    location: Location
    calls_since: int = 0


class Recording(msgspec.Struct, frozen=True):
    """A whole recording of one process. `rows` may be left empty when a store can give them by function."""

    environment: Environment
    gaps: tuple[Gap, ...]
    functions: tuple[Function, ...]
    specializations: tuple[Specialization, ...]
    rows: tuple[Row, ...] = ()
    failures: tuple[Failure, ...] = ()
    stale: tuple[StaleRead, ...] = ()
    seconds: float = 0.0
    unattributed: tuple[Stage, ...] = ()
    complete: bool = True
