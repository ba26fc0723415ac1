"""Two lengths, two shifts, and each of the four once more."""

import numpy as np

NAMES = ["sum_of_squares", "PREDICTED_TRACES"]
WANTED = {(3, 0): 5.0, (3, 1): 14.0, (5, 0): 30.0, (5, 1): 55.0}


def trial(answer, checks):
    for turn in ("first", "second"):
        for (length, shift), wanted in WANTED.items():
            what = f"sum_of_squares({length}, {shift}), {turn} time"
            checks.equal(what, lambda: answer.sum_of_squares(length, shift), wanted, group=f"shift of {length}")
    told = answer.PREDICTED_TRACES
    checks.note("PREDICTED_TRACES", isinstance(told, (int, np.integer)) and not isinstance(told, bool), told)
