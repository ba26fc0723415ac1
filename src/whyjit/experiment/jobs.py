"""What the processes of an experiment are told: the function, where its arguments come from, and what to change."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from whyjit.model.probe import Move, SizesPlan
from whyjit.model.signature import Signature


class Target(msgspec.Struct, frozen=True):
    """Where a function is found: by `name` (dotted inside) in the file or the module `place`, or in the kept values.

    `main` marks the file that was started as a program: kept values may be of classes of its `__main__`. Relative
    places are meant from `directory`. `file` and `line` are the source of a kept function.
    """

    kind: Literal["file", "module", "kept"]
    place: str
    name: str
    main: bool = False
    directory: str = ""
    file: str = ""
    line: int = 0


class Source(msgspec.Struct, frozen=True):
    """Where the arguments come from.

    An "expression" for `(args, kwargs)`, the function's "annotations", a "recorded" call's signature, or values "kept"
    from a live call.
    """

    kind: Literal["expression", "annotations", "recorded", "kept"]
    expression: str = ""
    signature: Signature | None = None


class Job(msgspec.Struct, frozen=True):
    """A function and a call of it, as every process of one experiment needs them.

    `static` are parameters to be made static where whyjit jits a plain function. `vary` are expressions by parameter;
    `recorded` are texts of static values by parameter, from a recording. `kept` holds pickled values, `settings` those
    of JAX that are to be in force.
    """

    target: Target
    source: Source
    static: tuple[str, ...] = ()
    vary: tuple[tuple[str, str], ...] = ()
    recorded: tuple[tuple[str, str], ...] = ()
    kept: bytes = b""
    settings: dict[str, Any] = {}
    compile: bool = False


class ArmJob(msgspec.Struct, frozen=True):
    """One arm of an experiment."""

    job: Job
    move: Move


class SizesJob(msgspec.Struct, frozen=True):
    """One axis, or several that go together, at several sizes."""

    job: Job
    plan: SizesPlan


class Refused(msgspec.Struct, frozen=True, tag=True):
    """An answer that says what is wrong with the job itself, for the person who gave it."""

    message: str


class Answered(msgspec.Struct, frozen=True, tag=True):
    """An answer: what it holds depends on the task."""

    content: msgspec.Raw
