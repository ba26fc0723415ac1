"""Live tests observe a real JAX; where it is not installed they are skipped as a whole."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("JAX_PLATFORMS", "cpu")

jax = pytest.importorskip("jax")


def pytest_collection_modifyitems(items):
    for item in items:
        if "live" in item.path.parts:
            item.add_marker(pytest.mark.live)


@pytest.fixture(autouse=True)
def fresh_caches():
    """No test sees what another has compiled."""
    jax.clear_caches()
