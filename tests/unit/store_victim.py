"""Records without pause until it is killed. Arguments: the run's folder. Says "ready" after the first batch.

Each batch brings one function, one specialization and three rows, so that a reader can tell a half batch.
"""

import sys
from pathlib import Path

import msgspec
import store_samples as samples

from whyjit.store.writer import Writer

writer = Writer.create(Path(sys.argv[1]), samples.environment())
number = 0
while True:
    number += 1
    function = msgspec.structs.replace(samples.STEP, id=number)
    rows = tuple(samples.row(3 * number + part, function=number) for part in range(3))
    specializations = (samples.specialization(1, function=number, leaves=50),)
    writer.write(samples.batch(functions=(function,), specializations=specializations, rows=rows))
    print(number, flush=True)
