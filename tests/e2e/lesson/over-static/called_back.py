import jax
import jax.numpy as jnp
import numpy as np


# says: the gradient of step 1
def loss(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


def host(params, x, y, eta, epoch, power):
    x, y, w, b = (np.asarray(v) for v in (x, y, params["w"], params["b"]))
    r = x @ w + b - y
    gw, gb = 2 * x.T @ r / len(y), 2 * np.mean(r)
    if power == 2:
        gw, gb = gw * abs(gw), gb * abs(gb)
    s = eta / (1 + epoch)
    return {"b": np.float32(b - s * gb), "w": np.float32(w - s * gw)}


@jax.jit
def train_step(params, x, y, *, eta, epoch, power):
    return jax.pure_callback(host, params, params, x, y, eta, epoch, power)
