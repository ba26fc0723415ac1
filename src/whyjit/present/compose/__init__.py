"""What each view says, and in which order: the only place that chooses and sorts."""

from __future__ import annotations

from whyjit.present.compose.advice import advice
from whyjit.present.compose.cache import cache
from whyjit.present.compose.check import check
from whyjit.present.compose.compare import compare
from whyjit.present.compose.difference import program_difference
from whyjit.present.compose.doctor import doctor
from whyjit.present.compose.failures import failure
from whyjit.present.compose.ledger import ledger
from whyjit.present.compose.lines import by_line
from whyjit.present.compose.probe import probe
from whyjit.present.compose.processes import processes
from whyjit.present.compose.programs import program
from whyjit.present.compose.report import report
from whyjit.present.compose.roles import roles
from whyjit.present.compose.staged import staged
from whyjit.present.compose.summary import summary
from whyjit.present.compose.why import why

__all__ = [
    "advice",
    "by_line",
    "cache",
    "check",
    "compare",
    "doctor",
    "failure",
    "ledger",
    "probe",
    "processes",
    "program",
    "program_difference",
    "report",
    "roles",
    "staged",
    "summary",
    "why",
]
