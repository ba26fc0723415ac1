"""The documentation as a whole: links lead somewhere, no page is out of reach, and every command in it is one."""

import itertools
import re
import shlex
from collections import Counter
from pathlib import Path

import click
import pytest

from whyjit import cli

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(ROOT.glob("docs/**/*.md"))
FENCE = re.compile(r"^(```+).*?^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def named(page):
    return str(page.relative_to(ROOT))


def prose(page):
    """A page without its blocks of code."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return [re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in plain]


def links(page):
    """The files and anchors that a page links to."""
    for target in LINK.findall(prose(page)):
        if not re.match(r"\w+:", target):
            path, _, anchor = target.partition("#")
            yield target, (page.parent / path).resolve() if path else page, anchor


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_leads_somewhere(page):
    for target, file, anchor in links(page):
        assert file.exists(), target
        if anchor:
            assert anchor in anchors(file), target


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_no_two_headings_of_a_page_have_one_anchor(page):
    found = Counter(anchors(page))
    if page.name != "CHANGELOG.md":  # every version has its "Added"
        assert [anchor for anchor, count in found.items() if count > 1] == []


def test_every_page_is_reached_from_the_readme():
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page not in reached:
            reached.add(page)
            ahead += [file for _, file, _ in links(page) if file.suffix == ".md" and file.is_file()]
    assert set(PAGES) - reached == set()


def test_every_page_is_in_the_index():
    index = {file for _, file, _ in links(ROOT / "docs" / "README.md")}
    assert {page for page in PAGES if page.is_relative_to(ROOT / "docs")} - index == {ROOT / "docs" / "README.md"}


def commands(page):
    """Every whyjit command that a page shows, as words: in blocks, in indented lines, and in the text."""
    text = page.read_text(encoding="utf-8")
    indented = re.findall(r"^    .*$", text, re.MULTILINE)
    blocks = "\n".join([*(block[0] for block in FENCE.finditer(text)), *indented])
    shown = re.findall(r"^ *(?:\$ |- run: )?(?:[A-Z_]+=\S+ )?(whyjit [a-z].*)$", blocks, re.MULTILINE)
    for line in shown + re.findall(r"`(whyjit [a-z][^`\n]*)`", FENCE.sub("", text)):
        lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|<>")
        lexer.whitespace_split = True
        words = list(itertools.takewhile(lambda word: not re.match(r"[;&|<>]", word), lexer))
        if re.fullmatch(r"[a-z]+", words[1]):
            yield words[1:]


def options(words):
    """The options among a command's words; what follows a program's name is the program's."""
    for before, word in itertools.pairwise(words):
        if words[0] == "run" and (before.endswith(".py") or before == "-m"):
            return
        if re.match(r"--?[a-z]", word):
            yield word.partition("=")[0]


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_command_and_option_is_one(page):
    for words in commands(page):
        command = cli.command.get_command(click.Context(cli.command), words[0])
        assert command is not None, words
        known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)} | {"--help"}
        assert set(options(words)) <= known, words


def test_commands_are_found_where_they_stand():
    found = list(commands(ROOT / "docs" / "how-to" / "probe.md")) + list(commands(ROOT / "README.md"))
    assert {words[0] for words in found} >= {"run", "why", "probe", "show", "compare", "fix"}
    assert any("--vary" in words for words in found)


def test_every_page_with_a_program_or_a_session_is_followed_by_a_test():
    tests = "".join(file.read_text(encoding="utf-8") for file in ROOT.glob("tests/*/test_*docs_*.py"))
    tests += (ROOT / "tests" / "unit" / "test_cli_lint.py").read_text(encoding="utf-8")
    told = ("docs/reference", "docs/lesson")  # what these show has tests of its own
    shown = [
        page for page in PAGES if re.search(r"^```(python|console)", page.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert [named(page) for page in shown if page.stem not in tests and not named(page).startswith(told)] == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_page_names_no_place_of_one_machine(page):
    assert re.findall(r"(?:/work|/root|/home|/Users)/", page.read_text(encoding="utf-8")) == []
