"""`whyjit show FUNCTION --roles`: the roles of a recorded function's inputs."""

from __future__ import annotations

import linecache
from typing import TYPE_CHECKING

from whyjit.cli import common, functions
from whyjit.errors import WhyjitError

if TYPE_CHECKING:
    from pathlib import Path

    from whyjit.cli.common import Analysed
    from whyjit.model.failure import Failure
    from whyjit.model.finding import Explained, FunctionReport
    from whyjit.model.program import Program
    from whyjit.model.recording import Specialization
    from whyjit.model.roles import Roles


def show(function: str, run: Path | None, json_file: Path | None) -> None:
    """Print the roles of `FUNCTION` or `FUNCTION@N` in a run, or write them as JSON."""
    from whyjit.present import compose
    from whyjit.present.roles_json import roles_dict

    wanted = functions.parse(function)
    if wanted.last is not None:
        raise WhyjitError("--roles is about one specialization; name it as FUNCTION@N")
    found = common.analysed(run)
    report = functions.find(found.report, wanted.name)
    chosen = _last(report) if wanted.first is None else functions.specialization(report, wanted.first)
    roles = recorded(found, report, chosen.specialization)
    directory = found.report.environment.directory
    if json_file is not None:
        common.write_json(json_file, roles_dict(roles, directory))
    else:
        common.print_document(compose.roles(roles, directory=directory))


def _last(report: FunctionReport) -> Explained:
    if not report.specializations:
        raise WhyjitError(f"no call of {report.function.name} was recorded")
    traced = [explained for explained in report.specializations if explained.specialization.program]
    return (traced or list(report.specializations))[-1]


def recorded(found: Analysed, report: FunctionReport, spec: Specialization) -> Roles:
    """The roles of a specialization's inputs, as far as the recording shows them."""
    from whyjit.analyse import roles as reading
    from whyjit.model.roles import Roles
    from whyjit.store import reader

    def program_of(one: Specialization) -> Program | None:
        return reader.program(found.file, one.program) if one.program else None

    program = program_of(spec)
    failure = _failure(found, report, spec)
    message = "" if failure is None else f"{failure.code}: {failure.text}"
    error = (message or spec.error) if spec.error else ""
    others = [explained.specialization for explained in report.specializations]
    notes = [f"specialization {spec.number} of {len(others)}, as recorded"]
    if reading.unvaried(spec, others):
        notes.append(f"what depends on a static is staged and compared by: whyjit probe --call {report.function.name}")
    return Roles(
        report.function.name,
        report.function.file,
        report.function.line,
        "recorded",
        # A wrapper that splits arrays from the rest leaves statics that are leaves of arguments, not parameters.
        reading.runtime_values(spec.signature, program, failure, error, in_order=not reading.is_split(spec.signature)),
        reading.metadata(spec.signature),
        tuple(
            reading.static_role(
                static,
                list(reading.recorded_values(spec, others, static.path, program_of)),
                program,
                linecache.getline,
            )
            for static, _ in reading.all_statics(spec.signature)
        ),
        spec.constants,
        error,
        tuple(notes),
    )


def _failure(found: Analysed, report: FunctionReport, spec: Specialization) -> Failure | None:
    """The explained error that ended the specialization's trace, where there is only one that can be meant."""
    if not spec.error:
        return None
    meant = [
        failure
        for failure in found.report.failures
        if failure.error == spec.error and failure.called.rpartition(".")[2] == report.function.name
    ]
    return meant[0] if len(meant) == 1 else None
