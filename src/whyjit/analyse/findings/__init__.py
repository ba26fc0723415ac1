"""Findings: one file each, holding the code, how it is found, its message, and its page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from whyjit.analyse.findings import (
    baked_constant,
    cache_cleared,
    call_form_flip,
    context_flip,
    dtype_flip,
    eager_control_flow,
    eager_ops,
    jit_options_differ,
    new_function_each_call,
    persistent_cache_miss,
    second_step_recompile,
    shape_churn,
    sharding_flip,
    slow_path,
    stale_constant,
    static_churn,
    static_decides_nothing,
    static_identity,
    static_is_data,
    structure_flip,
    unrolled_loop,
    weak_type_flip,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whyjit.analyse.group import Group
    from whyjit.analyse.page import Page
    from whyjit.model.finding import Finding


class Rule(Protocol):
    """A module that finds one kind of problem."""

    PAGE: Page

    def find(self, group: Group) -> Iterator[Finding]:
        """The findings of this kind in a function group."""


# A silent wrong result ranks before lost time.
RULES: tuple[Rule, ...] = (
    stale_constant,
    static_decides_nothing,
    static_is_data,
    static_identity,
    static_churn,
    new_function_each_call,
    second_step_recompile,
    shape_churn,
    dtype_flip,
    weak_type_flip,
    structure_flip,
    call_form_flip,
    context_flip,
    sharding_flip,
    jit_options_differ,
    cache_cleared,
    eager_ops,
    eager_control_flow,
    slow_path,
    baked_constant,
    persistent_cache_miss,
    unrolled_loop,
)
