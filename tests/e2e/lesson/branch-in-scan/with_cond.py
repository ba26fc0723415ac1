import jax


# says: the ledger shows 2 traces
# passes
@jax.jit
def water_level(rain):
    def step(level, amount):
        return jax.lax.cond(level < 1.0, lambda: level + amount, lambda: 0.5 * level), None

    return jax.lax.scan(step, 0.0, rain)[0]
