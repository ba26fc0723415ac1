"""One file per error code: its page, its own example, and its remedies."""

from __future__ import annotations

from whyjit.analyse.failure.codes import (
    boolean_mask,
    branch_mismatch,
    branch_on_value,
    carry_mismatch,
    concrete_needed,
    in_place,
    loop_on_value,
    non_array_argument,
    numpy_on_tracer,
    shape_from_value,
    tracer_leak,
    unhashable_static,
)
from whyjit.analyse.failure.codes.common import Fails
from whyjit.analyse.page import Page

_MODULES = (
    branch_on_value,
    loop_on_value,
    concrete_needed,
    numpy_on_tracer,
    boolean_mask,
    shape_from_value,
    unhashable_static,
    non_array_argument,
    tracer_leak,
    carry_mismatch,
    branch_mismatch,
    in_place,
)
PAGES: dict[str, Page] = {module.PAGE.code: module.PAGE for module in _MODULES}
FAILS: dict[str, Fails] = {module.PAGE.code: module.FAILS for module in _MODULES}

__all__ = ["FAILS", "PAGES"]
