import chex, jax, numpy as np

@jax.jit
@chex.assert_max_traces(n=2)
def evaluate(batch):
    return batch.mean()

data = np.ones((10, 2), np.float32)
for start in range(0, 10, 4):
    evaluate(data[start:start + 4])
