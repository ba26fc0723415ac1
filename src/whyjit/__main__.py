"""`python -m whyjit` is the command `whyjit`."""

import sys

if not sys.flags.safe_path:
    # `-m` puts the working directory first, and a `json.py` or `click.py` of the user's there is not meant for whyjit.
    del sys.path[0]

from whyjit.cli import main

main()
