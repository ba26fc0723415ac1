"""`whyjit report` in the formats of other tools, on a run of two processes made by hand."""

import json
import subprocess
import sys

import pytest
import store_samples as samples

from whyjit import cli
from whyjit.store import runs
from whyjit.store.writer import Writer


@pytest.fixture
def run(tmp_path):
    folder = runs.create_run(tmp_path / "runs", "train")
    for pid in (10, 11):
        environment = samples.environment(pid=pid, argv=("train.py",))
        writer = Writer.create(folder, environment, parent=0 if pid == 10 else 10)
        specializations = tuple(samples.specialization(number) for number in range(1, 4))
        batch = samples.batch(functions=(samples.STEP,), specializations=specializations, final=True)
        writer.write(batch.__class__(environment, *[getattr(batch, name) for name in batch.__struct_fields__[1:]]))
        writer.close()
    return folder


def call(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        cli.main(["report", *map(str, arguments)])
    return (ended.value.code, *capsys.readouterr())


def test_sarif_is_printed_or_written(run, tmp_path, capsys):
    status, printed, err = call(capsys, run, "--format", "sarif")
    assert (status, err) == (0, "")
    log = json.loads(printed)
    (rule,) = log["runs"][0]["tool"]["driver"]["rules"]
    assert rule["id"] == "shape-churn"
    assert "## shape-churn" in rule["help"]["markdown"]
    assert call(capsys, run, "--format", "sarif", "-o", tmp_path / "log.sarif") == (0, "", "")
    assert (tmp_path / "log.sarif").read_text() == printed


def test_a_trace_holds_all_processes(run, tmp_path, capsys):
    pytest.importorskip("perfetto")
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

    assert call(capsys, run, "--format", "perfetto", "-o", tmp_path / "run.pftrace") == (0, "", "")
    written = (tmp_path / "run.pftrace").read_bytes()
    trace = Trace()
    trace.ParseFromString(written)
    assert {packet.track_descriptor.process.pid for packet in trace.packet} - {0} == {10, 11}
    command = [sys.executable, "-m", "whyjit", "report", str(run), "--format", "perfetto"]
    piped = subprocess.run(command, capture_output=True, check=True)
    assert (piped.stdout, piped.stderr) == (written, b"")


def test_without_perfettos_package_it_is_said_what_to_install(run, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "perfetto.trace_builder.proto_builder", None)
    status, out, err = call(capsys, run, "--format", "perfetto")
    assert (status, out) == (2, "")
    assert err == (
        "whyjit: the format perfetto needs the package of that name; install it with: pip install 'whyjit[perfetto]'\n"
    )


def test_the_page_reads_the_rows_once_however_many_functions_there_are(run, monkeypatch, capsys):
    from whyjit.store import contents

    read = []
    ledger = contents.ledger
    monkeypatch.setattr(contents, "ledger", lambda path: read.append(path) or ledger(path))
    monkeypatch.setattr(contents, "rows", lambda *_: pytest.fail("a scan for one function"))
    status, out, _ = call(capsys, run, "--format", "html")
    assert status == 0
    assert "<!DOCTYPE html>" in out
    assert read == [runs.files(run)[0]]
