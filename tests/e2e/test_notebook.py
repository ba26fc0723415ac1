"""A notebook, executed: what its cells show, and that it is recorded, explained, compared and left alone."""

import contextlib
import json
import sys

import pytest

pytest.importorskip("jax")
pytest.importorskip("ipykernel")
nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

pytestmark = pytest.mark.e2e

CELLS = {
    "load": "%load_ext whyjit\nimport sys\n'jax' in sys.modules",
    "work": "import jax, jax.numpy as jnp\n\n@jax.jit\ndef total(x):\n    return (x * 3).sum()\n\n"
    "for size in range(4):\n    total(jnp.ones(size + 2))",
    "report": "%whyjit",
    "why": "%whyjit total",
    "before": "%%whyjit before\nfor _ in range(3):\n    jax.jit(lambda x: x + 1)(1.0)\nanswer = 40\nanswer + 2",
    "after": "%%whyjit after\nadd = jax.jit(lambda x: x + 1)\nfor _ in range(3):\n    add(1.0)",
    "compare": "import whyjit\nwhyjit.compare(before, after)",
    "values": "before.explained().functions[0].findings[0]",
    "error": "@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return 0 * x\n\nrelu(1.0)",
    "error in a cell of its own": "%%whyjit\nrelu(2.0)",
    "explain": "whyjit.explain(sys.last_value)",
    "no tracer error": "1 / 0",
    "unknown": "%whyjit nothing_such",
    "wrong": "%%whyjit not a name\n1",
    "await": "%%whyjit\nimport asyncio\nawait asyncio.sleep(0)",
    "file": "%whyjit -o report.html",
    "off": "%whyjit off\ntotal(jnp.ones(50))",
    "still": "%whyjit",
    "stored": "recorded = whyjit.load('runs')\nprint(recorded.report()['totals']['traces'], recorded.path)\n"
    "names = [each.name for each in recorded.recording().functions]\n"
    "print(sorted(names))",
    "on": "%whyjit on\ntotal(jnp.ones(60))",
    "anew": "%whyjit",
    "unload": "%unload_ext whyjit\n%whyjit",
    "alive": "float(total(jnp.ones(2)))",
}


@contextlib.contextmanager
def kernel_here(folder):
    """A kernel named `this` for the Python that runs the tests."""
    kernel = folder / "share" / "jupyter" / "kernels" / "this"
    kernel.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernel / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "this", "language": "python"}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(folder / "share" / "jupyter"))
        for kind in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):  # not the user's
            patch.setenv(kind, str(folder / kind.lower()))
        patch.setenv("JAX_PLATFORMS", "cpu")
        patch.setenv("PYTHONWARNINGS", "ignore")
        yield


def execute(notebook, folder, **options):
    """Run all cells in a folder, with `kernel_here`."""
    where = {"metadata": {"path": str(folder)}}
    limits = {"timeout": 600, "startup_timeout": 600}
    nbclient.NotebookClient(notebook, kernel_name="this", resources=where, **limits, **options).execute()


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """Each cell after its execution, by name, and the notebook's folder."""
    folder = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS.values()])
    (folder / "pyproject.toml").write_text('[tool.whyjit]\nout = "runs"\n')
    with kernel_here(folder):
        execute(notebook, folder, allow_errors=True)
    executed = dict(zip(CELLS, notebook.cells, strict=True))
    executed["folder"] = folder
    return executed


def shown(cell, kind="text/plain"):
    """What a cell shows in one of its forms; streams and errors come as text."""
    pieces = []
    for output in cell.outputs:
        if output.output_type == "stream":
            pieces.append(output.text)
        elif output.output_type == "error":
            pieces.append(f"{output.ename}: {output.evalue}")
        else:
            pieces.append(output.data.get(kind, ""))
    return "\n".join(pieces)


def errors(cell):
    return [output.ename for output in cell.outputs if output.output_type == "error"]


def test_loading_does_not_import_jax(cells):
    assert shown(cells["load"]).strip() == "False"


def test_the_report_so_far(cells):
    text = shown(cells["report"])
    assert "shape-churn: `x` came in 4 lengths from 2 to 5" in text
    assert "total" in text
    assert "In[2]:8" in text
    assert "ipykernel" not in text
    assert "ended early" not in text
    assert "; next: %whyjit " in text


def test_everything_shown_is_html_too(cells):
    for name in ("report", "why", "before", "after", "compare", "values", "error", "explain"):
        made = cells[name].outputs[-1].data["text/html"]
        assert '<div class="whyjit fragment"><style>' in made, name
        assert "<script" not in made
        assert "ipykernel" not in made
        assert len(made) < 200_000


def test_one_function(cells):
    text = shown(cells["why"])
    assert "4 calls, 4 traces, 4 lowerings, 4 compiles" in text
    assert "f32[2] -> f32[3]" in text


def test_a_cell_of_its_own(cells):
    assert shown(cells["before"]).startswith("42\n")
    assert "new-function-each-call: 3 function objects" in shown(cells["before"])
    assert "In[5]:3" in shown(cells["before"])
    assert "nothing of it was needless" in shown(cells["after"])


def test_cells_compared(cells):
    text = " ".join(shown(cells["compare"]).split())
    assert "compiles 3 -> 1" in text
    assert "In[5]:3 to In[6]:2" in text
    assert "gone new-function-each-call" in text
    assert "before notebook" in text


def test_a_finding_alone(cells):
    assert shown(cells["values"]).startswith("new-function-each-call: 3 function objects")


@pytest.mark.parametrize("name", ["error", "error in a cell of its own"])
def test_a_tracer_error_is_explained_below_its_traceback(cells, name):
    cell = cells[name]
    assert errors(cell) == ["TracerBoolConversionError"]
    assert [output.output_type for output in cell.outputs] == ["error", "display_data"]
    assert "branch-on-value: `x > 0` is traced" in cell.outputs[1].data["text/plain"]
    assert "In[9]:3" in cell.outputs[1].data["text/plain"]
    assert "magics.py" not in "\n".join(cell.outputs[0].traceback)


def test_explain_is_shown_like_that(cells):
    assert "branch-on-value" in shown(cells["explain"])


def test_other_errors_are_left_alone(cells):
    assert [output.output_type for output in cells["no tracer error"].outputs] == ["error"]
    assert errors(cells["no tracer error"]) == ["ZeroDivisionError"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("unknown", "no function nothing_such in this run"),
        ("wrong", "takes the name of one variable"),
        ("await", "a cell that awaits cannot be run by %%whyjit"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(cells, name, said):
    (output,) = cells[name].outputs
    text = shown(cells[name])
    assert output.output_type in {"stream", "error"}
    assert said in text
    assert "Traceback" not in text


def test_the_whole_report_as_a_file(cells):
    page = (cells["folder"] / "report.html").read_text()
    assert "In[2]:8" in page
    assert "The run over time" in page


def test_off_and_on(cells):
    assert "recording is off; see runs/" in shown(cells["off"])
    assert "f32[50]" not in shown(cells["still"])
    assert "In[2]" in shown(cells["still"])
    assert "recording is on; see runs/" in shown(cells["on"])
    assert "2 calls, 4 traces, 2 lowerings, 2 compiles" in shown(cells["anew"])


def test_the_recording_is_a_run_like_others(cells):
    text = shown(cells["stored"])
    assert "relu" in text
    assert "total" in text


def test_nothing_is_left_after_unloading(cells):
    assert "UsageError" in shown(cells["unload"]) or "not found" in shown(cells["unload"])
    assert shown(cells["alive"]).strip() == "6.0"
