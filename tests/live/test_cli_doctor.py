"""`whyjit doctor` tells what can be observed with this JAX."""

import json
import subprocess
import sys

import jax
import jsonschema
import pytest

from whyjit.present import doctor_json

pytestmark = pytest.mark.live


def test_doctor_names_this_jax_and_what_it_lets_be_seen():
    command = [sys.executable, "-m", "whyjit", "doctor"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert f"version {jax.__version__}" in done.stdout
    assert "calls on the fast path" in done.stdout


def test_doctor_as_json_validates():
    command = [sys.executable, "-m", "whyjit", "doctor", "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    printed = json.loads(done.stdout)
    jsonschema.validate(printed, doctor_json.schema())
    assert printed["features"][0]["available"] is True
