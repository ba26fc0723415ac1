"""The pages of docs/reference are those of the code, and leave nothing public out."""

import importlib.util
import sys
from importlib import resources
from pathlib import Path

import pytest

import whyjit

ROOT = Path(__file__).resolve().parents[2]


def loaded():
    sys.path.insert(0, str(ROOT / "scripts"))
    where = importlib.util.spec_from_file_location("reference_pages", ROOT / "scripts" / "reference_pages.py")
    script = importlib.util.module_from_spec(where)
    where.loader.exec_module(script)
    sys.path.remove(str(ROOT / "scripts"))
    return script


SCRIPT = loaded()


@pytest.mark.parametrize("name", SCRIPT.PAGES)
def test_a_page_is_that_of_the_code(name):
    assert (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8") == SCRIPT.page(name), "make reference"


def test_there_is_no_other_page():
    assert {file.name for file in (ROOT / "docs" / "reference").iterdir()} == set(SCRIPT.PAGES)


def test_every_public_name_is_there():
    assert set(whyjit.__all__) <= {name for names in SCRIPT.NAMES.values() for name in names}


def test_every_format_is_there():
    files = {file.name for file in resources.files("whyjit.present").iterdir() if file.name.endswith(".schema.json")}
    assert files == {f"{name}.schema.json" for name in SCRIPT.SOURCES if name not in SCRIPT._DERIVED}


def test_every_key_says_what_it_is():
    assert [line for line in SCRIPT.page("json.md").splitlines() if line.endswith("|  |")] == []
