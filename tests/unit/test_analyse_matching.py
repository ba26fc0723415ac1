"""Which functions of two recordings are held to be the same one, and which are not."""

from present_builders import DIRECTORY, FIRST, fingerprint, function_report, leaf, signature

from whyjit.analyse.matching import matched
from whyjit.model.finding import Explained
from whyjit.model.recording import Function, Specialization
from whyjit.model.source import Location


def function(name, file="a.py", line=1, *, parameters=("x",), origin="user", program="", operations=()):
    about = Function(
        hash((name, file, line)) % 10_000, name.rpartition(".")[2], name, f"{DIRECTORY}/{file}", line, origin
    )
    made = [
        Explained(
            Specialization(
                about.id, number, signature([leaf(path) for path in parameters]), Location(file, 9),
                operation=operation, fingerprint=fingerprint(program, 3) if program else None,
            ),
            FIRST,
        )
        for number, operation in enumerate(operations or [""], 1)
    ]  # fmt: skip
    return function_report(about, made)


def pairs(before, after, directories=(DIRECTORY, DIRECTORY)):
    """Names and lines of what was matched, and how."""

    def side(reports):
        return [f"{each.function.qualname}:{each.function.line}" for each in reports]

    return sorted((side(each.before), side(each.after), each.match) for each in matched(before, after, directories))


def test_moved_lines_are_no_matter():
    before = [function("step", line=10), function("Model.loss", line=30)]
    after = [function("Model.loss", line=5), function("step", line=100)]
    assert pairs(before, after) == [
        (["Model.loss:30"], ["Model.loss:5"], "name"),
        (["step:10"], ["step:100"], "name"),
    ]


def test_another_name_is_another_function():
    assert pairs([function("step")], [function("train_step")]) == [
        ([], ["train_step:1"], "none"),
        (["step:1"], [], "none"),
    ]
    assert pairs([function("main.<locals>.step")], [function("step")]) == [
        ([], ["step:1"], "none"),
        (["main.<locals>.step:1"], [], "none"),
    ]


def test_a_method_is_not_the_function_of_its_name():
    found = pairs([function("A.step"), function("B.step")], [function("B.step")])
    assert found == [(["A.step:1"], [], "none"), (["B.step:1"], ["B.step:1"], "name")]


def test_the_folder_of_the_run_is_no_matter():
    before, after = function("step"), function("step")
    elsewhere = after.function.__class__(1, "step", "step", "/home/bob/a.py", 1, "user")
    moved = after.__class__(elsewhere, *[getattr(after, name) for name in after.__struct_fields__[1:]])
    assert pairs([before], [moved], (DIRECTORY, "/home/bob")) == [(["step:1"], ["step:1"], "name")]


def test_a_renamed_file_is_recognised_by_its_names():
    before = [function("step", "old.py"), function("loss", "old.py"), function("gone", "old.py")]
    after = [function("step", "new.py", parameters=("x", "y")), function("loss", "new.py"), function("fresh", "new.py")]
    assert pairs(before, after) == [
        ([], ["fresh:1"], "none"),
        (["gone:1"], [], "none"),
        (["loss:1"], ["loss:1"], "renamed-file"),
        (["step:1"], ["step:1"], "renamed-file"),
    ]


def test_a_file_that_is_still_there_was_not_renamed():
    before = [function("step", "a.py", parameters=("x",)), function("loss", "a.py")]
    after = [function("step", "b.py", parameters=("q",)), function("loss", "a.py")]
    assert pairs(before, after) == [
        ([], ["step:1"], "none"),
        (["loss:1"], ["loss:1"], "name"),
        (["step:1"], [], "none"),
    ]


def test_two_files_that_share_as_many_names_are_no_rename():
    before = [function("step", "old.py", parameters=("a",))]
    after = [function("step", "one.py"), function("step", "two.py")]
    assert [match for _, _, match in pairs(before, after)] == ["none"] * 3


def test_a_function_moved_between_files_needs_its_parameters_too():
    before = [function("step", "a.py"), function("loss", "a.py"), function("x", "b.py")]
    after = [function("loss", "a.py"), function("step", "b.py"), function("x", "b.py")]
    assert (["step:1"], ["step:1"], "moved") in pairs(before, after)


def test_functions_of_one_name_are_told_apart_by_what_they_do():
    before = [
        function("main.<locals>.<lambda>", line=10, program="p"),
        function("main.<locals>.<lambda>", line=20, program="q"),
    ]
    after = [
        function("main.<locals>.<lambda>", line=12, program="q"),
        function("main.<locals>.<lambda>", line=15, program="p"),
        function("main.<locals>.<lambda>", line=18, program="new"),
    ]
    name = "main.<locals>.<lambda>"
    assert pairs(before, after) == [
        ([], [f"{name}:18"], "none"),
        ([f"{name}:10"], [f"{name}:15"], "name"),
        ([f"{name}:20"], [f"{name}:12"], "name"),
    ]


def test_what_cannot_be_told_apart_is_counted_together():
    before = [function("<lambda>", line=10), function("<lambda>", line=20)]
    after = [function("<lambda>", line=11), function("<lambda>", line=15), function("<lambda>", line=25)]
    ((left, right, match),) = pairs(before, after)
    assert (len(left), len(right), match) == (2, 3, "together")


def test_as_many_of_one_name_are_told_apart_by_their_lines():
    before = [function("<lambda>", line=10), function("<lambda>", line=20)]
    after = [function("<lambda>", line=10), function("<lambda>", line=22)]
    assert pairs(before, after) == [
        (["<lambda>:10"], ["<lambda>:10"], "name"),
        (["<lambda>:20"], ["<lambda>:22"], "name"),
    ]


def test_operations_called_one_by_one_are_matched_by_the_function_they_are_in():
    before = [function("main", line=10, origin="eager", operations=("add", "mul"))]
    after = [function("main", line=14, origin="eager", operations=("add", "mul")), function("main", line=3)]
    assert pairs(before, after) == [
        ([], ["main:3"], "none"),
        (["main:10"], ["main:14"], "name"),
    ]


def test_packages_are_matched_wherever_they_are_installed():
    before = [function("dot", "../../opt/v1/lib/python3.11/site-packages/jax/x.py", origin="library")]
    after = [function("dot", "../../opt/v2/lib/python3.12/site-packages/jax/x.py", origin="library")]
    assert pairs(before, after) == [(["dot:1"], ["dot:1"], "name")]
