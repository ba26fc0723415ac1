import jax


# says: water_level(rain)
@jax.jit
def water_level(rain):
    level, _ = jax.lax.scan(lambda level, amount: (level + amount, None), 0.0, rain)
    return level
