"""Several processes as one run: their counts, and the first program in which one parts from the first."""

import dataclasses
import json

import jsonschema
import msgspec
import pytest
from analyse_builders import leaf, program, spec, static

from whyjit.analyse.explain import explain
from whyjit.analyse.findings import process_divergence
from whyjit.analyse.processes import together
from whyjit.cli import formats
from whyjit.model.batch import Batch
from whyjit.model.recording import Environment, Function, Recording, Stage
from whyjit.model.source import Location
from whyjit.present import compose, html, terminal
from whyjit.present.compose.processes import processes
from whyjit.present.json import report_dict
from whyjit.present.json import schema as report_schema
from whyjit.present.processes_json import processes_dict, schema
from whyjit.store import reader
from whyjit.store.many import Recordings
from whyjit.store.writer import Writer
from whyjit.whole_runs import beside, whole_run

ACROSS = {"sharding": "P('data') on mesh (data: 2) of devices 0, 1 across processes", "committed": True}


@dataclasses.dataclass
class Call:
    """One program that a process staged: of which function, called where, with what."""

    name: str = "step"
    line: int = 7
    size: int = 8
    rate: float | None = None
    program: str = "p"
    across: bool = True


def process(index, *calls, origin="user", pid=0):
    """The recording of a process that made these calls in this order."""
    names = list(dict.fromkeys(call.name for call in calls))
    functions = tuple(Function(at, name, name, "/job/train.py", 3, origin) for at, name in enumerate(names, 1))
    specs = []
    for at, call in enumerate(calls, 1):
        parts = [leaf("x", call.size, **(ACROSS if call.across else {}))]
        parts += [] if call.rate is None else [static("rate", call.rate)]
        stages = (Stage("trace", at, 0.1, 0.1), Stage("lower", at + 0.5, 0.1, 0.1))
        made = spec(at, *parts, fingerprint=program(call.program), stages=stages)
        site = Location("/job/train.py", call.line, "main")
        specs.append(msgspec.structs.replace(made, function=names.index(call.name) + 1, call_site=site))
    environment = Environment("3.11", "0.10.2", "0.10.2", "cpu", index, ("train.py",), "/job", pid or 100 + index)
    return Recording(environment, (), functions, tuple(specs), seconds=5.0)


def compiled(recording):
    """The recording, with a compile for each program."""
    specs = tuple(
        msgspec.structs.replace(each, stages=(*each.stages, Stage("compile", at, 0.2, 0.2)))
        for at, each in enumerate(recording.specializations)
    )
    return msgspec.structs.replace(recording, specializations=specs)


def said(*recordings):
    found = together(recordings).divergence
    return None if found is None else process_divergence.find(found).text


SAME = (Call(), Call("loss", 9))


def test_alike():
    assert together([process(0, *SAME), process(1, *SAME)]).divergence is None


def test_another_argument_is_named_with_both_values():
    text = said(process(0, Call(), Call(rate=0.5, program="a")), process(1, Call(), Call(rate=0.25, program="b")))
    assert text.startswith("process 1 parted from process 0 at number 2 of its programs on arrays across processes")
    assert "`step` from train.py:7 became another program (static `rate` changed from 0.5 to 0.25)" in text


def test_another_order_names_function_and_place_on_each_process():
    text = said(process(0, *SAME), process(1, *reversed(SAME)))
    assert "process 0 staged `step` from train.py:7, and process 1 staged `loss` from train.py:9" in text


def test_one_more_and_one_less():
    assert "process 1 staged `loss` from train.py:9, and process 0 staged nothing more" in said(
        process(0, Call()), process(1, *SAME)
    )
    assert "process 0 staged `loss` from train.py:9, and process 1 staged nothing more" in said(
        process(0, *SAME), process(1, Call())
    )


def test_another_program_of_a_call_that_looks_the_same():
    text = said(process(0, Call(program="a")), process(1, Call(program="b")))
    assert "it read something from outside that differs between them" in text


def test_the_earliest_parting_is_told_and_all_processes_that_differ():
    late, early = (Call(), Call("loss", 9, program="z")), (Call(program="z"), Call("loss", 9))
    found = together([process(0, *SAME), process(1, *late), process(2, *early), process(3, *SAME)]).divergence
    assert (found.at, found.other_process, found.others) == (1, 2, (1, 2))


def test_local_work_of_one_process_is_no_parting():
    assert said(process(0, Call(), Call("log", 20, across=False)), process(1, Call())) is None


def test_without_arrays_across_processes_all_functions_of_the_user_are_compared():
    text = said(process(0, Call(across=False)), process(1, Call(across=False, size=16)))
    assert "of its programs of the user's functions" in text
    assert "`x` changed from f32[8] to f32[16]" in text


def test_workers_without_a_number_of_their_own_are_not_compared():
    found = together([process(0, *SAME), process(0, Call("other", 30), pid=7)])
    assert found.divergence is None
    assert len(found.rows) == 2


def shown(found):
    return " ".join(terminal.render(processes(found), width=100, color=False, unicode=True).split())


def test_the_document_sums_and_marks():
    found = together([process(0, *SAME), process(1, Call())])
    text = shown(found)
    assert "process-divergence: process 1 parted" in text
    assert "differs" in text
    assert "all 0.60 s 3 3 3 0 0 5.0 s" in text
    assert "staged the same programs in the same order" in shown(together([process(0, *SAME), process(1, *SAME)]))


def test_many_processes_are_cut():
    found = together([process(index, Call()) for index in range(40)])
    assert "and 24 more processes" in shown(found)


def test_json():
    data = processes_dict(together([process(0, Call(rate=0.5, program="a")), process(1, Call(rate=1.5, program="b"))]))
    jsonschema.Draft202012Validator(schema()).validate(data)
    assert [row["process_index"] for row in data["processes"]] == [0, 1]
    assert data["divergence"]["changes"] == [{"kind": "static", "path": "rate", "first": "0.5", "other": "1.5"}]
    assert data["divergence"]["other"]["function"] == "step"


def stored(folder, *recordings):
    folder.mkdir(exist_ok=True)
    for recording in recordings:
        writer = Writer.create(folder, recording.environment)
        parts = (recording.functions, recording.specializations)
        writer.write(Batch(recording.environment, *parts, seconds=5.0, final=True))
        writer.close()


def test_a_folder_is_read_in_the_order_of_processes(tmp_path):
    stored(tmp_path / "run", process(1, Call(), pid=10), process(0, *SAME, pid=20))
    recordings = Recordings(str(tmp_path / "run"))
    assert [one.environment.process_index for one in recordings] == [0, 1]


def test_a_damaged_recording_is_left_out_and_told(tmp_path):
    stored(tmp_path / "run", process(0, Call()))
    (tmp_path / "run" / "9-1.whyjit").write_bytes(b"nothing of the kind")
    recordings = Recordings(str(tmp_path / "run"))
    assert len(list(recordings)) == 1
    assert "not a recording" in recordings.unreadable[0].message


def test_a_report_says_of_which_process_it_is(tmp_path):
    calls = [Call(size=size, program=f"p{size}") for size in range(2, 9)]
    stored(tmp_path / "run", process(0, *SAME), process(1, *SAME), compiled(process(2, *calls)))
    made = explain(process(0, *SAME))
    found = beside(tmp_path / "run")
    assert (found.count, found.numbered) == (3, True)
    assert [row.findings for row in found.rows] == [0, 0, 1]
    for document in (compose.report(made, together=found), compose.summary(made, together=found)):
        said = " ".join(terminal.render(document, width=200).split())
        assert "process 0 of 3: " in said
        assert "This is about process 0 of 3, pid 100. Together they took" in said
        assert "in the other 2, where" in said
        assert "process-divergence" in said
    assert "All processes of the run" in terminal.render(compose.report(made, together=found), width=200)
    page = html.render(made, together=found, page_of=lambda code: f"# {code}")
    assert "Process 0 of 3: " in page
    assert 'id="page-process-divergence"' in page
    assert "this report" in page
    data = report_dict(made, found)
    jsonschema.Draft202012Validator(report_schema()).validate(data)
    assert (data["processes"]["count"], data["processes"]["sums"]["traces"]) == (3, 11)
    assert data["processes"]["divergence"]["differing_processes"] == [2]


def test_sarif_holds_the_findings_of_all_processes(tmp_path):
    calls = [Call(size=size, program=f"p{size}") for size in range(2, 9)]
    stored(tmp_path / "run", process(0, *SAME), compiled(process(1, *calls)))
    run = tmp_path / "run"
    text = formats.text(explain(process(0, *SAME)), "sarif", run=run, file=reader.main_file(run), where="run")
    assert [each["ruleId"] for each in json.loads(text)["runs"][0]["results"]] == ["shape-churn"]


def test_the_first_process_stands_for_a_run_of_numbered_ones(tmp_path):
    early = process(1, *SAME, pid=5)
    early = msgspec.structs.replace(early, environment=msgspec.structs.replace(early.environment, started=-1.0))
    stored(tmp_path / "run", early, process(0, *SAME, pid=6))
    assert reader.main_file(tmp_path / "run").name.startswith("6-")
    assert [report.environment.pid for report in whole_run(tmp_path / "run").reports] == [6, 5]


def test_numbered_processes_may_have_workers_of_their_own(tmp_path):
    later = msgspec.structs.replace(process(0, Call("load", 40), pid=7), seconds=1.0)
    later = msgspec.structs.replace(later, environment=msgspec.structs.replace(later.environment, started=9.0))
    stored(tmp_path / "run", process(0, *SAME), later, process(1, Call()))
    made = explain(process(0, *SAME))
    said = terminal.render(compose.report(made, together=beside(tmp_path / "run")), width=200)
    assert "This is about one of 3 processes, pid 100." in said
    assert "process-divergence: process 1 parted from process 0" in said
    rows = [line.split() for line in said[said.index("All processes") :].splitlines()]
    assert [row[:2] for row in rows[2:5]] == [["0", "100"], ["0", "7"], ["1", "101"]]
    assert "differs" in rows[4]


def test_workers_without_numbers_are_known_by_their_ids(tmp_path):
    stored(tmp_path / "run", process(0, *SAME, pid=4), process(0, Call(), pid=5))
    made = explain(process(0, *SAME, pid=4))
    said = terminal.render(compose.report(made, together=beside(tmp_path / "run")), width=200)
    assert said.startswith("one of 2 processes: ")
    assert "This is about one of 2 processes, pid 4." in said
    assert "of it in the other one." in said


def test_a_single_process_is_told_of_as_before(tmp_path):
    stored(tmp_path / "run", process(0, *SAME))
    assert beside(tmp_path / "run") is None
    assert beside(tmp_path / "nowhere") is None
    assert "processes" not in report_dict(explain(process(0, *SAME)))


def test_of_very_many_processes_only_the_number_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("whyjit.whole_runs._COUNTED", 1)
    stored(tmp_path / "run", process(0, *SAME), process(1, *SAME))
    found = beside(tmp_path / "run")
    assert (found.rows, found.count) == ((), 2)
    said = " ".join(terminal.render(compose.report(explain(process(0, *SAME)), together=found), width=200).split())
    assert "process 0 of 2, pid 100; `whyjit processes` shows all of them together" in said
    jsonschema.Draft202012Validator(report_schema()).validate(report_dict(explain(process(0, *SAME)), found))


def test_an_object_store(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    stored(tmp_path / "run", process(0, Call()), process(1, Call()))
    store = fsspec.filesystem("memory")
    store.put(str(tmp_path / "run"), "/whyjit-run", recursive=True)
    try:
        found = together(Recordings("memory://whyjit-run"))
    finally:
        store.rm("/whyjit-run", recursive=True)
    assert {row.environment.process_index for row in found.rows} == {0, 1}
    assert found.divergence is None
