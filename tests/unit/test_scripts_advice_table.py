"""The page that counts what becomes of advice is the one of the present suite."""

import importlib.util
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "advice_table.py"


def script():
    spec = importlib.util.spec_from_file_location("advice_table", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_counts_the_present_suite():
    table = script()
    assert table.PAGE.read_text(encoding="utf-8") == table.page(), "make it anew with: make advice-table"


def test_the_suite_is_large_has_wrong_ones_and_expects_none_of_them_to_be_accepted():
    cases = [case for cases, _ in script().suites() for case in cases]
    assert len(cases) >= 120
    assert {case.kind for case in cases} <= set(script().KINDS)
    wrong = [case for case in cases if case.wrong]
    assert len(wrong) >= 40
    assert not [case.name for case in wrong if case.expected in {"PROVEN", "TESTED"}]
