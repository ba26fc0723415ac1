"""A very long run, made of events as JAX's hook and door would bring them, through the real ledger, window and writer.

    python long_run.py FOLDER CALLS SPECIALIZATIONS MAX_SPECIALIZATIONS MAX_ROWS

Prints as JSON: the calls, traces and compiles that were made; those that the stored recording has; the largest file
while it ran, in bytes; and the memory that Python held after the first half and at the end, in bytes.
"""

import gc
import itertools
import json
import sys
import tracemalloc
from pathlib import Path

from whyjit.model.bounds import Bounds
from whyjit.model.recording import Environment, Stage
from whyjit.model.signature import CallForm, Leaf, Signature
from whyjit.model.source import Location
from whyjit.observe.functions import Identity
from whyjit.observe.journal import Journal
from whyjit.observe.keys import remember
from whyjit.observe.ledger import JitState, Ledger
from whyjit.observe.window import Window
from whyjit.store.writer import Writer

SITES = (Location("serve.py", 7, "serve"), Location("serve.py", 9, "serve"))
FORM = CallForm((("x", "positional"),))
BATCHES = 50
ENVIRONMENT = Environment("3", "0", "0", "cpu", pid=1, started=1.0)


def signature(number):
    return Signature(FORM, (), (Leaf("x", (number,), "float32"),), ())


def specialize(journal, function, number):
    """A new specialization, as a visit at the door enters it."""
    spec = journal.ledger.add_spec(function, signature(number), SITES[0])
    spec.maker = function.maker(number)
    remember(function, spec)
    spec.stages.append(Stage("trace", journal.ledger.now(), 0.5, 0.5))
    spec.stages.append(Stage("compile", journal.ledger.now(), 0.25, 0.25))
    function.traces += 1
    function.compiles += 1
    spec.calls += 1
    spec.misses += 1
    journal.ledger.add_row(function, spec, "new", SITES[0], 1)
    return spec


def hits(ledger, function, jit, spec, count, site):
    """Calls on the fast path: the first as a row, the others counted by the hook's own addition."""
    ledger.add_row(function, spec, "hit", site, 1)
    spec.calls += 1
    spec.touched = True
    function.owner, jit.spec = jit, spec
    for _ in itertools.repeat(None, count - 1):
        jit.hits += 1


def run(folder, calls, specializations, bounds):
    ledger = Ledger(bounds)
    journal = Journal(ledger)
    windows = []
    window = Window(journal, [], lambda: windows, whole=False)
    windows.append(window)
    function = ledger.function(Identity(("serve",), "serve", "serve", "serve.py", 3, "user", "function"))
    jit = JitState(function)
    writer = Writer.create(folder, ENVIRONMENT, rows=bounds.rows)
    each = calls // specializations - 1  # the first call of a specialization is a miss
    split = (each // 2, each - each // 2)
    sizes, held = [], []
    tracemalloc.start()
    for number in range(1, specializations + 1):
        spec = specialize(journal, function, number)
        for site, count in zip(SITES, split, strict=True):
            hits(ledger, function, jit, spec, count, site)
        if number % (specializations // BATCHES) == 0 or number == specializations:
            writer.write(window.batch(ENVIRONMENT, final=number == specializations))
            sizes.append(sum(path.stat().st_size for path in folder.iterdir()))
        if number in (specializations // 2, specializations):
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    writer.close()
    return sizes, held, 1 + each


def main(folder, calls, specializations, most, rows):
    from whyjit.analyse.explain import explain
    from whyjit.store import reader

    sizes, held, per = run(Path(folder), calls, specializations, Bounds(most, rows))
    recording = reader.load(Path(folder))
    totals = explain(recording).totals
    print(json.dumps({
        "made": [specializations * per, specializations, specializations],
        "stored": [totals.calls, totals.traces, totals.compiles],
        "seconds": [0.5 * specializations, totals.trace_s, 0.25 * specializations, totals.compile_s],
        "entries": len(recording.specializations),
        "rows": sum(1 for _ in reader.rows(Path(folder), 1)),
        "gaps": [f"{gap.what}: {gap.reason}" for gap in recording.gaps],
        "largest": max(sizes),
        "held": held,
    }))  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
