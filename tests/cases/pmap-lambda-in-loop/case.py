import jax, numpy as np
for i in range(4):
    jax.pmap(lambda a: a * 2)(np.ones((1, 3), np.float32))
