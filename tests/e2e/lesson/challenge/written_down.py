import jax

# says: it does not depend on the values
PREDICTED_TRACES = 1


@jax.jit
def five(shift):
    return 0 * shift + 5.0


def sum_of_squares(length, shift):
    return five(shift)
