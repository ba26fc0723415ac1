"""Each mode on two lengths, each twice with other values, and a mode that there is not."""

import jax.numpy as jnp
import numpy as np

NAMES = ["reduce"]
REFERENCES = {"sum": jnp.sum, "mean": jnp.mean, "max": jnp.max}


def trial(answer, checks):
    for length in (4, 7):
        for mode, reference in REFERENCES.items():
            for seed in (0, 1):
                x = np.random.default_rng(seed).normal(size=length).astype(np.float32)
                wanted = np.asarray(reference(x))
                what = f"reduce(x, mode={mode!r}) for x of length {length}, values {seed + 1}"
                checks.equal(what, lambda: answer.reduce(jnp.asarray(x), mode=mode), wanted, group=f"{mode} {length}")
    checks.raises("reduce(x, mode='median')", lambda: answer.reduce(jnp.ones(4), mode="median"), ValueError)
