"""The lesson's page and notebook in docs/lesson are made from the lesson as it is."""

import importlib.util
import re
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "docs" / "lesson"


@pytest.fixture(scope="module")
def pages():
    spec = importlib.util.spec_from_file_location("lesson_pages", ROOT / "scripts" / "lesson_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_has_all_of_it_and_the_output_of_its_programs(pages):
    text = (FOLDER / "README.md").read_text()
    outputs = re.compile(r"```text\n.*?\n```\n\n?", re.DOTALL)
    assert outputs.sub("", text).split() == outputs.sub("", pages.page(run=False)).split()
    assert len(outputs.findall(text)) > 10


def test_the_notebook_has_all_of_it_and_has_been_run(pages):
    kept, fresh = nbformat.read(FOLDER / "lesson.ipynb", 4), pages.notebook()
    nbformat.validate(kept)
    assert [cell.source for cell in kept.cells] == [cell.source for cell in fresh.cells]
    code = [cell for cell in kept.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
    failed = [cell for cell in code if any(output.output_type == "error" for output in cell.outputs)]
    assert ["raises-exception" in cell.metadata.get("tags", []) for cell in failed] == [True]
