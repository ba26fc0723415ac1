"""What one process recorded: functions, specializations, ledger rows, and what could not be seen.

Times are seconds; moments are seconds since the recording began.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from whyjit.model.disk import Disk
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


class RunsOnce(msgspec.Struct, frozen=True, gc=False):
    """Something in a traced body that runs only while it is traced: `kind` says what it is, `text` how it is written.

    Kinds: "print", "log", "input", "file", "change" (of something outside), "random", "clock", "environment". It was
    found in the compiled code: that the trace reached it is not known.
    """

    kind: str
    text: str
    location: Location


class Function(msgspec.Struct, frozen=True):
    """A function group: all function objects that share one code object (and the same wrappers around it).

    `origin` is "user" for code outside installed packages, "library" for packages, "eager" for JAX's own operations
    called op by op, which are grouped by the user's line. `bodies` are the bodies of control flow called outside a jit,
    as JAX names them, and how often each was traced. `once` is what its body does only while it is traced.
    """

    id: int
    name: str
    qualname: str
    file: str
    line: int
    origin: Origin
    kind: str = "function"
    bodies: tuple[tuple[str, int], ...] = ()
    once: tuple[RunsOnce, ...] = ()


class Stage(msgspec.Struct, frozen=True, gc=False):
    """One piece of work that JAX really did. `own` is `seconds` without the traces of jitted functions inside it.

    `count` is above 1 only in files, where one stage may stand for several, with the mean of their times.
    A "cache_load" is an executable found in the persistent compilation cache instead of being compiled. `disk` is what
    that cache did for a compile or a load, where one is in use.
    """

    kind: StageKind
    start: float
    seconds: float
    own: float = 0.0
    thread: int = 0
    detail: str = ""
    disk: Disk | None = None
    count: int = 1


class Body(msgspec.Struct, frozen=True, gc=False):
    """A body that was staged inside a trace: of a scan, a loop, a branch, a custom rule, as JAX names the `purpose`.

    `count` is how often it was staged there, `seconds` how long that took, `own` that without what was traced inside.
    `parent` counts in the specialization's `bodies`: the body it was staged in; -1 is the function itself.
    """

    purpose: str
    name: str
    file: str
    line: int
    count: int
    seconds: float
    own: float
    parent: int = -1


class Sample(msgspec.Struct, frozen=True, gc=False):
    """Seconds of a slow trace that were spent with these lines of the user's code on the stack, outermost first."""

    seconds: float
    places: tuple[Location, ...]


class Unrolled(msgspec.Struct, frozen=True, gc=False):
    """A Python loop that the trace ran through: it wrote its equations into the program once for each round.

    `file`, `line` and `function` are where the loop stands. `equations` are all that came of it, `times` is how often
    the same code gave equations; where not all of it did so equally often, `even` is False and `times` the most usual.
    With `alike` each round gave the same operations on the same types, but for a tenth of them at most.
    """

    file: str
    line: int
    function: str
    times: int
    equations: int
    even: bool = True
    alike: bool = True


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
    tell whether the program made last for the same key was still there; "by PACKAGE's NAME" names the function of a
    library's that the user's line called, for an operation done inside it. `earlier` marks one that existed before the
    recording began. `operation` is the operation, where the function is a line that calls JAX op by op. `slow_path`
    names the effects that keep its calls off the fast path. `calls` are calls outside any trace, `nested_calls` calls
    inside one, `misses` those of the former that left the C++ fast path. `bodies` were staged while it was traced;
    `within` counts in those of its parent. "summed" among the notes marks the entry that stands for all those of its
    function that are not kept one by one; signature and call site are those of the first of them. `unrolled` are Python
    loops that its program was made by. `samples` tell where a slow trace stood, what was traced inside it included.
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
    bodies: tuple[Body, ...] = ()
    within: int = -1
    unrolled: tuple[Unrolled, ...] = ()
    samples: tuple[Sample, ...] = ()


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

    `path` is how the source reads it (`self.offset`, `SCALE`); `calls_since` counts calls seen after the change. With
    the `kind` "static" it is a static argument, another one that JAX takes for the same (`0.0` for `-0.0`), and
    `calls_since` counts calls seen with it.
    """

    function: int
    specialization: int
    path: str
    old: str
    new: str
    location: Location
    calls_since: int = 0
    kind: Literal["read", "static"] = "read"


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
