# says: the file defines no `magnitudes`
def magnitude(x):
    return x
