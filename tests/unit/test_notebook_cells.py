"""Cells by their numbers: files become names wherever a report mentions them, and nothing else changes."""

import subprocess
import sys

import msgspec
import present_samples as samples
from present_builders import environment

from whyjit.model.finding import Finding
from whyjit.model.recording import Function
from whyjit.model.source import Location
from whyjit.notebook.cells import cell_numbers, named

FILES = {"/srv/ipykernel_7/123.py": "In[4]", "<ipython-input-5-ab(c>": "In[5]"}


def test_files_and_their_mentions_become_names():
    finding = Finding("eager-ops", None, "at this line (123.py:6)", "mend <ipython-input-5-ab(c>:2", location=Location(
        "/srv/ipykernel_7/123.py", 6, "<module>"
    ))  # fmt: skip
    made = named(finding, FILES)
    assert made.text == "at this line (In[4]:6)"
    assert made.remedy == "mend In[5]:2"
    assert made.location == Location("In[4]", 6, "<module>")
    eager = Function(1, "123.py:6", "main", "/srv/ipykernel_7/123.py", 6, "eager")
    assert named(eager, FILES) == Function(1, "In[4]:6", "main", "In[4]", 6, "eager")
    assert named((eager, 3, None), FILES) == (named(eager, FILES), 3, None)


def test_what_names_no_cell_stays_the_same_object():
    report = samples.digits().report
    assert named(report, FILES) is report
    assert named(report, {}) is report


def test_jupyters_own_command_is_not_shown():
    before = environment(argv=("/opt/lib/ipykernel_launcher.py", "-f", "x.json"))
    assert named(before, FILES) == msgspec.structs.replace(before, argv=("notebook",))
    assert named(environment(), FILES) == environment()


def test_outside_ipython_there_are_no_cells():
    assert cell_numbers() == {}


def test_the_extension_is_found_and_loads_nothing_before_it_is_asked_for():
    code = (
        "import sys, whyjit; assert callable(whyjit.load_ipython_extension);"
        "print({'IPython', 'jax', 'rich'} & set(sys.modules), 'load_ipython_extension' in whyjit.__all__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set() False\n"
