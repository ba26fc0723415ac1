"""What was seen of a reader's answer: its trial, the ledger of its functions, and its source."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Json = dict[str, Any]

_CLOCKS = {"time", "perf_counter", "perf_counter_ns", "monotonic", "process_time", "timeit"}


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence about an answer. One that is "wrong" keeps it from passing."""

    kind: Literal["right", "note", "wrong"]
    text: str


@dataclass(frozen=True, slots=True)
class Seen:
    """The trial as the harness wrote it, and the report of the same run."""

    file: Path
    source: str
    trial: Json
    functions: list[Json] = field(default_factory=list)
    failures: list[Json] = field(default_factory=list)

    @property
    def checks(self) -> list[Json]:
        """The comparisons that were made, in their order."""
        checks: list[Json] = self.trial.get("checks", [])
        return checks

    @property
    def remarks(self) -> list[str]:
        """What the trial has to say besides, neither right nor wrong."""
        remarks: list[str] = self.trial.get("remarks", [])
        return remarks

    @property
    def operations(self) -> list[str] | None:
        """The operations of the program, with those inside others; None where the trial did not look, or could not."""
        operations: list[str] | None = self.trial.get("operations")
        return operations

    @property
    def others(self) -> dict[str, int]:
        """Jits of functions that are not the reader's own, by the name they have there: how many programs each has."""
        others: dict[str, int] = self.trial.get("others", {})
        return others

    @property
    def op_by_op(self) -> list[int]:
        """The lines of the answer that ran operations of JAX's at calls, outside any jitted function."""
        if self.others:
            return []  # the ledger books such a jit under the line that calls it
        return sorted({each["line"] for each in self.functions if each["origin"] == "eager" and each["calls"]})

    @property
    def traced(self) -> list[Json]:
        """The reader's own functions that JAX traced at a call, those called from outside any trace first."""
        mine = [each for each in self.functions if each["origin"] == "user" and each["traces"]]
        return sorted(mine, key=lambda each: (not each["calls"], each["line"]))

    def reads_a_clock(self) -> int | None:
        """The line on which the answer reads the time, None where it does not."""
        for node in ast.walk(_tree(self.source)):
            name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
            if name in _CLOCKS - {"time"} or (name == "time" and isinstance(node, ast.Attribute)):
                return getattr(node, "lineno", None)
        return None

    def mentions(self, *names: str) -> bool:
        """Whether the answer uses one of these names."""
        found = {node.attr for node in ast.walk(_tree(self.source)) if isinstance(node, ast.Attribute)}
        found |= {node.id for node in ast.walk(_tree(self.source)) if isinstance(node, ast.Name)}
        return bool(found & set(names))


def later(function: Json) -> list[Json]:
    """The specializations of a function after its first."""
    found: list[Json] = function["specializations"][1:]
    return found


def statics(function: Json) -> dict[str, list[str]]:
    """The static arguments of a function, each with its distinct values as text."""
    found: dict[str, list[str]] = {}
    for each in function["specializations"]:
        for argument in each["arguments"]:
            if argument["role"] == "static":
                values = found.setdefault(argument["path"], [])
                if argument["value"] not in values:
                    values.append(argument["value"])
    return found


def _tree(source: str) -> ast.AST:
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.Module([], [])
