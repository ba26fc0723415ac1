"""A call that has to be traced, lowered and compiled: the gradient step of a network with 200 layers."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from bench.recorders import BARE, CONTROL, WHYJIT, Recorder, peers
from bench.results import Result, ratio

if TYPE_CHECKING:
    from collections.abc import Callable

WIDTH = 8


def make_params(layers: int) -> list[dict[str, jax.Array]]:
    """Weights, biases, scales and shifts of every layer."""
    layer = {"w": jnp.eye(WIDTH), "b": jnp.zeros(WIDTH), "scale": jnp.ones(WIDTH), "shift": jnp.zeros(WIDTH)}
    return [dict(layer) for _ in range(layers)]


def fresh_step() -> Callable[..., Any]:
    """A new function object each time: JAX has never seen it."""

    def loss(params: Any, x: jax.Array) -> jax.Array:
        for layer in params:
            x = layer["scale"] * jnp.tanh(x @ layer["w"] + layer["b"]) + layer["shift"]
        return jnp.mean(x * x)

    def step(params: Any, x: jax.Array) -> Any:
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params, x))

    return step


def seconds_of_a_miss(recorder: Recorder, params: Any, x: jax.Array) -> tuple[float, float]:
    """The first call of a new function, from an empty cache: by the clock, and by the processor."""
    jax.clear_caches()
    gc.collect()
    with recorder.watching():
        step = jax.jit(recorder.decorate(fresh_step()))
        clock, processor = time.perf_counter(), time.process_time()
        jax.block_until_ready(step(params, x))
        return time.perf_counter() - clock, time.process_time() - processor


def run(*, quick: bool) -> list[Result]:
    """Ratios to bare JAX; all recorders take a turn in every round, in an order that rotates."""
    layers, rounds = (20, 2) if quick else (200, 12)
    params, x = make_params(layers), jnp.ones((4, WIDTH))
    equations = len(jax.make_jaxpr(fresh_step())(params, x).eqns)
    recorders = [BARE, WHYJIT, *peers()[:2], CONTROL, *peers()[2:]]
    seconds_of_a_miss(BARE, params, x)  # the first one also pays for what JAX loads late
    taken: dict[str, list[tuple[float, float]]] = {recorder.name: [] for recorder in recorders}
    for turn in range(rounds):
        first = turn % len(recorders)
        for recorder in recorders[first:] + recorders[:first]:
            taken[recorder.name].append(seconds_of_a_miss(recorder, params, x))
    bare, control = taken[BARE.name], taken[CONTROL.name]
    title = f"a miss, {layers} layers, {equations:,} equations"

    def ratios(title: str, clock: int, limit: float | None) -> list[Result]:
        """Each round's time to the mean of its two bare ones; the control's to the other bare one."""
        means = [(one[clock] + other[clock]) / 2 for one, other in zip(bare, control, strict=True)]
        found = []
        for name in (CONTROL.name, WHYJIT.name, *(peer.name for peer in peers())):
            bases = [one[clock] for one in bare] if name == CONTROL.name else means
            samples = [run[clock] / base for run, base in zip(taken[name], bases, strict=True)]
            found.append(ratio(title, name, samples, {WHYJIT.name: limit}.get(name)))
        return found

    waited = ratios(f"{title} ({min(bare)[0]:.2f} s bare)", 0, 1.03)
    return [*waited, *ratios(f"{title}: processor time", 1, None)]  # with what whyjit's thread does while XLA compiles
