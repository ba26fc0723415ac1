import jax

# says: write your prediction
PREDICTED_TRACES = True


@jax.jit
def sum_of_squares(length, shift):
    n = length - 1
    return n * (n + 1) * (2 * n + 1) / 6 + shift * n * (n + 1) + length * shift**2
