"""NUTS in blackjax: the kernel is built and jitted anew for each chain, over a log density that closes over data."""

import blackjax
import jax
import jax.numpy as jnp

data = jnp.linspace(-1, 1, 16)


def logdensity(position):
    return -0.5 * jnp.sum((data - position["mean"]) ** 2) - 0.5 * position["mean"] ** 2


traced = []


def run_chain(key, step_size):
    sampler = blackjax.nuts(logdensity, step_size=step_size, inverse_mass_matrix=jnp.ones(1))
    state = sampler.init({"mean": 0.0})
    step = jax.jit(sampler.step)  # a function object of its own for each chain
    for one in jax.random.split(key, 5):
        state, _ = step(one, state)
        traced.append(step._cache_size())
    return state


for chain in range(3):
    state = run_chain(jax.random.key(chain), 0.1)
print("entries", *traced[4::5])
