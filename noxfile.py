"""The test suite with each supported JAX, and its first tier with none.

All sessions: `nox`. One of them: `nox -s jax-0.8.3`. What follows two dashes goes to pytest: `nox -- -k ledger`.
"""

from __future__ import annotations

from pathlib import Path

import nox

nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = True

CONSTRAINTS = Path(__file__).parent / "constraints.txt"

# Oldest, one between, and the two that constraints.txt names. To try another one, add a line.
JAX_MATRIX = {
    "0.6.2": "3.11",
    "0.8.3": "3.12",
    "0.10.2": "3.11",
    "0.12.0.1": "3.13",
}
PINNED = {"0.10.2", "0.12.0.1"}

# Packages whose release goes with JAX's; for an unpinned JAX pip chooses them. (equinox's goes with all of these.)
FOLLOW_JAX = {"chex", "flax", "jax", "jaxlib", "optax", "orbax-checkpoint"}

TEST_TOOLS = ("hypothesis", "jsonschema", "pytest", "pytest-xdist")


def constraints_for(session: nox.Session, jax: str | None) -> str:
    """The constraints file, or a copy without the lines that would force another JAX."""
    if jax is None or jax in PINNED:
        return str(CONSTRAINTS)
    kept = [line for line in CONSTRAINTS.read_text().splitlines() if line.split("==")[0] not in FOLLOW_JAX]
    copy = Path(session.virtualenv.location) / "constraints.txt"
    copy.write_text("\n".join(kept) + "\n")
    return str(copy)


def run_pytest(session: nox.Session, *selection: str) -> None:
    """Run the suite in three processes, with JAX on the CPU."""
    spread = ("-n", "3", "--dist", "worksteal")
    session.run("python", "-m", "pytest", *spread, *selection, *session.posargs, env={"JAX_PLATFORMS": "cpu"})


def add_session(jax: str, python: str) -> None:
    """Add the session that runs the whole suite; tests of libraries that this JAX cannot have skip themselves."""

    @nox.session(name=f"jax-{jax}", python=python)
    def with_jax(session: nox.Session) -> None:
        libraries = ("equinox", "scikit-learn")
        session.install("-c", constraints_for(session, jax), "-e", ".", f"jax=={jax}", *libraries, *TEST_TOOLS)
        run_pytest(session)


for jax_version, python_version in JAX_MATRIX.items():
    add_session(jax_version, python_version)


@nox.session(python="3.11")
def nojax(session: nox.Session) -> None:
    """Run the tests that need no JAX where there is none, as on a machine that only reads recordings."""
    session.install("-c", constraints_for(session, None), "-e", ".", *TEST_TOOLS)
    run_pytest(session, "-m", "not live and not e2e and not slow", "--ignore=tests/live", "--ignore=tests/e2e")
