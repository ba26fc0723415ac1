"""Retraces that were needless beyond doubt: the program they made was there already, letter for letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.analyse.group import Group

if TYPE_CHECKING:
    from whyjit.model.finding import Explained, FunctionReport


def needless_retraces(report: FunctionReport) -> list[Explained]:
    """The specializations of a function that were traced to the program of an earlier one."""
    group = Group(report.function, report.specializations)
    return [
        one
        for one in group.later
        if one.delta == "identical" and any(stage.kind == "trace" for stage in one.specialization.stages)
    ]
