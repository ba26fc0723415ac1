"""Guards within a program: `whyjit.frozen()` and `whyjit.expect()`."""
