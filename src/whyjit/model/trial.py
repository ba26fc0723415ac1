"""What was found when static arguments of a function were made ordinary ones, in a process of its own."""

from __future__ import annotations

from typing import Literal

import msgspec

Sameness = Literal["equal", "constants", "different", "not compared"]


class Point(msgspec.Struct, frozen=True):
    """One recorded call: how the program with an argument in the value's place compares with the one that had it.

    `old` and `new` are the first constants that differ, as text; `overflow` says that the value fits no argument.
    `only_old` and `only_new` are primitives that only one of the programs has. `unused` tells that the program with an
    argument does not use it.
    """

    value: str
    sameness: Sameness = "not compared"
    old: str = ""
    new: str = ""
    whole: bool = False
    overflow: bool = False
    types: str = ""
    only_old: tuple[str, ...] = ()
    only_new: tuple[str, ...] = ()
    opaque: tuple[str, ...] = ()
    unused: bool = False


class Refusal(msgspec.Struct, frozen=True):
    """What a function does when the value becomes an argument and Python needs it: the error, and the expression."""

    error: str
    message: str
    expression: str = ""
    line: int = 0


class Trial(msgspec.Struct, frozen=True):
    """The outcome of one trial.

    `failed` says why the original could not be run. `programs` compares the programs of the recorded values with each
    other. `traced` tells for each call, replayed in order, whether the changed function was traced; `traces` counts the
    original's. `outputs` and `gradients` say what differs; "none" means there is no gradient to take, "not run" that
    nothing was. `fixed_traces` counts the traces if the value were the same in all calls. `seconds` are those of one
    call before and after, 0 where not measured. `functions` counts the function objects that were tried, each by
    itself.
    """

    failed: str = ""
    unstable: str = ""
    effects: str = ""
    surroundings: tuple[str, ...] = ()
    programs: Sameness = "not compared"
    refusal: Refusal | None = None
    points: tuple[Point, ...] = ()
    traces: int = 0
    traced: tuple[bool, ...] = ()
    fixed_traces: int = 0
    outputs: str = "not run"
    gradients: str = "not run"
    compared: int = 0
    seconds: tuple[float, float] = (0.0, 0.0)
    functions: int = 1


class Request(msgspec.Struct, frozen=True):
    """A trial to be made.

    `names` lose their place among the `statics`; `runs` calls are run by both versions; it should take `seconds`.
    """

    names: tuple[str, ...]
    statics: tuple[str, ...]
    runs: int = 6
    seconds: float = 60.0
