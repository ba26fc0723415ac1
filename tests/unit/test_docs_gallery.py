"""The gallery page, its pictures and its programs belong together."""

import ast
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
NAMES = re.findall(r"\(gallery/(\w+)\.svg\)", PAGE)


def made_by_the_script():
    """The names in the script's table, read without running it."""
    tree = ast.parse((ROOT / "scripts" / "gallery.py").read_text(encoding="utf-8"))
    (table,) = [node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "NEEDS"]
    return [key.value for key in table.keys]


def test_the_page_shows_what_the_script_makes():
    assert made_by_the_script() == NAMES
    assert len(NAMES) == 6
    assert sorted(path.stem for path in (ROOT / "docs" / "gallery").iterdir()) == sorted(NAMES)


def test_every_link_leads_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_small_and_leads_nowhere(name):
    picture = ROOT / "docs" / "gallery" / f"{name}.svg"
    assert picture.stat().st_size < 60_000
    text = picture.read_text(encoding="utf-8")
    ET.fromstring(text)  # noqa: S314 - our own file
    assert set(re.findall(r"https?://[^\"' ]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert "whyjit" in text
