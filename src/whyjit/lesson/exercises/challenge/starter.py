"""Challenge: a sum of squares, and a prediction.

`sum_of_squares(length, shift)` is shift^2 + (1 + shift)^2 + ... + (length - 1 + shift)^2, computed by a jitted
function. It will be called with the lengths 3 and 5, each with the shifts 0 and 1, and then with all four once
more.

Decide which of the two is configuration and which is data. Before you run anything, write down how many traces the
eight calls will take.
"""

import jax
import jax.numpy as jnp

PREDICTED_TRACES = None  # your number


def sum_of_squares(length, shift): ...
