
import equinox as eqx, jax.numpy as jnp
class Net(eqx.Module):
    w: object
    scale: float = 2.0
    @eqx.filter_jit
    def apply(self, x): return self.w * x * self.scale
net = Net(jnp.ones(3))
for _ in range(12): net.apply(jnp.ones(3))
