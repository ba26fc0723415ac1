"""What the views choose to say, and in which order."""

import msgspec
import present_samples as samples
import pytest

from whyjit.model.finding import Finding
from whyjit.model.recording import Row, Stage
from whyjit.model.source import Location
from whyjit.present import compose, terminal
from whyjit.present.compose.ledger import window
from whyjit.present.compose.ranking import inside, rank


def text(document, width=100):
    return terminal.render(document, width=width)


def first_line(document):
    return text(document, 200).split("\n")[0]


@pytest.mark.parametrize(
    "built", [samples.digits, samples.many, samples.churn, samples.failed, samples.stale, samples.flips]
)
def test_the_summary_fits_a_screen(built):
    assert text(compose.summary(built().report, where=".whyjit/x"), 80).count("\n") <= 40


def test_the_first_line_says_what_was_lost_and_where_to_start():
    said = first_line(compose.summary(samples.digits().report))
    assert said.startswith("whyjit: 9.1 s of 14.2 s (64 %) went into tracing and compiling; 8.4 s of it was needless")
    assert said.endswith("start with train_step (digits.py:51)")


@pytest.mark.parametrize("built", [samples.calm, samples.nothing])
def test_nothing_to_report_takes_two_lines(built):
    assert text(compose.summary(built().report)).count("\n") == 2


def test_wrong_results_come_before_lost_time():
    stale, digits = samples.stale().report, samples.digits().report
    both = msgspec.structs.replace(digits, functions=(*digits.functions, *stale.functions))
    assert rank(both)[0].names == ("predict",)
    assert "`self.offset`" in first_line(compose.summary(both))


def test_needless_time_is_never_more_than_was_lost():
    digits = samples.digits().report
    step = digits.functions[0]
    greedy = msgspec.structs.replace(step, findings=(*step.findings, Finding("x", None, "x", "x", saves_s=1e6)))
    said = first_line(compose.summary(msgspec.structs.replace(digits, functions=(greedy, *digits.functions[1:]))))
    assert "; 8.8 s of it was needless" in said


def test_library_work_stands_under_the_line_that_called_it():
    lines = {line.names: line for line in rank(samples.digits().report)}
    group = lines["_normal", "true_divide"]
    assert (group.kind, group.calls, group.compiles) == ("library", 4, 4)
    assert [site.line for site in group.sites] == [33]


def test_library_functions_traced_inside_count_for_the_user_function():
    lines = {line.names: line for line in rank(samples.digits().report)}
    step = lines[("train_step",)]
    assert ("log_softmax",) not in lines
    assert step.inside_s == pytest.approx(40 * 0.015)
    assert step.lost_s == pytest.approx(40 * 0.2)


def test_all_lines_together_are_the_total():
    report = samples.digits().report
    totals = report.totals
    total = totals.trace_s + totals.lower_s + totals.compile_s
    assert sum(line.lost_s for line in rank(report)) == pytest.approx(total)


def test_a_failure_that_was_told_in_full_is_not_told_again():
    report = samples.failed().report
    assert "if x > 0:" in text(compose.summary(report))
    assert "if x > 0:" not in text(compose.summary(report, told=report.failures[0]))
    assert first_line(compose.summary(report, told=report.failures[0])).startswith("whyjit: 1 error while tracing")


def test_more_time_than_the_clock_shows_is_explained_by_threads():
    calm = samples.calm().report
    quick = msgspec.structs.replace(calm, totals=msgspec.structs.replace(calm.totals, seconds=0.5))
    assert "0.80 s of tracing and compiling in 0.50 s, in several threads at once" in first_line(compose.summary(quick))


def test_an_early_end_is_said():
    report = msgspec.structs.replace(samples.calm().report, complete=False)
    assert "The recording ended early" in text(compose.summary(report))


def test_the_next_command_survives_a_shell():
    report = samples.digits().report
    assert "whyjit why '<lambda>'" in text(
        compose.summary(msgspec.structs.replace(report, functions=report.functions[1:]))
    )


def test_op_by_op_work_is_called_so():
    report = samples.digits().report
    eager = msgspec.structs.replace(report, functions=(report.functions[3],))
    assert rank(eager)[0].kind == "eager"
    assert "op by op: true_divide" in text(compose.report(eager))


def test_a_finding_about_library_code_stands_at_the_line_it_names():
    report = samples.digits().report
    place = Location(samples.FILE, 33)
    finding = Finding(
        "eager-ops", None, "2 operations run one by one", "wrap them in a jit", saves_s=0.04, location=place
    )
    eager = msgspec.structs.replace(report.functions[3], findings=(finding,))
    lines = rank(msgspec.structs.replace(report, functions=(eager,)))
    assert [(line.names, line.findings) for line in lines] == [(("true_divide",), (finding,))]


def at_line(number, saves_s, function="normalise"):
    """An eager function of the digits' report as if it stood at another line of a function of the user's."""
    report = samples.digits().report
    place = Location(samples.FILE, number, function)
    one = report.functions[3]
    explained = one.specializations[0]
    made = msgspec.structs.replace(
        explained.specialization, function=900 + number, call_site=place, parent=None, number=1
    )
    finding = Finding("eager-ops", None, f"at {number}", f"jit it ({number})", saves_s=saves_s, location=place)
    return msgspec.structs.replace(
        one,
        function=msgspec.structs.replace(one.function, id=900 + number, name=f"digits.py:{number}"),
        specializations=(msgspec.structs.replace(explained, specialization=made),),
        findings=(finding,),
    )


def of(*functions):
    return msgspec.structs.replace(samples.digits().report, functions=functions)


def test_op_by_op_work_in_one_function_is_one_line_with_one_remedy():
    report = of(at_line(33, 0.01), at_line(35, 0.02), at_line(36, 0.005))
    (line,) = rank(report)
    assert [site.line for site in line.sites] == [35, 33, 36]
    assert line.compiles == sum(len(one.specializations) for one in report.functions)
    said = text(compose.summary(report))
    assert "jit it (35)" in said
    assert "likewise at lines 33, 36, where it saves 15 ms" in said
    assert "jit it (33)" not in said


def test_op_by_op_work_in_functions_without_a_name_is_not_put_together():
    assert len(rank(of(at_line(33, 0.01, "<module>"), at_line(35, 0.02, "<module>")))) == 2
    assert len(rank(of(at_line(33, 0.01, "load"), at_line(35, 0.02, "save")))) == 2


def test_the_next_command_is_about_what_the_first_line_says_to_start_with():
    digits = samples.digits().report
    costly = msgspec.structs.replace(
        digits.functions[0], findings=(Finding("x", None, "x", "x", saves_s=0.001), Finding("y", None, "y", "y"))
    )
    report = of(costly, at_line(33, 0.02))
    said = text(compose.summary(report), 200)
    assert "start with digits.py:33" in said.split("\n")[0]
    assert "next: whyjit why digits.py:33" in said


def test_what_saves_next_to_nothing_is_not_made_much_of():
    report = of(samples.digits().report.functions[0], at_line(33, 0.001))
    calm = of(msgspec.structs.replace(report.functions[0], findings=()), report.functions[1])
    said = text(compose.summary(calm), 200)
    assert said.split("\n")[0].endswith("; hardly any of it was needless (1.0 ms)")
    assert "jit it" not in said
    assert said.rstrip().endswith("next: whyjit report")


def test_a_functions_heading_names_what_the_ranking_counts_as_its_own():
    report = samples.digits().report
    spent = inside(report, report.functions[0])
    assert spent == pytest.approx(40 * 0.015)
    told = text(compose.why(report.functions[0], inside_s=spent), 200)
    assert "40 compiles, and 0.60 s in library functions traced inside it" in told
    assert "traced inside it" not in text(compose.why(report.functions[0]))
    assert "traced inside it" not in text(compose.why(report.functions[0], inside_s=0.002))  # read, both are the same


def test_the_ledger_has_columns_for_what_varies_and_a_list_of_what_does_not():
    built = samples.digits()
    said = text(compose.ledger(built.report.functions[0], built.rows[1], directory=samples.DIRECTORY), 160)
    head, table = said.split("\n\n")[:2]
    assert "params[0]['w']  f32[64,48]" in head
    assert table.split("\n")[0].split() == [
        "call", "count", "event", "called", "from", "eta", "images", "(+1)", "traces", "compiles", "why",
    ]  # fmt: skip
    assert table.split("\n")[2].split() == ["2", "20", "hit", "digits.py:72", "1.0", "f32[64,64]", "1", "1"]


def test_the_ledger_counts_calls_within_the_function():
    rows = [Row(order, 1, 1, "hit", Location("a.py", 1), 10, 0.0, 1, 1) for order in range(0, 50, 5)]
    head, tail, skipped = window(rows, 4)
    assert [item.call for item in head + tail] == [1, 11, 81, 91]
    assert skipped == 6
    assert window(rows, None)[2] == 0


def test_a_ledger_without_rows_or_specializations_says_so():
    function = samples.function_report(samples.digits().report.functions[0].function, [])
    assert "No call of it was recorded." in text(compose.ledger(function, []))
    stray = Row(1, 1, 99, "new", Location("", 0), 1, 0.0, 1, 1)
    assert "cause not known" in text(compose.ledger(function, [stray]))


def test_many_specializations_are_summed_by_cause():
    function = samples.digits().report.functions[0]
    said = text(compose.why(function))
    assert "7.0 s        38  3 ... 40  static `eta`" in said
    assert "1.0 -> 0.9091 ... 0.3571 -> 0.3448" in said
    assert text(compose.why(function, full=True)).count("compared with") == 39


def test_a_compile_without_a_trace_is_told_apart():
    assert "  lower 30 ms, compile 0.15 s" in text(compose.why(samples.flips().report.functions[0]))


def test_a_program_found_in_the_persistent_cache_is_not_a_compile():
    report = samples.calm().report
    explained = report.functions[0].specializations[0]
    loaded = (*explained.specialization.stages[:2], Stage("cache_load", 1.0, 0.02))
    made = msgspec.structs.replace(explained.specialization, stages=loaded)
    function = samples.function_report(
        report.functions[0].function, [msgspec.structs.replace(explained, specialization=made)]
    )
    said = text(compose.why(function))
    assert "0 compiles, 1 loaded from the persistent cache" in said
    assert "trace 0.10 s, lower 0.10 s, load 20 ms" in said


def test_equal_programs_differ_in_nothing():
    said = text(compose.program_difference(samples.program(), samples.program()))
    assert "the programs are the same" in said
    assert "6 equal lines" in said


def test_renamed_variables_are_no_difference():
    said = text(compose.program_difference(samples.program(), samples.program(extra=True), around=None))
    assert "1 equation differs (1 in operands); 1 equation only in the second" in said
    assert [line for line in said.split("\n") if line.startswith(("  + ", "  - "))] == [
        "  +   e:f32[64,10] = tanh d",
        "  -   e:f32[64] = reduce_sum[axes=(1,)] d",
        "  +   f:f32[64] = reduce_sum[axes=(1,)] e",
    ]


def test_programs_of_ten_thousand_equations_compare_quickly():
    inner = samples.program()
    long = msgspec.structs.replace(inner, equations=inner.equations * 2000)
    other = msgspec.structs.replace(inner, equations=(*long.equations[:5000], *samples.program(extra=True).equations))
    assert "differ" in text(compose.program_difference(long, other))


def test_the_doctor_names_gaps_first():
    said = text(compose.doctor(samples.DOCTOR))
    assert said.index("persistent cache") < said.index("misses")
    assert "Everything can be observed here." in text(compose.doctor(samples.DOCTOR[:2]))
