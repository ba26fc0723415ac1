import jax

# says: no program of JAX's has computed it
PREDICTED_TRACES = 1


@jax.jit
def same(x):
    return x


def sum_of_squares(length, shift):
    same(1.0)
    return sum((k + shift) ** 2 for k in range(length))
