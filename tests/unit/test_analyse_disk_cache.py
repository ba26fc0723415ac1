"""Two runs and JAX's persistent cache: what was found, what was not, and which component of the key differs."""

import jsonschema
from analyse_builders import leaf, program, report, spec

from whyjit.analyse import disk_words
from whyjit.analyse.disk_cache import compare
from whyjit.model.disk import Disk
from whyjit.model.recording import Environment, Function, Recording, Stage
from whyjit.present import terminal
from whyjit.present.cache_json import cache_dict, schema
from whyjit.present.compose.cache import cache

PARTS = {
    "computation": "p1",
    "jax_lib version": "0.10.2",
    "XLA flags": "",
    "compile_options": "a" * 32,
    "compile_options as read": "num_partitions=1; num_replicas=1",
    "accelerator_config": "b" * 32,
}
TOO_QUICK = "it compiled in 0.2 s, less than jax_persistent_cache_min_compile_time_secs (1)"


def looked(outcome, seconds=0.5, reason="", directory="cache", **parts):
    disk = Disk("", tuple({**PARTS, **parts}.items()), outcome, reason, directory)
    return Stage("cache_load" if outcome == "found" else "compile", 1.0, seconds, seconds, disk=disk)


def run(*stages, size=3, name="step", fingerprint="p", started=0.0):
    environment = Environment("3.11", "0.10.2", "0.10.2", "cpu", started=started)
    function = Function(1, name, name, "train.py", 3, "user")
    specs = tuple(
        spec(number, leaf("x", size), stages=(stage,), fingerprint=program(fingerprint))
        for number, stage in enumerate(stages, 1)
    )
    return Recording(environment, (), (function,), specs)


def verdict(earlier, later):
    (found,) = compare([earlier], [later]).verdicts
    return found


def test_found_saves_the_earlier_compile():
    compared = compare([run(looked("written", 0.5))], [run(looked("found", 0.125))])
    assert [one.status for one in compared.verdicts] == ["found"]
    assert (compared.saved_s, compared.spared_s) == (0.375, 0)


def test_flags_that_differ_are_named_without_those_that_do_not():
    flags = {"XLA flags": "--xla_a=1 --xla_b=2"}, {"XLA flags": "--xla_b=2 --xla_c=3", "compile_options": "c" * 32}
    found = verdict(run(looked("written", **flags[0])), run(looked("written", **flags[1])))
    assert found.status == "key"
    said = disk_words.reason(found)
    assert said.endswith("the XLA flags were `--xla_a=1` and are `--xla_c=3`")
    assert "XLA_FLAGS" in disk_words.remedy(found)


def test_options_that_differ_are_told_as_they_were_read():
    options = {"compile_options": "d" * 32, "compile_options as read": "num_partitions=2; num_replicas=1"}
    found = verdict(run(looked("written")), run(looked("written", **options)))
    assert "the compile options were `num_partitions=1` and are `num_partitions=2`" in disk_words.reason(found)


def test_digests_are_not_shown():
    found = verdict(run(looked("written")), run(looked("written", accelerator_config="e" * 32)))
    assert disk_words.reason(found).endswith("the devices differ")


def test_versions_are_named():
    found = verdict(run(looked("written")), run(looked("written", **{"jax_lib version": "0.12.0"})))
    assert "the version of jaxlib was `0.10.2` and is `0.12.0`" in disk_words.reason(found)


def test_the_nearest_key_is_told():
    far = looked("written", **{"jax_lib version": "0.9", "XLA flags": "--xla_a=1"})
    near = looked("written", **{"XLA flags": "--xla_a=1"})
    assert [name for name, _, _ in verdict(run(far, near), run(looked("written"))).differs] == ["XLA flags"]


def test_an_entry_that_was_not_written_says_why():
    found = verdict(run(looked("unwritten", 0.2, TOO_QUICK)), run(looked("unwritten", 0.2, TOO_QUICK)))
    assert found.status == "unwritten"
    assert disk_words.remedy(found) == 'jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)'


def test_an_entry_that_was_written_and_is_not_found():
    assert verdict(run(looked("written")), run(looked("written"))).status == "gone"
    assert verdict(run(looked("written")), run(looked("written", directory="other"))).status == "elsewhere"


def test_an_entry_that_was_written_only_afterwards():
    found = verdict(run(looked("written"), started=1000.0), run(looked("written"), started=1000.25))
    assert found.status == "unwritten"
    assert "the runs overlapped" in disk_words.reason(found)
    assert disk_words.remedy(found) == "start the later run when the earlier one has compiled"
    assert verdict(run(looked("written"), started=1000.0), run(looked("written"), started=1000.5)).status == "gone"


def test_another_program_of_the_function():
    found = verdict(run(looked("written"), size=3), run(looked("written", computation="p2"), size=4))
    assert found.status == "program"
    assert [(change.kind, change.path) for change in found.changes] == [("shape", "x")]


def test_the_program_of_another_function_is_another_key():
    assert verdict(run(looked("written"), name="other"), run(looked("written"))).status == "new"


def test_no_cache():
    plain = run(Stage("compile", 1.0, 0.5, 0.5))
    compared = compare([plain], [plain])
    assert (compared.later_used, compared.verdicts[0].status) == (False, "off")
    assert "jax_compilation_cache_dir was not set" in shown(compared)


def shown(compared):
    return terminal.render(cache(compared, earlier="A", later="B"), width=100, color=False, unicode=True)


def test_the_document_and_the_json():
    before = run(looked("written"), looked("unwritten", 0.2, TOO_QUICK, computation="p2"))
    flags = {"XLA flags": "--xla_c=3"}
    after = run(looked("written", **flags), looked("unwritten", 0.25, TOO_QUICK, computation="p2"))
    compared = compare([before], [after])
    text = shown(compared)
    assert "0.75 s of compiling could have been spared" in text
    assert "the XLA flags were none and are `--xla_c=3`" in " ".join(text.split())
    data = cache_dict(compared)
    jsonschema.Draft202012Validator(schema()).validate(data)
    assert data["spared_s"] == 0.75
    assert [one["status"] for one in data["compiles"]] == ["key", "unwritten"]
    assert data["compiles"][0]["differs"] == [{"component": "XLA flags", "earlier": "", "later": "--xla_c=3"}]


def misses(*stages, **more):
    specs = [spec(number, leaf("x", 3), stages=(stage,)) for number, stage in enumerate(stages, 1)]
    return [one for one in report(*specs, **more).findings if one.code == "persistent-cache-miss"]


def test_finding_for_a_program_compiled_twice_in_one_run():
    (found,) = misses(looked("unwritten", 0.2, TOO_QUICK), looked("unwritten", 0.25, TOO_QUICK))
    assert "was not written: it compiled in 0.2 s" in found.text
    assert found.saves_s == 0.25


def test_finding_is_quiet_for_a_first_compile_and_for_loads():
    assert misses(looked("unwritten", 0.2, TOO_QUICK), looked("written", computation="p2")) == []
    assert misses(looked("written"), looked("found", 0.1)) == []


def test_finding_is_quiet_for_eager_operations():
    assert misses(looked("unwritten"), looked("unwritten"), origin="eager") == []
