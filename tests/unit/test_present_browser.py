"""The page in a real browser: it opens without errors, sorts, filters, unfolds and loads rows as they are reached."""

import present_samples as samples
import pytest
from present_browser import BROWSER, Browser
from test_present_html import whole_page

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium here")

# What the steps below have at hand in the page.
TOOLS = """
const settle = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)));
const rows = (root) => [...root.querySelectorAll("tbody tr:not([aria-hidden])")];
const list = document.getElementById("functions");
const names = () => rows(list).map((row) => row.querySelector("a")?.textContent ?? row.textContent);
const view = document.getElementById("function");
const click = async (element) => { element.click(); await settle(); };
const put = async (field, value) => {
  if (field.type === "checkbox") field.checked = value; else field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await settle();
};
const field = (id) => document.getElementById(id);
const wide = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
await settle();
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser")) as running:
        yield running


@pytest.fixture
def show(browser, tmp_path):
    """Opens the page of a report; afterwards nothing may have gone wrong in it."""

    def opened(built, **more):
        path = tmp_path / "page.html"
        path.write_text(whole_page(built), encoding="utf-8")
        browser.open(path, **more)
        return lambda steps: browser.do(TOOLS + steps)

    browser.faults.clear()
    yield opened
    assert browser.faults == []


def test_the_list_sorts(show):
    do = show(samples.digits())
    assert do("return names()") == ["train_step", "<lambda>", "log_softmax", "_normal"]
    column = "document.querySelector('[data-column=\"{}\"]')"
    by_name = do(f"await click({column.format(1)}); return [...names(), list.querySelector('[aria-sort]').ariaSort]")
    assert by_name == ["_normal", "<lambda>", "log_softmax", "train_step", "ascending"]
    by_calls = do(f"await click({column.format(2)}); await click({column.format(2)}); return names()")
    assert by_calls == ["_normal", "<lambda>", "log_softmax", "train_step"]


def test_the_list_searches_and_filters(show):
    do = show(samples.digits())
    assert do("await put(field('library'), true); return names()") == ["train_step", "<lambda>"]
    assert do("await put(field('search'), 'LAMBDA'); return [...names(), field('shown').textContent]") == [
        "<lambda>",
        "1 of 4 lines",
    ]
    assert do("await put(field('search'), 'nowhere'); return names()") == ["No function fits the search."]
    assert do("await put(field('search'), 'shape-churn'); return names()") == ["train_step"]
    do("await put(field('search'), ''); await put(field('library'), false)")
    assert do("await put(field('flagged'), true); return names()") == ["train_step", "<lambda>"]


def test_modules_can_be_chosen(show):
    do = show(samples.many())
    assert do("return [...field('module').options].map((option) => option.value)") == ["", "net.py"]
    assert len(do("await put(field('module'), 'net.py'); return names()")) == 40


def test_a_function_unfolds(show):
    do = show(samples.digits())
    do("await click(list.querySelector('tbody a'))")
    seen = do(
        """return [view.querySelector("h1").textContent, document.activeElement === view.querySelector("h1"),
        field("overview").hidden, document.title, view.querySelectorAll(".callout").length,
        view.querySelectorAll("td.changed").length, view.querySelectorAll(".difference").length,
        [...view.querySelectorAll("h2")].map((heading) => heading.textContent)]"""
    )
    tracing = "Where the trace of train_step@1 spent its time"
    headings = ["The run over time", "Specializations 40", tracing, "Programs", "Call ledger 60"]
    assert seen == ["train_step", True, True, "whyjit: train_step", 2, 39, 2, headings]
    constant = do("return [...view.querySelectorAll('details dt, details dd')].map((each) => each.textContent)")
    assert constant[:2] == ["params[0]['b']", "f32[48]"]
    pages = "[...document.querySelectorAll('.pages details')].filter((each) => !each.hidden).map((each) => each.id)"
    assert do(f"return {pages}") == ["page-static-is-data", "page-shape-churn"]
    dimmed = do("return [...document.querySelectorAll('.bars a')].map((bar) => getComputedStyle(bar).opacity)")
    assert set(dimmed) == {"1", "0.16"}
    assert do("await click(view.querySelector('.callout a')); return field('page-static-is-data').open")
    assert do("history.go(-2); await settle(); await settle(); return [field('overview').hidden, view.hidden]") == [
        False,
        True,
    ]
    assert len(do(f"return {pages}")) == 3


def test_the_keyboard_suffices(browser, show):
    do = show(samples.digits())
    browser.press("Tab", code="Tab", windowsVirtualKeyCode=9)
    assert do("return document.activeElement.textContent") == "Skip to the content"
    browser.press("/", text="/")
    assert do("return document.activeElement.id") == "search"
    do("list.querySelector('tbody a').focus()")
    browser.press("Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
    assert do("return view.querySelector('h1').textContent") == "train_step"
    browser.press("Escape", code="Escape", windowsVirtualKeyCode=27)
    assert do("return [view.hidden, document.title]") == [True, "whyjit: digits.py --epochs 20"]


def test_the_theme_follows_the_system_and_the_button(show):
    do = show(samples.digits(), theme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    assert do(f"return {colour}") == "rgb(21, 24, 27)"
    assert do(f"await click(field('theme')); return [{colour}, field('theme').textContent]") == [
        "rgb(251, 251, 249)",
        "Theme: light",
    ]
    assert do(f"await click(field('theme')); return {colour}") == "rgb(21, 24, 27)"
    do("await click(field('theme'))")


def test_rows_are_made_as_they_are_reached(show):
    do = show(samples.churn(1000), fragment="#function-1")
    assert do("return rows(view.querySelector('.scroll')).length") < 400
    reached = """const box = view.querySelector(".scroll");
    for (let turn = 0; turn < 60 && rows(box).length < 1000; turn += 1) {
      box.scrollTop = box.scrollHeight;
      await settle();
    }
    return rows(box).length"""
    assert do(reached) == 1000
    filtered = "await put(view.querySelector('.filter input'), '777'); return rows(view.querySelector('.scroll'))"
    assert do(f"{filtered}.map((row) => row.cells[0].textContent)") == ["777", "778"]


@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize(
    "built", [samples.hostile, samples.failed, samples.nothing, samples.flips, samples.digits, samples.slow_trace]
)
def test_no_page_is_wider_than_its_window(show, built, width):
    do = show(built(), width=width)
    assert do("const before = wide(); location.hash = 'function-1'; await settle(); return [before, wide()]") == [0, 0]


def test_the_timeline_is_gone_through_and_widened_by_keyboard(browser, show):
    do = show(samples.digits())
    do("document.querySelector('.time').focus()")
    for key, code in (("Home", 36), ("ArrowRight", 39)):
        browser.press(key, code=key, windowsVirtualKeyCode=code)
    told = "document.querySelector('.readout').textContent"
    assert " of " in do(f"return {told}")
    assert do("return document.querySelectorAll('.bars a.at').length") == 1
    widths = (
        "[...document.querySelectorAll('.time, .chart')].map((each) => Math.round(each.getBoundingClientRect().width))"
    )
    outer, inner = do(f"return {widths}")
    assert outer == inner
    for _ in range(3):
        browser.press("+", text="+")
    assert do(f"return {widths}") == [outer, 8 * outer]
    assert do("return [wide(), getComputedStyle(document.querySelector('.ticks .fine')).display]") == [0, "inline"]
    browser.press("-", text="-")
    assert do(f"return {widths}") == [outer, 4 * outer]
    href = "document.querySelector('.bars a.at').getAttribute('href')"
    while not do(f"return {href}"):
        browser.press("ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)
    target = do(f"return {href}")
    browser.press("Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
    assert do("return location.hash") == target
    # The view of a function begins with its name, and the timeline is a part of it.
    assert do("return [...view.querySelectorAll('h1, h2')].slice(0, 2).map((each) => each.tagName)") == ["H1", "H2"]
    assert do("location.hash = ''; await settle(); return document.querySelector('main > .timeline') !== null")


def test_on_a_narrow_page_a_specialization_is_a_card_that_names_its_values(show):
    do = show(samples.digits(), width=400, fragment="#function-1")
    row = "rows(view.querySelector('.tall'))[1]"
    seen = do(
        f"""const row = {row}; const box = row.closest(".scroll");
        const label = (cell) => getComputedStyle(cell, "::before").content;
        const top = (element) => element.getBoundingClientRect().top;
        return [box.scrollWidth - box.clientWidth, getComputedStyle(row).display, row.getAttribute("role"),
        label(row.cells[0]), label(row.cells[3]), top(row.lastChild) - top(row)]"""
    )
    assert seen[:4] == [0, "flex", "row", '"#"']
    assert "eta" in seen[4]
    assert seen[5] < 20  # the cause stands in the first line


def test_on_a_narrow_page_programs_stand_one_below_the_other(show):
    do = show(samples.digits(), width=400, fragment="#function-1")
    seen = do(
        """const box = view.querySelector(".difference").closest(".scroll");
        const [old, made] = view.querySelector(".difference tr.changed").cells;
        const below = made.getBoundingClientRect().top >= old.getBoundingClientRect().bottom;
        return [box.scrollWidth - box.clientWidth, below,
        getComputedStyle(old.firstChild, "::before").content, getComputedStyle(made.firstChild, "::before").content]"""
    )
    assert seen == [0, True, '"\u2212 "', '"+ "']


def test_paper_gets_all_rows_and_light_colours(browser, show):
    do = show(samples.churn(1000), theme="dark", fragment="#function-1")
    assert do("return rows(view.querySelector('.scroll')).length") < 400
    assert do("dispatchEvent(new Event('beforeprint')); return rows(view.querySelector('.scroll')).length") == 1000
    browser.send("Emulation.setEmulatedMedia", media="print")
    try:
        assert do("return getComputedStyle(document.body).color") == "rgb(28, 33, 38)"
        assert do("return getComputedStyle(view.querySelector('.scroll')).overflow") == "visible"
        assert do("return getComputedStyle(field('theme')).display") == "none"
    finally:
        browser.send("Emulation.setEmulatedMedia", media="")


def test_an_empty_run_says_so(show):
    do = show(samples.nothing())
    assert do("return names()") == ["No jitted function was called, traced or compiled while this was recorded."]
    assert do("return getComputedStyle(document.querySelector('.tools')).display") == "none"
