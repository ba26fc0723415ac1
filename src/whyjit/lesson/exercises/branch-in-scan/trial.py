"""Sequences of one length with other values, another length, and the gradient."""

import jax
import jax.numpy as jnp
import numpy as np

NAMES = ["water_level"]


def reference(rain):
    level = 0.0
    for amount in rain:
        level = level + amount if level < 1.0 else 0.5 * level
    return np.float32(level)


def trial(answer, checks):
    for number, seed in enumerate((0, 1, 2), 1):
        rain = np.random.default_rng(seed).uniform(0.0, 0.7, size=8).astype(np.float32)
        wanted = reference(rain)
        checks.equal(
            f"water_level(rain), sequence {number}", lambda: answer.water_level(jnp.asarray(rain)), wanted, "8"
        )
    rain = np.linspace(0.1, 0.9, 40, dtype=np.float32)
    checks.equal("water_level(rain), 40 values", lambda: answer.water_level(jnp.asarray(rain)), reference(rain), "40")
    rain = np.array([0.3, 0.4], np.float32)
    checks.equal("its gradient", lambda: jax.grad(answer.water_level)(jnp.asarray(rain)), np.ones(2, np.float32))
    checks.program(answer.water_level, jnp.asarray(rain))
