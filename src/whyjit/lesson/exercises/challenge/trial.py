"""Two lengths, two shifts, and each of the four once more."""

NAMES = ["sum_of_squares", "PREDICTED_TRACES"]
WANTED = {(3, 0): 5.0, (3, 1): 14.0, (5, 0): 30.0, (5, 1): 55.0}


def trial(answer, checks):
    for turn in ("first", "second"):
        for (length, shift), wanted in WANTED.items():
            what = f"sum_of_squares({length}, {shift}), {turn} time"
            checks.equal(what, lambda: answer.sum_of_squares(length, shift), wanted, group=f"shift of {length}")
    checks.note("PREDICTED_TRACES", isinstance(answer.PREDICTED_TRACES, int), answer.PREDICTED_TRACES)
