"""What each view says, and in which order: the only place that chooses and sorts."""

from __future__ import annotations

from whyjit.present.compose.difference import program_difference
from whyjit.present.compose.doctor import doctor
from whyjit.present.compose.failures import failure
from whyjit.present.compose.ledger import ledger
from whyjit.present.compose.programs import program
from whyjit.present.compose.report import report
from whyjit.present.compose.summary import summary
from whyjit.present.compose.why import why

__all__ = ["doctor", "failure", "ledger", "program", "program_difference", "report", "summary", "why"]
