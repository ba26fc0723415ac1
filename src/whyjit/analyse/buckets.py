"""Which sizes to pad to: the fewest seconds of compiling and running, found exactly.

A call of size n is padded to the smallest bucket b >= n. Buckets B for calls of sizes n_1 ... n_m, made c_1 ... c_m
times, cost

    sum over b in B of compile(b)  +  sum over i of c_i * run(bucket of n_i)

where both times are functions of the size that were fitted to measurements:

    compile(n) = p + q n            run(n) = r + s n + t n^2            p, q, r, s, t >= 0

Neither falls as n grows, so a bucket that no call fills can be lowered to the largest size in it without loss: a best
set consists of sizes that occur (rounded up to the grid), each taking a run of neighbours. With the sizes in order,
best(j), the least cost of the first j, is therefore

    best(j) = min over i < j of  best(i) + (c_{i+1} + ... + c_j) * run(n_j) + compile(n_j)

which takes m^2 / 2 steps and leaves nothing out. How many buckets there are falls out of it.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

# Multiples that suit hardware (vector registers, the tiles of accelerators), the coarsest first.
GRIDS = (128, 8, 1)
# A coarser grid also fits sizes that were not seen. It is taken while it costs at most this share more; or at most the
# error of the fitted times, up to the second share, since what is smaller than that error was not measured. It may not
# enlarge the largest size by more than an eighth, whatever the seconds say: memory grows with it.
_SLACK = 0.02
_MOST_SLACK = 0.1
_LARGEST = 1.125


class Fit(msgspec.Struct, frozen=True):
    """Seconds as a polynomial of the size, constant term first, none negative.

    `error` is the largest relative distance from a measurement, `measured` the sizes that were measured.
    """

    coefficients: tuple[float, ...]
    error: float = 0.0
    measured: tuple[int, ...] = ()

    def at(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """The seconds at each of several sizes."""
        powers = np.power.outer(sizes.astype(np.float64), np.arange(len(self.coefficients)))
        return np.asarray(powers @ np.asarray(self.coefficients), np.float64)

    def __call__(self, size: int) -> float:
        """The seconds at one size."""
        return float(self.at(np.asarray([size], np.int64))[0])


class Costs(msgspec.Struct, frozen=True):
    """Seconds to trace, lower and compile for a size, and seconds of one call of it."""

    compile: Fit
    run: Fit


class Plan(msgspec.Struct, frozen=True):
    """Buckets in order, and what they cost for the calls they were made for."""

    sizes: tuple[int, ...]
    compile_s: float
    run_s: float
    grid: int = 1

    @property
    def seconds(self) -> float:
        """Compiling and running together."""
        return self.compile_s + self.run_s


class HeldOut(NamedTuple):
    """How buckets made for one half of the calls do on the other.

    `excess` is the share that they cost above that half's own best buckets; `beyond` counts calls above the largest.
    """

    excess: float
    beyond: int
    calls: int


def fit(seconds: Mapping[int, float], degree: int) -> Fit:
    """Fit a polynomial without negative coefficients to measured seconds by size, by least squares of relative errors.

    The best non-negative solution is an ordinary least-squares solution on the terms that are not zero in it. With
    three terms at most, all sets of terms are tried. There are never more terms than measurements.
    """
    sizes = np.asarray(sorted(seconds), np.float64)
    times = np.asarray([seconds[int(size)] for size in sizes])
    if not len(sizes) or np.min(times) <= 0:
        raise ValueError("a fit needs measured times above zero")
    scale = max(float(np.max(sizes)), 1.0)
    terms = np.power.outer(sizes / scale, np.arange(degree + 1)) / times[:, None]
    best, least = np.zeros(degree + 1), np.inf
    for count in range(1, min(degree + 1, len(sizes)) + 1):
        for chosen in itertools.combinations(range(degree + 1), count):
            part, *_ = np.linalg.lstsq(terms[:, chosen], np.ones(len(sizes)), rcond=None)
            residual = float(np.sum((terms[:, chosen] @ part - 1.0) ** 2))
            if np.min(part) >= 0 and residual < least * (1 - 1e-9):
                best, least = np.zeros(degree + 1), residual
                best[list(chosen)] = part
    error = float(np.abs(terms @ best - 1.0).max())
    coefficients = best / scale ** np.arange(degree + 1)
    return Fit(tuple(map(float, coefficients)), error, tuple(map(int, sizes)))


def rounded(size: int, grid: int) -> int:
    """The smallest multiple of the grid that holds a size; at least one."""
    return max(1, -(-size // grid)) * grid


def plan(counts: Mapping[int, int], costs: Costs, grid: int = 1) -> Plan:
    """The best buckets, multiples of the grid, for sizes with the number of calls of each."""
    merged: dict[int, int] = {}
    for size in sorted(counts):
        merged[rounded(size, grid)] = merged.get(rounded(size, grid), 0) + counts[size]
    sizes = np.asarray(list(merged), np.int64)
    until = np.concatenate([[0], np.cumsum(list(merged.values()))]).astype(np.float64)
    run, build = costs.run.at(sizes), costs.compile.at(sizes)
    best = np.zeros(len(sizes) + 1)
    start = np.zeros(len(sizes) + 1, np.int64)
    for last in range(1, len(sizes) + 1):
        tried = best[:last] + (until[last] - until[:last]) * run[last - 1] + build[last - 1]
        start[last] = np.argmin(tried)
        best[last] = tried[start[last]]
    chosen: list[int] = []
    last = len(sizes)
    while last:
        chosen.append(last - 1)
        last = int(start[last])
    return bill([int(sizes[at]) for at in reversed(chosen)], counts, costs, grid)


def bill(buckets: Iterable[int], counts: Mapping[int, int], costs: Costs, grid: int = 1) -> Plan:
    """What given buckets cost. A bucket without calls is not compiled; a size above the largest is its own bucket."""
    known = sorted(buckets)
    calls: dict[int, int] = {}
    for size, count in counts.items():
        at = int(np.searchsorted(known, size))
        bucket = known[at] if at < len(known) else size
        calls[bucket] = calls.get(bucket, 0) + count
    sizes = np.asarray(sorted(calls), np.int64)
    made = np.asarray([calls[int(size)] for size in sizes], np.float64)
    build, run = costs.compile.at(sizes).sum(), (costs.run.at(sizes) * made).sum()
    return Plan(tuple(map(int, sizes)), float(build), float(run), grid)


def choose(counts: Mapping[int, int], costs: Costs, grids: Sequence[int] = GRIDS) -> Plan:
    """The best plan on the coarsest grid that costs hardly more than the best of all grids.

    That is at most two per cent, or the error of the fitted times if it is larger, up to ten. A grid that would enlarge
    the largest size by more than an eighth is left out; the finest never is.
    """
    top = max(1, *counts)
    fit_in = [grid for grid in grids if rounded(top, grid) <= _LARGEST * top] or [min(grids)]
    plans = [plan(counts, costs, grid) for grid in sorted(fit_in, reverse=True)]
    least = min(found.seconds for found in plans)
    slack = min(max(_SLACK, costs.compile.error, costs.run.error), _MOST_SLACK)
    return next(found for found in plans if found.seconds <= least * (1 + slack))


def powers_of_two(counts: Mapping[int, int], costs: Costs) -> Plan:
    """What padding to the next power of two costs: the usual choice, to compare with."""
    return bill({1 << max(0, size - 1).bit_length() for size in counts}, counts, costs)


def held_out(counts: Mapping[int, int], costs: Costs, grid: int = 1, seed: int = 0) -> HeldOut:
    """Make buckets for a random half of the calls, and see what they cost on the other half."""
    sizes = sorted(counts)
    every = np.asarray([counts[size] for size in sizes], np.int64)
    random = np.random.default_rng(seed)
    part = random.multivariate_hypergeometric(every, int(every.sum()) // 2, method="marginals")
    seen = {size: int(count) for size, count in zip(sizes, part, strict=True) if count}
    rest = {size: int(count) for size, count in zip(sizes, every - part, strict=True) if count}
    if not seen or not rest:
        return HeldOut(0.0, 0, 0)
    made = plan(seen, costs, grid)
    excess = bill(made.sizes, rest, costs).seconds / plan(rest, costs, grid).seconds - 1.0
    beyond = sum(count for size, count in rest.items() if size > made.sizes[-1])
    return HeldOut(max(0.0, excess), beyond, sum(rest.values()))
