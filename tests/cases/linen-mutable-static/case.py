import jax, jax.numpy as jnp
import flax.linen as nn

class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        x = nn.Dense(4)(x)
        return nn.BatchNorm(use_running_average=not train)(x)

net = Net()
v = net.init(jax.random.key(0), jnp.ones((2, 3)), train=False)
apply = jax.jit(net.apply, static_argnames=("train", "mutable"))
for _ in range(15):
    apply(v, jnp.ones((2, 3)), train=True, mutable=("batch_stats",))
for _ in range(15):
    apply(v, jnp.ones((2, 3)), train=False)
