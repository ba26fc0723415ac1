import jax

# says: line 4 raises NameError when it is loaded
magnitude = jax.jit(absolute)
