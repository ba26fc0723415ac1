"""What was found when arguments of a function that failed were made static, in a process of its own."""

from __future__ import annotations

import msgspec


class ConcreteTrial(msgspec.Struct, frozen=True):
    """The outcome: `failed` says why nothing could be run, `outputs` and `gradients` what differs, as in `Trial`.

    `values` are the values tried, `unhashable` those that cannot be static; `traces` and `seconds` are those of the
    changed function on all calls, tracing and compiling included.
    """

    failed: str = ""
    values: tuple[str, ...] = ()
    unhashable: tuple[str, ...] = ()
    outputs: str = "not run"
    gradients: str = "not run"
    traces: int = 0
    seconds: float = 0.0
    compared: int = 0
