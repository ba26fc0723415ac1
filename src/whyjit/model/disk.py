"""What JAX's persistent compilation cache did for one compile."""

from __future__ import annotations

from typing import Literal

import msgspec

Outcome = Literal["found", "written", "unwritten"]


class Disk(msgspec.Struct, frozen=True, gc=False):
    """One look into the persistent compilation cache.

    `key` is the entry's name as JAX made it. `parts` are the components that the key was made of, by JAX's own names
    for them: as text where they are short text, else as a digest. `outcome` tells whether the entry was found, or else
    whether one was written; `reason` says why none was. `directory` is where the cache lies.
    """

    key: str
    parts: tuple[tuple[str, str], ...]
    outcome: Outcome
    reason: str = ""
    directory: str = ""
