import jax
def power(x, n): return jax.lax.fori_loop(0, n, lambda i, v: v * x, 1.0)
for x in (1.0, 2.0, 3.0): power(x, 4)
