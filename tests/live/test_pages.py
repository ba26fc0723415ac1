"""The examples on the pages are true: the code is reported for the first one and not for the better one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from whyjit.analyse import failure, kinds, pages

HERE = Path(__file__).resolve().parent
EXAMPLES = [
    (code, name, example)
    for code in pages.codes()
    for name, example in (("before", pages.page(code).before), ("after", pages.page(code).after))
    if example is not None
]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """All examples, run in one process of their own."""
    root = tmp_path_factory.mktemp("pages")
    for code, name, example in EXAMPLES:
        (root / f"{code}-{name}").mkdir()
        (root / f"{code}-{name}" / "case.py").write_text(example.source)
    folders = [str(root / f"{code}-{name}") for code, name, _ in EXAMPLES]
    command = [sys.executable, str(HERE / "running.py"), *folders]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def said(answer):
    """Every code in an answer: of findings, of kinds of changes, of errors."""
    report = answer["report"]
    yield answer["explained"]
    for function in report["functions"]:
        yield from (found["code"] for found in function["findings"])
        yield from ("runs-once" for found in function.get("runs_once", ()) if found["kind"] != "read")
        for spec in function["specializations"]:
            yield from (change["kind"] for change in spec["cause"]["changes"])
    yield from (found["code"] for found in report["failures"])


@pytest.mark.parametrize(("code", "name", "example"), EXAMPLES, ids=[f"{code}-{name}" for code, name, _ in EXAMPLES])
def test_example(code, name, example, ran):
    answer = ran[f"{code}-{name}"]
    assert (code in set(said(answer))) == example.shows, sorted(set(said(answer)))
    if code not in failure.PAGES:
        assert answer["error"] == ""
    if code not in kinds.PAGES and not example.shows:
        user = [f for f in answer["report"]["functions"] if f["origin"] == "user"]
        assert [found["code"] for function in user for found in function["findings"]] == []
