"""The runs before a run are read where a compile was looked for on disk and not found, and only there."""

import msgspec
from analyse_builders import leaf, program, spec

from whyjit.analyse.explain import explain
from whyjit.model.batch import Batch
from whyjit.model.disk import Disk
from whyjit.model.recording import Environment, Function, Stage
from whyjit.store import contents, reader
from whyjit.store.earlier import earlier_recordings
from whyjit.store.writer import Writer

ENVIRONMENT = Environment("3.11", "0.10.2", "0.10.2", "cpu", pid=7)


def stored(run, outcome, **parts):
    """A run with one compile, which did this with the persistent cache; its recording."""
    run.mkdir(parents=True)
    disk = Disk("", tuple({"computation": "p", "XLA flags": "", **parts}.items()), outcome, "", "cache")
    stage = Stage("cache_load" if outcome == "found" else "compile", 0.5, 0.25, 0.25, disk=disk)
    function = Function(1, "step", "step", "train.py", 3, "user")
    made = spec(1, leaf("x", 3), stages=(stage,), fingerprint=program("p"))
    writer = Writer.create(run, ENVIRONMENT)
    writer.write(Batch(ENVIRONMENT, (function,), (made,), seconds=1.0, final=True))
    writer.close()
    return contents.load(reader.main_file(run))


def test_a_compile_that_an_earlier_run_kept_under_another_key(tmp_path):
    stored(tmp_path / "2026-01-01T10-00-00-train", "written")
    later = tmp_path / "2026-01-01T11-00-00-train"
    recording = stored(later, "written", **{"XLA flags": "--xla_a=1"})
    stored(tmp_path / "2026-01-01T12-00-00-train", "written", **{"XLA flags": "--xla_later=1"})
    before = earlier_recordings(later, recording)
    assert len(before) == 1
    (finding,) = explain(recording, before).functions[0].findings
    assert finding.code == "persistent-cache-miss"
    assert "the XLA flags were none and are `--xla_a=1`" in finding.text
    assert explain(recording).functions[0].findings == ()


def test_nothing_is_read_where_everything_was_found(tmp_path):
    stored(tmp_path / "2026-01-01T10-00-00-train", "written")
    later = tmp_path / "2026-01-01T11-00-00-train"
    assert earlier_recordings(later, stored(later, "found")) == []


def test_an_earlier_run_that_cannot_be_read_is_left_out(tmp_path):
    broken = tmp_path / "2026-01-01T10-00-00-train"
    broken.mkdir()
    (broken / "1-1.whyjit").write_bytes(b"not one")
    later = tmp_path / "2026-01-01T11-00-00-train"
    assert earlier_recordings(later, stored(later, "written")) == []


def test_a_recording_of_before_has_no_disk_in_its_stages():
    body = {"kind": "compile", "start": 0.0, "seconds": 1.0}
    assert msgspec.convert(body, Stage).disk is None
