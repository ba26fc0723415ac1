"""What each input of a staged function is: a runtime value, metadata, or static configuration."""

from __future__ import annotations

from typing import Literal

import msgspec

from whyjit.model.finding import Delta
from whyjit.model.program import Constant

# "decision": a Python branch or loop; "shape": the size of an array; "python": a Python number or a NumPy function.
Reach = Literal["nothing", "decision", "shape", "python", "unknown"]


class RuntimeValue(msgspec.Struct, frozen=True):
    """An array leaf: its contents are data of the program, its type is metadata.

    `used` tells whether the program's results or effects depend on its contents, None where that is not known.
    `reaches` says where its contents were asked for while tracing, which fails; `why` where, or why that is not known.
    """

    path: str
    type: str
    used: bool | None
    reaches: Reach
    why: str = ""


class Metadata(msgspec.Struct, frozen=True):
    """A container among the arguments: its class and keys decide the program, as the types of arrays do."""

    path: str
    text: str


class RoleLine(msgspec.Struct, frozen=True):
    """A source line whose operations depend on a static: `sign` as in `analyse.touched`."""

    sign: str
    file: str
    line: int
    source: str
    operations: tuple[str, ...]


class StaticRole(msgspec.Struct, frozen=True):
    """A static: its value decides the program, if anything in it depends on it.

    `tried` is the other value it was compared with, "" where there was none; `delta` what differs then, `lines` where.
    `why` says why that is not known, or adds to it. `guess` marks a value that nothing but its type speaks for.
    """

    path: str
    value: str
    tried: str = ""
    delta: Delta | None = None
    lines: tuple[RoleLine, ...] = ()
    why: str = ""
    guess: bool = False


class Roles(msgspec.Struct, frozen=True):
    """The roles of every input of one call. `error` is why it could not be traced, "" if it could.

    `source` says where this comes from: "staged" on purpose in a process apart, or "recorded".
    """

    function: str
    file: str
    line: int
    source: Literal["staged", "recorded"]
    values: tuple[RuntimeValue, ...]
    metadata: tuple[Metadata, ...]
    statics: tuple[StaticRole, ...]
    constants: tuple[Constant, ...] = ()
    error: str = ""
    notes: tuple[str, ...] = ()
