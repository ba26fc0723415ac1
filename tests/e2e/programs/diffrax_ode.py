"""An ODE solved in a loop with diffrax: the end time is a Python float, and the rate is an array at times."""

import diffrax
import jax.numpy as jnp

traced = []


def decay(_t, y, rate):
    traced.append(type(rate).__name__)
    return -rate * y


for end, rate in ((1.0, 0.5), (2.0, 0.5), (3.0, jnp.array(0.5)), (4.0, jnp.array(0.25))):
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(decay), diffrax.Tsit5(), t0=0.0, t1=end, dt0=0.1, y0=jnp.ones(3), args=rate
    )
print("rates", *sorted(set(traced)))
