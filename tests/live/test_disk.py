"""JAX's persistent cache: what is recorded of a key, and of an entry that was written, found, or not written."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import whyjit

PARTS = {"computation", "jax_lib version", "XLA flags", "compile_options", "accelerator_config"}


def reset():
    from jax._src import compilation_cache

    compilation_cache.reset_cache()


@pytest.fixture
def directory(tmp_path):
    before = {name: getattr(jax.config, name) for name in ("jax_compilation_cache_dir", *THRESHOLDS)}
    reset()
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))
    yield tmp_path
    for name, value in before.items():
        jax.config.update(name, value)
    reset()


THRESHOLDS = ("jax_persistent_cache_min_compile_time_secs", "jax_persistent_cache_min_entry_size_bytes")


def looks(seconds, size, body=jnp.tanh):
    """What was seen of two compiles of one program, with nothing but the persistent cache between them."""
    for name, value in zip(THRESHOLDS, (seconds, size), strict=True):
        jax.config.update(name, value)
    x = jnp.ones(5)

    def step(x):
        return body(x) * 3

    with whyjit.record() as recorded:
        for _ in range(2):
            jax.jit(step)(x).block_until_ready()
            jax.clear_caches()
    recording = recorded.recording()
    assert not [gap for gap in recording.gaps if gap.what == "persistent cache"]
    (function,) = [function for function in recording.functions if function.name == "step"]
    stages = [stage for spec in recording.specializations if spec.function == function.id for stage in spec.stages]
    return [stage.disk for stage in stages if stage.kind in ("compile", "cache_load")], recorded.report()


def test_written_then_found(directory):
    (first, second), report = looks(0, -1)
    assert (first.outcome, second.outcome) == ("written", "found")
    assert first.parts == second.parts
    assert {name for name, text in first.parts if text or name == "XLA flags"} >= PARTS
    assert first.directory == str(directory)
    assert any(first.key in path.name for path in directory.iterdir())
    found = [one["code"] for function in report["functions"] for one in function["findings"]]
    assert "persistent-cache-miss" not in found


def test_too_quick_to_be_written(directory):
    (first, second), report = looks(1000, -1)
    assert (first.outcome, second.outcome) == ("unwritten", "unwritten")
    assert "less than jax_persistent_cache_min_compile_time_secs (1000)" in first.reason
    assert not list(directory.iterdir())
    (found,) = [one for f in report["functions"] for one in f["findings"] if one["code"] == "persistent-cache-miss"]
    assert "was not written: it compiled in" in found["text"]


def test_too_small_to_be_written(directory):
    (first, _), _ = looks(0, 10**9)
    assert "smaller than jax_persistent_cache_min_entry_size_bytes (1000000000)" in first.reason


def test_a_program_with_a_callback(directory):
    """JAX 0.12 writes it; before, nothing is written. The folder is the truth."""

    def body(x):
        jax.debug.callback(lambda _: None, x)
        return x

    (first, _), _ = looks(0, -1, body)
    written = any("jit_step" in path.name for path in directory.iterdir())
    assert (first.outcome == "written") == written
    assert ("calls back into Python" in first.reason) == (not written)


def test_other_flags_are_another_key(directory, monkeypatch):
    x = jnp.ones(5)
    step = jax.jit(lambda x: jnp.sin(x) * 3)
    for name, value in zip(THRESHOLDS, (0, -1), strict=True):
        jax.config.update(name, value)
    with whyjit.record() as recorded:
        step(x)
        jax.clear_caches()
        # JAX reads the variable for each key, XLA only once: the program is compiled as before, under another key.
        monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_enable_fast_math=true")
        step(x)
    found = [
        one for f in recorded.report()["functions"] for one in f["findings"] if one["code"] == "persistent-cache-miss"
    ]
    assert len(found) == 1
    assert "are `--xla_cpu_enable_fast_math=true`" in found[0]["text"]


def test_nothing_is_recorded_without_a_directory():
    with whyjit.record() as recorded:
        jax.jit(lambda x: x + 2)(1.0)
    stages = [stage for spec in recorded.recording().specializations for stage in spec.stages]
    assert stages
    assert all(stage.disk is None for stage in stages)
