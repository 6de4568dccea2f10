r"""Design by optimisation: parameters of a test that make a measure small, by gradients through the whole loop.

The loop is differentiated from the parameters to the measure (`jax.value_and_grad`), and Optimistix's BFGS goes
downhill. Bounds are kept by a change of variables, :math:`p = l + (h - l)\,\sigma(q)`, so that every trial is a
valid test. A derivative-free method (Nelder-Mead of scipy) on the same objective is the judge: a gradient is only
worth its compilation if it finds as good a design with fewer runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optimistix as optx
import scipy

from dovetail.campaign.axes import Axis
from dovetail.campaign.lane import emulated, simulated
from dovetail.campaign.measures import read_measure
from dovetail.campaign.parameter_paths import longest_buffers
from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.testing import Test
from dovetail.testing.paths import get, spread

Objective = Callable[[jax.Array], jax.Array]


@dataclass(frozen=True)
class Optimum:
    """A design, what it costs, and what it took to find it."""

    values: dict[str, float]
    cost: float
    evaluations: int  # of the objective; a gradient counts as one
    seconds: float
    method: str

    def __str__(self) -> str:
        at = ", ".join(f"{path} = {value:.6g}" for path, value in self.values.items())
        return (
            f"{self.method}: {self.cost:.6g} at {at} ({self.evaluations} evaluations, {self.seconds:.2g} s)"
        )


def objective(test: Test, measure: str, bounds: Mapping[str, tuple[float, float]]) -> Objective:
    """A compiled measure of a rehearsal as a function of parameters scaled to [0, 1], in the order of `bounds`."""
    what = read_measure(measure)
    if not what.compiled:
        raise ParameterError(f'"{measure}": is computed outside the loop, so it has no derivative')
    for path, (low, high) in bounds.items():
        if not isinstance(get(test, path), jax.Array):
            raise ParameterError(f'"{path}" is no numeric parameter; only those have derivatives')
        if not high > low:
            raise ParameterError(f'"{path}": bounds {low:g} to {high:g} are empty')
    axes = [Axis(path, (path,), low=low, high=high) for path, (low, high) in bounds.items()]
    test = longest_buffers(test, axes)
    test.checked()
    shape, ends = test.shape, np.array(list(bounds.values()), float)

    def cost(share):
        values, variant = ends[:, 0] + (ends[:, 1] - ends[:, 0]) * share, test
        for i, path in enumerate(bounds):
            variant = spread(variant, path, values[i])
        records, _, _ = simulated(variant.sized(shape))
        ideal = emulated(variant) if what.needs_ideal else None
        # a run that met a limit is cut there; its cost would be small for being short, so all of it counts
        records = {**records, "kept": jnp.ones(test.tick_count, dtype=bool)}
        return what.compute(records, ideal, test.dt)

    return cost


def descend(
    test: Test,
    measure: str,
    bounds: Mapping[str, tuple[float, float]],
    start: Sequence[float] | None = None,
    *,
    tolerance: float = 1e-6,
    steps: int = 60,
) -> Optimum:
    """The best design by BFGS with gradients through the loop; `start` in the units of the parameters."""
    cost = objective(test, measure, bounds)
    q0 = jnp.asarray(_logit(_start(test, bounds, start)))
    counted = [0]

    def of(q, _):
        jax.debug.callback(lambda: counted.__setitem__(0, counted[0] + 1))
        return cost(jax.nn.sigmoid(q))

    begun = time.perf_counter()
    solver: Any = optx.BFGS(rtol=tolerance, atol=tolerance)
    found: Any = optx.minimise(of, solver, q0, max_steps=steps, throw=False)
    best = jax.nn.sigmoid(found.value)
    value = float(cost(best))
    if not np.isfinite(value):
        raise AnalysisError(
            f"{measure} is not finite along the way; begin at a design that is stable, or narrow the bounds"
        )
    return _optimum(best, bounds, value, counted[0], time.perf_counter() - begun, "gradients (BFGS)")


def search(
    test: Test,
    measure: str,
    bounds: Mapping[str, tuple[float, float]],
    start: Sequence[float] | None = None,
    *,
    tolerance: float = 1e-6,
    evaluations: int = 400,
) -> Optimum:
    """The same without derivatives, by Nelder-Mead."""
    cost = eqx.filter_jit(objective(test, measure, bounds))
    counted = [0]

    def of(q: Any) -> float:
        counted[0] += 1
        value = float(cost(jax.nn.sigmoid(jnp.asarray(q))))
        return value if np.isfinite(value) else 1e9

    begun = time.perf_counter()
    options = {"maxfev": evaluations, "xatol": tolerance, "fatol": tolerance}
    found = scipy.optimize.minimize(
        of, _logit(_start(test, bounds, start)), method="Nelder-Mead", options=options
    )
    best = jax.nn.sigmoid(jnp.asarray(found.x))
    seconds = time.perf_counter() - begun
    return _optimum(best, bounds, float(found.fun), counted[0], seconds, "derivative-free (Nelder-Mead)")


def _start(test: Test, bounds, start) -> np.ndarray:
    given = [float(np.mean(get(test, path))) for path in bounds] if start is None else list(start)
    ends = np.array(list(bounds.values()), float)
    share = (np.array(given) - ends[:, 0]) / (ends[:, 1] - ends[:, 0])
    if np.any(share < 0) or np.any(share > 1):
        raise ParameterError(f"the start {given} is outside the bounds {ends.tolist()}")
    return np.clip(share, 0.02, 0.98)  # at a bound the change of variables has no slope


def _logit(share: np.ndarray) -> np.ndarray:
    return np.log(share / (1 - share))


def _optimum(share, bounds, cost, evaluations, seconds, method) -> Optimum:
    values = {
        path: float(low + (high - low) * s)
        for (path, (low, high)), s in zip(bounds.items(), share, strict=True)
    }
    return Optimum(values, cost, evaluations, seconds, method)
