"""Does padding reach the results? Calls are padded, the padding is poisoned, and results are compared.

Three comparisons are made, and they answer different questions.

- By size: the padded call, filled as it will be, against the call as it was. Two programs of different sizes may round
  differently, so floats may differ by a tolerance (a share of the largest value in the array, by dtype).
- By content: the padded call against itself with other padding (a large number, its negative, random values like the
  valid ones). It is one executable with the same valid inputs, so the results must be equal bit for bit; the least
  difference means that the padding was read.
- By gradient: of a weighted sum of all float outputs with respect to every float input.

The first two are repeated with other valid values (all positive, all negative, in another order, with every mask full):
a function such as the largest entry is right with padding of 0 as long as the values happen to be positive.
"""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whyjit.errors import WhyjitError
from whyjit.jaxlink import jits, outputs, padded_gradients, padding
from whyjit.model.padding import Leak, Safety

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from whyjit.jaxlink.padding import Located, Place

    Case = tuple[Located, int]
    Filler = Callable[[Place], Any]

_BIG = 1e4
# How many cases are tried with other values and by their gradients.
_THOROUGH = 2
_CONTENTS = ("big", "negative", "random")
# Which leaks are worse: what is wrong with the right filling comes first.
_ORDER = ("shape", "size", "content", "rounding")


def examine(function: Any, cases: Sequence[Case], fill: Filler, deadline: float = float("inf")) -> Safety:
    """Try whether a function's results stay the same when its arguments are padded.

    Arguments:
      function: the jitted function. It is called about seven times for each case.
      cases: calls, each with the size to pad it to. The smallest and the largest that are padded are tried with other
        values, too.
      fill: the value that each array is padded with in use.
      deadline: the moment of `time.monotonic` after which no further case is begun.
    """
    trial = _Trial(function, fill)
    ordered = _ordered(cases)
    if not ordered or ordered[0][0].size == ordered[0][1]:
        return Safety("untold", note="no call would be padded: each has the size of a bucket")
    tried: list[Case] = []
    note = ""
    try:
        for case in ordered:
            if tried and time.monotonic() > deadline:
                break
            trial.case(case, thorough=len(tried) < _THOROUGH)
            tried.append(case)
    except _UntoldError as told:
        note = str(told)
    sizes = tuple((located.size, size) for located, size in tried)
    if note:
        return Safety("untold", note=note, tried=sizes)
    leaks = trial.found()
    verdict = _verdict(leaks)
    masks: tuple[str, ...] = ()
    if verdict in ("zeros", "leaks") and all(leak.kind != "shape" for leak in leaks):
        masks, again = _masks(trial, tried)
        trial = again or trial
    if masks:
        verdict, leaks = "masked", ()
    compared = padded_gradients.NOTHING
    if verdict in ("safe", "masked"):
        compared = padded_gradients.compare(trial.call, tried[:_THOROUGH], fill)
    return Safety(
        verdict,
        leaks,
        masks,
        spreads_nan=trial.spreads_nan,
        gradients=compared.verdict,
        gradient_note=compared.note,
        tried=sizes,
    )


def _verdict(leaks: Sequence[Leak]) -> Any:
    kinds = {leak.kind for leak in leaks}
    if kinds & {"shape", "size"}:
        return "leaks"
    return "zeros" if kinds else "safe"


def _ordered(cases: Sequence[Case]) -> list[Case]:
    """Those that are padded, the smallest and the largest first; then the others."""
    padded = sorted((case for case in cases if case[0].size != case[1]), key=lambda case: case[0].size)
    whole = [case for case in cases if case[0].size == case[1]]
    return [*padded[:1], *padded[1:][-1:], *padded[1:-1], *whole]


def _masks(trial: _Trial, cases: Sequence[Case]) -> tuple[tuple[str, ...], _Trial | None]:
    """The fewest arrays of truth values whose own filling keeps the rest of the padding from the results.

    With them comes the trial that showed it.
    """
    places = [place.path for place, _ in cases[0][0].places()]
    for held in _candidates(cases):
        if len(held) == len(places):
            continue  # nothing would be poisoned
        again = _Trial(trial.function, trial.fill, held)
        try:
            for number, case in enumerate(cases):
                again.case(case, thorough=number < _THOROUGH)
        except _UntoldError:
            continue
        if not again.found():
            return held, again
    return (), None


def _candidates(cases: Sequence[Case]) -> list[tuple[str, ...]]:
    """Arrays that may be masks: booleans first, one by one and all; then numbers that are all 0 or 1."""
    kinds = [dict(_mask_kinds(located)) for located, _ in cases]
    sure = tuple(path for path in kinds[0] if all(kind.get(path) == "b" for kind in kinds))
    possible = tuple(path for path in kinds[0] if all(kind.get(path) for kind in kinds))
    rest = [path for path in possible if path not in sure]
    return [held for held in dict.fromkeys([*((path,) for path in (*sure, *rest)), sure, possible]) if held]


def _mask_kinds(located: Located) -> Iterator[tuple[str, str]]:
    for place, leaf in located.places():
        if not padding.is_tracer(leaf):
            values = outputs.plain(np.asarray(leaf))
            if values.dtype.kind == "b":
                yield place.path, "b"
            elif values.size and np.isin(values, (0, 1)).all():
                yield place.path, "n"


class _UntoldError(Exception):
    """Nothing can be said, for the reason in the message."""


class _Trial:
    """Calls of one function with padding of many kinds, and the leaks seen. Arrays in `held` keep their own filling."""

    def __init__(self, function: Any, fill: Filler, held: tuple[str, ...] = ()) -> None:
        self.function = function
        self.fill = fill
        self.spreads_nan = False
        self._held = held
        self._leaks: dict[tuple[str, str], Leak] = {}
        options = dict(jits.options_of(jits.info_of(function))) if jits.info_of(function) is not None else {}
        self._donates = bool(set(options) & {"donate_argnums", "donate_argnames"})

    def found(self) -> tuple[Leak, ...]:
        """The leaks, the worst first."""
        return tuple(sorted(self._leaks.values(), key=lambda leak: _ORDER.index(leak.kind)))

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the function. What it donates is a copy."""
        if self._donates:
            args, kwargs = padding.copied(args, kwargs)
        return self.function(*args, **kwargs)

    def case(self, case: Case, *, thorough: bool) -> None:
        """Try one call with one size to pad it to."""
        located, size = case
        self._compare(located, size, "", certain=True)
        if thorough:
            for kind in ("positive", "negative", "turned"):
                changed = padding.with_values(located, functools.partial(self._other, kind))
                self._compare(changed, size, f" of {kind} values")

    def _other(self, kind: str, place: Place, leaf: Any) -> Any:
        """Other valid values of the same type: floats of one sign, whole numbers in another order, full masks."""
        values = np.asarray(leaf)
        if values.dtype.kind == "b" or place.path in self._held:
            return np.ones_like(values) if kind != "turned" else values
        if kind == "turned" or values.dtype.kind in "iu":
            return np.flip(values, place.axes)
        sign = 1 if kind == "positive" else -1
        return (sign * (np.abs(values) + np.asarray(1, values.dtype))).astype(values.dtype)

    def _compare(self, located: Located, size: int, what: str, *, certain: bool = False) -> None:
        reference = self._results(*padding.unpadded(located))
        if certain and _far(reference.values, self._results(*padding.unpadded(located)).values, exact=True):
            raise _UntoldError("it gives different results for the same arguments")
        if located.size == size:
            return
        where = f"when size {located.size}{what} is padded to {size}"
        filled = self._results(*located.padded(size, self.fill))
        try:
            outputs.rule_from((located.size, reference.outputs), (size, filled.outputs))
        except WhyjitError as fault:
            self._leaks[("", "shape")] = Leak("output", "shape", fault.message)
            return
        cut = _cropped(filled, reference)
        for at in _far(cut, reference.values):
            self._leak(
                reference, at, "size", f"differs {where} with its own filling: {_example(cut, reference.values, at)}"
            )
        for content in _CONTENTS:
            poisoned = _cropped(self._results(*located.padded(size, self._poison(located, size, content))), reference)
            far = _far(poisoned, cut)
            for at in _far(poisoned, cut, exact=True):
                kind = "content" if at in far else "rounding"
                shown = _example(poisoned, cut, at)
                self._leak(reference, at, kind, f"changes with the content of the padding {where}: {shown}")
        spoilt = _cropped(self._results(*located.padded(size, self._poison(located, size, "nan"))), reference)
        self.spreads_nan |= any(_nans(one) > _nans(other) for one, other in zip(spoilt, cut, strict=True))

    def _leak(self, reference: _Results, at: int, kind: Any, text: str) -> None:
        path = reference.outputs[at].path
        self._leaks.setdefault((path, kind), Leak(path, kind, text))

    def _results(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Results:
        try:
            result = self.call(args, kwargs)
            return _Results(outputs.outputs_of(result), outputs.values_of(result))
        except Exception as fault:
            text = " ".join(f"{type(fault).__name__}: {fault}".split())
            raise _UntoldError(f"it fails when it is called with made sizes: {text[:300]}") from fault

    def _poison(self, located: Located, size: int, content: str) -> Filler:
        leaves = dict(located.places())

        def filler(place: Place) -> Any:
            if place.path in self._held:
                return self.fill(place)
            return _poison(np.asarray(leaves[place]), place, size, content)

        return filler


class _Results(NamedTuple):
    outputs: list[outputs.Output]
    values: list[np.ndarray[Any, Any]]


def _poison(values: np.ndarray[Any, Any], place: Place, size: int, content: str) -> Any:
    """A filling of the array's type. Floats reach ten times the largest valid one; whole numbers stay in range."""
    kind = values.dtype.kind
    random, shape = np.random.default_rng(1), _shape(values, place, size)
    if kind == "b":
        return random.random(shape) < 0.5 if content == "random" else content == "big"
    if kind in "iu":
        limits = np.iinfo(values.dtype)
        low, high = (int(values.min()), int(values.max())) if values.size else (0, 1)
        if content == "random":
            return random.integers(low, high, shape, endpoint=True).astype(values.dtype)
        return {"big": int(min(_BIG, limits.max)), "negative": int(max(-_BIG, limits.min))}.get(content, low)
    if content == "nan":
        return np.nan
    sizes = np.abs(outputs.plain(values))
    most = float(sizes.max(initial=0.0, where=np.isfinite(sizes)))
    if content == "random":
        return (random.standard_normal(shape) * (most + 1)).astype(values.dtype)
    return (1 if content == "big" else -1) * min(max(_BIG, 10 * most), outputs.largest(values.dtype) / 4)


def _shape(values: np.ndarray[Any, Any], place: Place, size: int) -> tuple[int, ...]:
    return tuple(size if axis in place.axes else length for axis, length in enumerate(values.shape))


def _cropped(results: _Results, like: _Results) -> list[np.ndarray[Any, Any]]:
    return [
        values[tuple(slice(0, size) for size in output.shape)]
        for values, output in zip(results.values, like.outputs, strict=True)
    ]


def _far(
    one: Sequence[np.ndarray[Any, Any]], other: Sequence[np.ndarray[Any, Any]], *, exact: bool = False
) -> list[int]:
    """The numbers of the arrays that differ: at all, or by more than the tolerance of their dtype."""
    return [at for at, (a, b) in enumerate(zip(one, other, strict=True)) if not outputs.same(a, b, exact=exact)]


def _nans(values: np.ndarray[Any, Any]) -> int:
    plain = outputs.plain(values)
    return int(np.isnan(plain).sum()) if plain.dtype.kind in "fc" else 0


def _example(one: Sequence[np.ndarray[Any, Any]], other: Sequence[np.ndarray[Any, Any]], at: int) -> str:
    """The entry that differs most."""
    a, b = outputs.plain(one[at]), outputs.plain(other[at])
    apart = (a != b) & ~((a != a) & (b != b))  # noqa: PLR0124 - true for NaN alone
    if not apart.any():
        return "not told"
    with np.errstate(all="ignore"):
        distance = np.where(apart, np.nan_to_num(np.abs(a.astype(np.complex128) - b), nan=np.inf), -1.0)
    where = np.unravel_index(int(np.argmax(distance)), a.shape)
    entry = f" at [{', '.join(str(int(index)) for index in where)}]" if a.shape else ""
    return f"{_number(a[where])} instead of {_number(b[where])}{entry}"


def _number(value: Any) -> str:
    return f"{value:.6g}" if value.dtype.kind in "fc" else str(value)
