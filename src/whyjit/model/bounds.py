"""How much of a run is kept one by one; what is beyond is counted, and a gap says so."""

from __future__ import annotations

from typing import NamedTuple


class Bounds(NamedTuple):
    """The limits of a recording of one process.

    `specializations` are kept one by one, half of them at most for one function; each function has at least its first.
    Those beyond are one entry of their function, with the sum of their calls, stages and seconds; so are functions
    beyond as many. `rows` are kept of the ledger in a file: the first tenth of them, and the newest.
    """

    specializations: int = 20_000
    rows: int = 2_000_000


USUAL = Bounds()
