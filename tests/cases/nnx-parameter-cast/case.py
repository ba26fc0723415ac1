
import jax, jax.numpy as jnp
from flax import nnx
class Net(nnx.Module):
    def __init__(self, rngs): self.inner = nnx.Linear(2, 2, use_bias=False, rngs=rngs)
@nnx.jit
def apply(net, x): return net.inner(x)
net = Net(nnx.Rngs(0))
apply(net, jnp.ones((1, 2)))
net.inner.kernel = nnx.Param(net.inner.kernel[...].astype(jnp.bfloat16))
apply(net, jnp.ones((1, 2)))
