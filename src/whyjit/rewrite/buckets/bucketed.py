"""`whyjit.bucketed`: a function that pads its arguments to one of a few sizes, and crops what it returns."""

from __future__ import annotations

import functools
import inspect
from bisect import bisect_left
from typing import TYPE_CHECKING, Any, Literal

from whyjit.errors import WhyjitError
from whyjit.jaxlink import jits, outputs, padding

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from whyjit.model.padding import Safety

Beyond = Literal["error", "double", "exact"]
_BEYOND = ("error", "double", "exact")
# Sizes at which outputs are evaluated, beside that of a bucket, to learn how their shapes follow from the size.
_SMALL = (1, 2, 3)


def bucketed(
    fn: Callable[..., Any] | None = None,
    *,
    axis: int | Mapping[str, int | Sequence[int]],
    sizes: Sequence[int],
    fill: float | Mapping[str, float] = 0,
    beyond: Beyond = "error",
    crop: bool = True,
) -> Any:
    """Pad the arguments of a jitted function to the next of a few sizes, call it, and crop what it returns.

        @whyjit.bucketed(axis={"tokens": 0, "mask": 0}, sizes=(64, 256))
        @jax.jit
        def encode(tokens, mask): ...

    So the function is compiled for these sizes and for no others. Whether padding leaves its results alone is another
    matter: `encode.check(tokens, mask)` tries it, and `whyjit advise` proposes only what was tried.

    The outputs' axes to crop are found by abstract evaluation at two sizes, and each result is held against them.
    Concrete arrays are padded and cropped by NumPy on the host, since such an operation on a device is compiled for
    every size; on an accelerator that means waiting for the result, and a copy each way. `crop=False` returns the
    padded result where it is, at once.

    `lower` is that of the jitted function, for the bucket of its arguments, which may be types: with `.compile()` it
    warms a server up, one call for each bucket.

    The function works under `jax.grad`, `jax.vmap` and inside other jitted functions; there, padding is part of the
    program that is traced. Inside another jitted function it saves nothing: that one is compiled for each size.

    Arguments:
      fn: the jitted function; left out, this is a decorator. It stays reachable as `__wrapped__`.
      axis: the axis to pad: an integer, for all arrays that have it; or by parameter name or leaf path (as in
        `batch['x']`) an axis or several. All must have one size.
      sizes: the sizes to pad to.
      fill: the value to pad with, or values by parameter name or leaf path; what is not named is padded with 0.
      beyond: what becomes of a size above the largest: "error"; "double", which pads to the largest times a power of
        two; or "exact", which leaves it as it is.
      crop: whether outputs are cut back to the size of the call.

    Raises:
      WhyjitError: an argument makes no sense; when called, the size is too large, the arrays to pad differ in size, or
        the shape of an output does not follow from the size.
    """
    wanted = _axes(axis)
    known = _sizes(sizes)
    if beyond not in _BEYOND:
        raise WhyjitError(f"bucketed(beyond={beyond!r}): choose from {', '.join(map(repr, _BEYOND))}")
    if fn is None:
        return functools.partial(bucketed, axis=axis, sizes=sizes, fill=fill, beyond=beyond, crop=crop)
    inner = _Inner(fn, wanted, known, fill if isinstance(fill, (int, float)) else dict(fill), beyond)

    @functools.wraps(fn)
    def called(*args: Any, **kwargs: Any) -> Any:
        return inner.call(args, kwargs, crop=crop)

    called.sizes = known  # type: ignore[attr-defined]
    called.check = inner.check  # type: ignore[attr-defined]
    if hasattr(fn, "lower"):
        called.lower = inner.lower  # type: ignore[attr-defined]
    return called


def _axes(axis: Any) -> padding.Axes:
    if isinstance(axis, int) and not isinstance(axis, bool):
        return axis
    try:
        found = {str(key): (each,) if isinstance(each, int) else tuple(map(int, each)) for key, each in axis.items()}
    except (AttributeError, TypeError, ValueError):
        found = {}
    if not found or not all(found.values()):
        raise WhyjitError(
            f"bucketed(axis={axis!r}): give an axis as an integer, or axes by name, as in {{'tokens': 0}}"
        )
    return found


def _sizes(sizes: Any) -> tuple[int, ...]:
    try:
        found = tuple(sorted({int(size) for size in sizes}))
    except (TypeError, ValueError):
        found = ()
    if not found or found[0] < 1:
        raise WhyjitError(f"bucketed(sizes={sizes!r}): give one or more sizes, each at least 1")
    return found


class _Inner:
    """The function behind the wrapper, with the rules for its outputs that have been found so far."""

    def __init__(
        self, fn: Any, axes: padding.Axes, sizes: tuple[int, ...], fill: float | dict[str, float], beyond: Beyond
    ) -> None:
        self._fn = fn
        self._axes = axes
        self._sizes = sizes
        self._fill = fill
        self._beyond = beyond
        self._rules: dict[Any, outputs.Rule] = {}
        self._name = getattr(fn, "__name__", repr(fn))
        self._names = self._parameters()
        self._statics = self._static_names()

    def _parameters(self) -> tuple[str, ...]:
        try:
            parameters = inspect.signature(self._fn).parameters.values()
        except (TypeError, ValueError):
            return ()
        positional = [
            each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        ]
        named = [each.name for each in parameters]
        if not any(each.kind is each.VAR_KEYWORD for each in parameters) and not isinstance(self._axes, int):
            for key in self._axes:
                if key.partition("[")[0].partition(".")[0] not in {*named, "args"}:
                    raise WhyjitError(
                        f"bucketed(axis=...): {self._name} has no parameter `{key}`; it has {', '.join(named)}"
                    )
        return tuple(positional)

    def _static_names(self) -> frozenset[str] | None:
        """The names of static arguments, or None where they are not known."""
        info = jits.info_of(self._fn)
        if info is None:
            return None
        numbers, names = jits.statics_of(info)
        places = [*self._names, *(f"args[{at}]" for at in range(len(self._names), 1 + max(numbers, default=0)))]
        return frozenset([*names, *(places[at] for at in numbers if -len(places) <= at < len(places))])

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any], *, crop: bool) -> Any:
        located = padding.locate(self._names, args, kwargs, self._axes)
        size = self.bucket(located.size)
        if size == located.size:
            return self._fn(*args, **kwargs)
        padded_args, padded_kwargs = located.padded(size, self._filler)
        result = self._fn(*padded_args, **padded_kwargs)
        if not crop:
            return result
        key = padding.look_of(self._names, located, self._statics)
        rule = None if key is None else self._rules.get(key)
        if rule is None:
            rule = self._learn(key, located, size, outputs.outputs_of(result))
        if outputs.shapes_of(result) != rule.at(size):
            raise WhyjitError(self._odd(result, rule, size))
        return outputs.crop(result, rule.at(located.size))

    def _odd(self, result: Any, rule: outputs.Rule, size: int) -> str:
        found = outputs.outputs_of(result)
        if len(found) != len(rule.shapes):
            return f"{self._name}: the structure of its result at size {size} is another one than at other sizes"
        path, shape, expected = next(
            (one.path, one.shape, other) for one, other in zip(found, rule.at(size), strict=True) if one.shape != other
        )
        return (
            f"{self._name}: {path} has shape {shape} at size {size}, where other sizes let expect {expected}; it does"
            " not grow evenly with the size and cannot be cropped: use crop=False"
        )

    def bucket(self, size: int) -> int:
        """The size that a size is padded to."""
        at = bisect_left(self._sizes, size)
        if at < len(self._sizes):
            return self._sizes[at]
        largest = self._sizes[-1]
        if self._beyond == "exact":
            return size
        if self._beyond == "double":
            return int(largest << ((size - 1) // largest).bit_length())
        raise WhyjitError(
            f"{self._name} was called with size {size}, above its largest bucket {largest}; add a larger one, or choose"
            " beyond='double' or beyond='exact'"
        )

    def check(self, *args: Any, **kwargs: Any) -> Safety:
        """Try whether padding reaches the results of this call; see `whyjit.model.padding.Safety`."""
        from whyjit.jaxlink import poisoning

        located = padding.locate(self._names, args, kwargs, self._axes)
        return poisoning.examine(self._fn, [(located, self.bucket(located.size))], self._filler)

    def _filler(self, place: padding.Place) -> float:
        if isinstance(self._fill, dict):
            return self._fill.get(place.path, self._fill.get(_root(place.path), 0))
        return self._fill

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """Lower the function for the bucket of these arguments, which may be types; learn how to crop its results."""
        located = padding.locate(self._names, args, kwargs, self._axes)
        size = self.bucket(located.size)
        args, kwargs = located.abstract(size)
        key = padding.look_of(self._names, located, self._statics)
        self._learn(key, located, size, outputs.abstract_outputs(self._fn, args, kwargs))
        return self._fn.lower(*args, **kwargs)

    def _learn(
        self, key: Hashable | None, located: padding.Located, size: int, found: list[outputs.Output]
    ) -> outputs.Rule:
        """Find out how the outputs' shapes follow from the size, for calls with this key.

        The second size is as small as the function takes: `x[:12]` and `x[::2]` look alike at 15 and 16. It does not
        depend on the call, so that what a warm-up has traced serves all calls; the call's own size is the last resort.
        """
        rule = None
        for other in (*_SMALL, size // 2, located.size):
            if other in (0, size):
                continue
            try:
                evaluated = outputs.abstract_outputs(self._fn, *located.abstract(other))
                rule = outputs.rule_from((other, evaluated), (size, found))
                break
            except outputs.UnevenError:
                raise
            except Exception:
                if other == located.size:
                    raise
        if rule is None:
            raise WhyjitError(f"{self._name}: its outputs could be evaluated at no size but {size}; use crop=False")
        if key is not None:
            self._rules[key] = rule
        return rule


def _root(path: str) -> str:
    return path.partition("[")[0].partition(".")[0]
