"""A controlled experiment on one function: the call it starts from, arms that change one factor each, what came out.

Kinds of factors are those of causes (`shape`, `dtype`, `weak_type`, `static`, `static_identity`, `structure`,
`call_form`), and `control`
(nothing changes), `values` (only array contents do), `transform` (the call under vmap or grad) and `given` (a value
that somebody named for an argument).
"""

from __future__ import annotations

from typing import Literal

import msgspec

from whyjit.model.failure import Failure
from whyjit.model.finding import Delta
from whyjit.model.program import Constant, Program
from whyjit.model.signature import Signature

VerdictWord = Literal[
    "decides the program",
    "retraces but decides nothing",
    "only a literal",
    "only sizes",
    "only types",
    "ignored",
    "not allowed",
    "unknown",
]

# What an arm does to the call. Paths are leaf paths; names are those of parameters.


class Repeat(msgspec.Struct, frozen=True, tag=True):
    """Make the same call again."""


class Remake(msgspec.Struct, frozen=True, tag=True):
    """Make the same call again with arguments that are made anew: equal, but other objects."""


class NewValues(msgspec.Struct, frozen=True, tag=True):
    """Other contents in every array; Python numbers stay, since a wrapper may take them as configuration."""


class Resize(msgspec.Struct, frozen=True, tag=True):
    """Give each of these axes (leaf path, axis) the size `size`."""

    axes: tuple[tuple[str, int], ...]
    size: int


def axes_text(axes: tuple[tuple[str, int], ...]) -> str:
    """Axes as a program would write their sizes: `x.shape[0], y.shape[1]`."""
    return ", ".join(f"{path}.shape[{axis}]" for path, axis in axes)


class Cast(msgspec.Struct, frozen=True, tag=True):
    """Give a leaf another element type or another weak type."""

    path: str
    dtype: str
    weak_type: bool


class Give(msgspec.Struct, frozen=True, tag=True):
    """Give a parameter another value.

    `source` says how `text` becomes a value in the process of the arm: an "expression", a "literal" of Python, the name
    of a "member" of an enum, the place of a "choice" in the parameter's `Literal[...]`, the place of a "kept" value
    among those that came with the call, or an array of the "annotation"'s shape.
    """

    name: str
    source: Literal["expression", "literal", "member", "choice", "kept", "annotation"]
    text: str


class LeaveOut(msgspec.Struct, frozen=True, tag=True):
    """Leave a parameter to its default."""

    name: str


class SpellOut(msgspec.Struct, frozen=True, tag=True):
    """Give a parameter its default by name."""

    name: str


class ByKeyword(msgspec.Struct, frozen=True, tag=True):
    """Pass the positional parameter `name`, and those after it, by name."""

    name: str


class ByPosition(msgspec.Struct, frozen=True, tag=True):
    """Pass the parameter `name` by position."""

    name: str


class Under(msgspec.Struct, frozen=True, tag=True):
    """Make the call under a transformation."""

    transform: Literal["vmap", "grad"]


Move = Repeat | Remake | NewValues | Resize | Cast | Give | LeaveOut | SpellOut | ByKeyword | ByPosition | Under


class Other(msgspec.Struct, frozen=True):
    """Another value that a parameter could have. `guess` marks one that nothing but its type speaks for."""

    move: Give
    text: str
    guess: bool = False


class Parameter(msgspec.Struct, frozen=True):
    """A parameter of the function in the call: how it was given, and what else it could be.

    `form` is "positional", "keyword" or "default"; `keyword` and `position` say whether it could be passed so.
    `default` and `text` are values as text, `default` None where there is none. `optional` says that None is allowed.
    """

    name: str
    form: str
    static: bool
    text: str
    default: str | None = None
    keyword: bool = True
    position: bool = True
    optional: bool = False
    is_none: bool = False
    others: tuple[Other, ...] = ()


class Described(msgspec.Struct, frozen=True):
    """A function with one call of it, as the plan of an experiment needs it.

    `kind` is "jitted", "wrapped" (by something that is not `jax.jit` but can be lowered) or "plain" (whyjit jits it,
    with the parameters `made_static` as static).
    """

    function: str
    file: str
    line: int
    kind: Literal["jitted", "wrapped", "plain"]
    signature: Signature
    parameters: tuple[Parameter, ...]
    made_static: tuple[str, ...] = ()
    x64: bool = False


class Factor(msgspec.Struct, frozen=True):
    """What an arm changes, in words. `path` is None where the whole call is meant."""

    kind: str
    path: str | None
    old: str
    new: str
    guess: bool = False


class Arm(msgspec.Struct, frozen=True):
    """One arm: a factor, and the move that changes it."""

    factor: Factor
    move: Move


class ArmError(msgspec.Struct, frozen=True):
    """Why an arm failed: the exception's class and message in one line, and the explanation where there is one.

    `error` is "" where the arm's process had no chance to say: it was killed, or ended by itself.
    """

    error: str
    text: str
    file: str = ""
    line: int = 0
    failure: Failure | None = None

    @property
    def message(self) -> str:
        """It in one line: the explanation where there is one for a line of the program, else the exception."""
        if self.failure is not None and self.failure.text and self.failure.file:
            return f"{self.failure.code}: {self.failure.text}"
        return f"{self.error}: {self.text}" if self.error else self.text


class Result(msgspec.Struct, frozen=True):
    """What an arm showed, the changed call against the call it started from, in one process.

    `traced`: the Python body was run again; None where the arm's process did not get so far. `compiled` is None where
    it was not asked for. `delta` compares the programs; `equations` is the size of the new one, `added` and `removed`
    the equations by operation that only one of them has. `seconds` is the time of the changed call.
    """

    factor: Factor
    traced: bool | None
    compiled: bool | None = None
    delta: Delta | None = None
    note: str = ""
    equations: int | None = None
    added: int | None = None
    removed: int | None = None
    error: ArmError | None = None
    seconds: float = 0.0


class Verdict(msgspec.Struct, frozen=True):
    """What a factor does, from its arms. `why` names the reason where the word asks for one."""

    kind: str
    path: str | None
    verdict: VerdictWord
    why: str = ""


class SizesPlan(msgspec.Struct, frozen=True):
    """The axes (leaf path, axis) that get the same size together, and the sizes to try, the call's own `base` first."""

    axes: tuple[tuple[str, int], ...]
    base: int
    sizes: tuple[int, ...]


class Sizes(msgspec.Struct, frozen=True):
    """Whether an axis's size decides the program.

    `tried` are the sizes at which the function was traced, `same` those whose program is that of the call's own size
    `base` but for sizes (and the literals that may follow from them), `different` those with another program, `failed`
    those that failed, with the reason. `export` is None where `jax.export` with a symbolic size was not tried, "" where
    it worked, else the reason why not. `note` says where literals differ.
    """

    path: str
    base: int
    tried: tuple[int, ...]
    same: tuple[int, ...]
    different: tuple[int, ...]
    failed: tuple[tuple[int, str], ...] = ()
    export: str | None = None
    note: str = ""


class Probe(msgspec.Struct, frozen=True):
    """A whole experiment. `left_out` says what was not tried, and why."""

    function: str
    file: str
    line: int
    kind: str
    call: tuple[tuple[str, str], ...]
    results: tuple[Result, ...]
    verdicts: tuple[Verdict, ...]
    sizes: tuple[Sizes, ...] = ()
    left_out: tuple[str, ...] = ()
    made_static: tuple[str, ...] = ()
    seconds: float = 0.0


class Staged(msgspec.Struct, frozen=True):
    """A program that was staged in a process apart, with the arrays that it closes over."""

    program: Program | None
    constants: tuple[Constant, ...]
    error: ArmError | None = None
