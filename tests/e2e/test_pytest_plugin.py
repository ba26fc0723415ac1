"""The pytest plugin, in sessions of their own: the mark, the fixture, `--whyjit`, and what it costs when off."""

import subprocess
import sys

import pytest

pytest.importorskip("jax")
pytest_plugins = ["pytester"]
pytestmark = pytest.mark.e2e

STEP = """
import jax, numpy as np, pytest

@jax.jit
def step(x):
    return x * 2

def call(*sizes):
    for size in sizes:
        step(np.ones(size, np.float32))
"""


@pytest.fixture
def session(pytester, monkeypatch):
    """Runs a test file in a session of its own, with nothing of this one's settings."""
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def session(text, *options):
        pytester.makepyfile(test_it=STEP + text)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *options)

    return session


MARKED = """
@pytest.mark.traces(max=1, of="step")
def test_kept():
    call(3, 3)

@pytest.mark.traces(max=1, of="step")
def test_broken():
    call(4, 5, 6)

@pytest.mark.traces(compiles=0)
def test_compiles():
    call(7)

@pytest.mark.traces(max=5)
@pytest.mark.traces(compiles=1, of="st*")
def test_two_marks():
    call(8, 9)

@pytest.mark.traces(max=1)
def test_own_failure():
    call(10, 11)
    assert False, "its own"

@pytest.mark.traces(maximum=1)
def test_senseless():
    pass

@pytest.mark.traces(max=1)
class TestMany:
    def test_inside(self):
        call(12, 13)

@pytest.mark.traces(max=1)
@pytest.mark.traces(compiles=0, of="other")
class TestNearer:
    @pytest.mark.traces(max=2)
    def test_loosened(self):
        call(20, 21)

    @pytest.mark.traces(max=0)
    def test_tightened(self):
        call(22)

    @pytest.mark.traces(compiles=5)
    def test_other_limit(self):
        call(23, 24)

@pytest.mark.traces(max=1, of=3)
def test_of_nothing():
    pass

def test_unmarked():
    call(14, 15)

def test_ledger(whyjit_ledger):
    call(3, 3, 16, 3)
    report = whyjit_ledger.report()
    (function,) = (f for f in report["functions"] if f["name"] == "step")
    assert (function["calls"], function["traces"]) == (4, 1)

def test_tracer_error():
    jax.jit(lambda x: x if x > 0 else -x)(1.0)
"""


def test_marks_fail_tests_with_the_reason_and_the_fixture_records(session):
    result = session(MARKED)
    result.assert_outcomes(passed=4, failed=10)
    text = result.stdout.str()
    for failed in ("test_tightened", "test_other_limit", "test_of_nothing"):
        assert f"::{failed} - Failed: whyjit: " in text
    assert "traces(max=1, of=3) makes no sense" in text
    assert "whyjit: `step` was traced 3 times, expected at most 1; `step` called at test_it.py:" in text
    assert "`x` changed from f32[4] to f32[5]" in text
    assert "was compiled once, expected at most 0" in text
    assert "was compiled twice, expected at most 1" in text
    assert "AssertionError: its own" in text
    assert "traces(maximum=1) makes no sense" in text
    assert "During handling" not in text
    assert "costliest" not in text  # nothing of what --whyjit adds
    assert "branch-on-value" not in text


RECORDED = """
@jax.jit
def bad(x):
    if x > 0:
        return x
    return -x

def test_error():
    bad(1.0)

def test_costly():
    call(3, 4)

def test_cheap():
    pass
"""


def test_a_tracer_error_is_explained_and_the_costliest_are_listed(session):
    result = session(RECORDED, "--whyjit")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.re_match_lines(
        [
            r".*Attempted boolean conversion of traced array.*",
            r"-+ whyjit -+",
            r"branch-on-value: TracerBoolConversionError in bad.*",
            r".*jnp\.where.*",
            r"=+ whyjit =+",
            r".* went into tracing, lowering and compiling: \d+ traces, 2 compiles",
            r".*2 +2  step \(test_it\.py:\d+\)",
            r".*costliest tests",
            r".*test_it\.py::test_costly",
        ]
    )
    assert "test_cheap" not in result.stdout.str().partition("costliest tests")[2].partition("short test summary")[0]


def test_under_xdist_the_workers_sums_are_put_together(session):
    pytest.importorskip("xdist")
    result = session("""
@pytest.mark.parametrize("size", range(3, 9))
def test_size(size):
    call(size)
""", "--whyjit", "-n", "2")  # fmt: skip
    result.assert_outcomes(passed=6)
    result.stdout.re_match_lines([r".*: \d+ traces, 6 compiles", r".* 6 +6  step \(test_it\.py:\d+\)"])
    for size in range(3, 9):
        result.stdout.fnmatch_lines([f"*test_it.py::test_size?{size}?"])


def test_jax_is_imported_by_the_tests_not_by_whyjit(pytester, monkeypatch):
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    monkeypatch.delenv("JAX_ENABLE_X64", raising=False)
    pytester.makepyfile("""
        import os, sys, pytest

        def test_failing_before():
            assert False

        def test_before():
            assert "jax" not in sys.modules
            os.environ["JAX_ENABLE_X64"] = "1"

        def test_first():
            import jax, numpy as np
            assert jax.jit(lambda x: x * 2)(np.ones(2)).dtype == "float64"

        def test_second():
            import jax, numpy as np
            jax.jit(lambda x: x * 3)(np.ones(2))
    """)
    quiet = ("-p", "no:cacheprovider", "-p", "no:chex", "-p", "no:jaxtyping")
    result = pytester.runpytest_subprocess(*quiet, "--whyjit")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*: * traces, 2 compiles", "*::test_first", "*::test_second"])
    result = pytester.runpytest_subprocess(*quiet, "--whyjit", "-k", "before")
    result.stdout.fnmatch_lines(["no test made JAX trace or compile anything"])


def test_a_broken_setting_is_a_usage_error(pytester):
    pytester.makepyprojecttoml("[tool.whyjit]\ncalls = 3\n")
    pytester.makepyfile("def test_one(): pass")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--whyjit")
    assert result.ret != 0
    assert "calls = 3" in result.stdout.str() + result.stderr.str()


def loaded(statement):
    """Which of whyjit and JAX a fresh Python has loaded after a statement."""
    code = f"import sys; {statement}; print(*sorted({{'jax', 'whyjit'}} & set(sys.modules)))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_importing_the_plugin_imports_neither_jax_nor_whyjit():
    assert loaded("import pytest_whyjit") == []
    assert loaded("import pytest_whyjit, whyjit") == ["whyjit"]


def test_a_session_without_it_imports_neither(pytester):
    pytester.makepyfile("""
        import sys
        def test_clean():
            assert "pytest_whyjit" in sys.modules
            assert "whyjit" not in sys.modules and "jax" not in sys.modules
    """)
    pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:chex", "-p", "no:jaxtyping").assert_outcomes(
        passed=1
    )
