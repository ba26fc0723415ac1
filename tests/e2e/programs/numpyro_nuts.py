"""A regression sampled by NUTS in numpyro, on data sets of several sizes."""

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS


def regression(x, y=None):
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
    noise = numpyro.sample("noise", dist.Exponential(1.0))
    numpyro.sample("y", dist.Normal(slope * x, noise), obs=y)


for size in (20, 21):
    x = jnp.linspace(0, 1, size)
    sampler = MCMC(NUTS(regression), num_warmup=5, num_samples=5, progress_bar=False)
    sampler.run(jax.random.key(size), x, 2 * x)
print("samples", *sampler.get_samples()["slope"].shape)
