# says: It was at line
def magnitudes(x):
    while True:
        pass
