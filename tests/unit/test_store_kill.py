"""A process killed at any moment leaves a readable recording with every batch it had finished."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from whyjit.store import reader, runs

VICTIM = Path(__file__).with_name("store_victim.py")


def check(run, batches):
    """Every batch is there whole, at least as many as the process has told of."""
    found = reader.load(run)
    assert not found.complete
    assert len(found.functions) == len(found.specializations) >= batches
    assert [spec.function for spec in found.specializations] == [function.id for function in found.functions]
    for function in (found.functions[0], found.functions[-1]):
        assert len(list(reader.rows(run, function.id))) == 3


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize("seed", range(8))
def test_sigkill_at_a_random_moment(tmp_path, seed):
    process = subprocess.Popen([sys.executable, VICTIM, tmp_path], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    time.sleep(random.Random(seed).uniform(0, 0.6))  # noqa: S311 - no secret
    os.kill(process.pid, signal.SIGKILL)
    said = process.stdout.read().split()
    process.wait()
    process.stdout.close()
    check(tmp_path, int(said[-1]) if said else 1)


def test_kill_before_the_first_batch_leaves_no_half_file(tmp_path):
    for delay in (0.02, 0.05, 0.08, 0.11, 0.14, 0.17):
        process = subprocess.Popen([sys.executable, VICTIM, tmp_path], stdout=subprocess.DEVNULL)
        time.sleep(delay)
        process.kill()
        process.wait()
    for path in runs.files(tmp_path):
        reader.load(path)


def test_a_recording_is_readable_while_it_is_written(tmp_path):
    process = subprocess.Popen([sys.executable, VICTIM, tmp_path], stdout=subprocess.PIPE, text=True)
    try:
        seen = 0
        for said in range(1, 16):
            assert int(process.stdout.readline()) == said
            found = len(reader.load(tmp_path).functions)
            assert found >= max(seen, said)
            seen = found
    finally:
        process.kill()
        process.communicate()
