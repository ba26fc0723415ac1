"""What one program of the suite is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# "PROVEN" and "TESTED" are levels of evidence. "REFUSED" and "REJECTED" are suggestions with the reason in them: not
# tried, because the source or the recording rules it out, or tried and found to be wrong. "NONE" means no advice.
Expected = Literal["PROVEN", "TESTED", "REFUSED", "REJECTED", "NONE"]

HEADER = "import functools, math\nimport jax, jax.numpy as jnp\nimport numpy as np\nfrom jax import lax\n"


@dataclass(frozen=True)
class Case:
    """A small module, calls of one of its functions, and the advice that is due.

    Arguments:
      name: what the case shows, in a few words; unique in its kind.
      kind: the kind of advice (`whyjit.model.advice.AdviceKind`) that the case is about.
      source: the module's source after `HEADER`.
      calls: calls as source, each an expression run in order after the module: "f(x, s=0.5)".
      expected: what is to become of it.
      because: words that the advice's reason must hold.
      function: the function the advice must name.
      path: the argument that it must name; "" where it names none, or where it does not matter.
      wrong: the change would alter what the program does on some call: accepting it is the fault that counts.
    """

    name: str
    kind: str
    source: str
    calls: tuple[str, ...]
    expected: Expected
    because: str = ""
    function: str = "f"
    path: str = ""
    wrong: bool = False

    @property
    def text(self) -> str:
        """The whole module, without its calls."""
        return HEADER + self.source
