"""How a program is written that fails while it is traced."""

from __future__ import annotations

import textwrap

from advice_suite.case import Case, Expected

X = "jnp.array([1.0, -2.0, 3.0])"
TWO = (f"f({X}, 1.0)", f"f({X}, 5.0)")


def failing(
    name: str,
    kind: str,
    body: str,
    expected: Expected,
    because: str = "",
    calls: tuple[str, ...] = TWO,
    head: str = "def f(x, t):",
    before: str = "",
    *,
    jit: str = "@jax.jit",
    wrong: bool = False,
) -> Case:
    """A jitted function `f` with a body; `before` stands above it."""
    source = f"{before}\n{jit}\n{head}\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"
    return Case(name, kind, source, calls, expected, because, wrong=wrong)
