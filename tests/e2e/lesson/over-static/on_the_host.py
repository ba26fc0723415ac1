import jax
import jax.numpy as jnp
import numpy as np


# says: the gradient of step 1
@jax.jit
def nothing(x):
    return x


def train_step(params, x, y, *, eta, epoch, power):
    nothing(x)
    x, y, w, b = (np.asarray(v) for v in (x, y, params["w"], params["b"]))
    r = x @ w + b - y
    gw, gb = 2 * x.T @ r / len(y), 2 * np.mean(r)
    if power == 2:
        gw, gb = gw * abs(gw), gb * abs(gb)
    s = eta / (1 + epoch)
    return {"b": jnp.asarray(b - s * gb), "w": jnp.asarray(w - s * gw)}
