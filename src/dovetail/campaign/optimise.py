r"""Design by optimisation: parameters of a test that minimise a measure, by gradients through the loop.

The loop is differentiated from the parameters to the measure (`jax.value_and_grad`) and minimised with the BFGS method
of Optimistix. Bounds are enforced by a change of variables, :math:`p = l + (h - l)\,\sigma(q)`, so that every trial is
a valid test. A derivative-free method (Nelder-Mead of SciPy) on the same objective serves as comparison.
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

from dovetail.campaign.axes import VariedParameter
from dovetail.campaign.lane import reference_lane, simulate_lane
from dovetail.campaign.measures import read_measure
from dovetail.campaign.parameter_paths import size_delay_buffers
from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.testing import Test
from dovetail.testing.paths import get, replace_all

Objective = Callable[[jax.Array], jax.Array]


@dataclass(frozen=True)
class Optimum:
    """Optimum: parameter values, cost and effort."""

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
    """Return a compiled measure of a rehearsal as a function of parameters scaled to [0, 1], ordered as `bounds`."""
    chosen = read_measure(measure)
    if not chosen.is_compiled:
        raise ParameterError(f'"{measure}": is computed outside the loop, so it has no derivative')
    for path, (low, high) in bounds.items():
        if not isinstance(get(test, path), jax.Array):
            raise ParameterError(f'"{path}": is not a numeric parameter; derivatives need one')
        if not high > low:
            raise ParameterError(f'"{path}": bounds {low:g} to {high:g} are empty')
    parameters = [VariedParameter(path, (path,), low=low, high=high) for path, (low, high) in bounds.items()]
    test = size_delay_buffers(test, parameters)
    test.validate()
    shape, limits = test.shape, np.array(list(bounds.values()), float)

    def cost(fraction):
        values = limits[:, 0] + (limits[:, 1] - limits[:, 0]) * fraction
        variant = replace_all(test, dict(zip(bounds, values, strict=True)))
        records, _, _ = simulate_lane(variant.with_shapes(shape))
        reference = reference_lane(variant) if chosen.needs_reference else None
        # samples after a limit count too: a run that stops early would have a small cost
        records = {**records, "valid": jnp.ones(test.tick_count, dtype=bool)}
        return chosen.compute(records, reference, test.dt)

    return cost


def minimise_bfgs(
    test: Test,
    measure: str,
    bounds: Mapping[str, tuple[float, float]],
    start: Sequence[float] | None = None,
    *,
    tolerance: float = 1e-6,
    steps: int = 60,
) -> Optimum:
    """Minimise a measure by BFGS with gradients through the loop; `start` in the units of the parameters."""
    cost = objective(test, measure, bounds)
    q0 = jnp.asarray(_logit(_start_fraction(test, bounds, start)))
    evaluation_count = [0]

    def counted_cost(q, _):
        jax.debug.callback(lambda: evaluation_count.__setitem__(0, evaluation_count[0] + 1))
        return cost(jax.nn.sigmoid(q))

    start_time = time.perf_counter()
    solver: Any = optx.BFGS(rtol=tolerance, atol=tolerance)
    solution: Any = optx.minimise(counted_cost, solver, q0, max_steps=steps, throw=False)
    best = jax.nn.sigmoid(solution.value)
    value = float(cost(best))
    if not np.isfinite(value):
        raise AnalysisError(
            f"{measure} became infinite or NaN; start from a stable design, or narrow the bounds"
        )
    seconds = time.perf_counter() - start_time
    return _optimum(best, bounds, value, evaluation_count[0], seconds, "gradients (BFGS)")


def minimise_nelder_mead(
    test: Test,
    measure: str,
    bounds: Mapping[str, tuple[float, float]],
    start: Sequence[float] | None = None,
    *,
    tolerance: float = 1e-6,
    evaluations: int = 400,
) -> Optimum:
    """Minimise a measure without derivatives, by Nelder-Mead."""
    cost = eqx.filter_jit(objective(test, measure, bounds))
    evaluation_count = [0]

    def counted_cost(q: Any) -> float:
        evaluation_count[0] += 1
        value = float(cost(jax.nn.sigmoid(jnp.asarray(q))))
        return value if np.isfinite(value) else 1e9

    start_time = time.perf_counter()
    options = {"maxfev": evaluations, "xatol": tolerance, "fatol": tolerance}
    solution = scipy.optimize.minimize(
        counted_cost, _logit(_start_fraction(test, bounds, start)), method="Nelder-Mead", options=options
    )
    best = jax.nn.sigmoid(jnp.asarray(solution.x))
    seconds = time.perf_counter() - start_time
    method = "derivative-free (Nelder-Mead)"
    return _optimum(best, bounds, float(solution.fun), evaluation_count[0], seconds, method)


def _start_fraction(test: Test, bounds, start) -> np.ndarray:
    values = [float(np.mean(get(test, path))) for path in bounds] if start is None else list(start)
    limits = np.array(list(bounds.values()), float)
    fraction = (np.array(values) - limits[:, 0]) / (limits[:, 1] - limits[:, 0])
    if np.any(fraction < 0) or np.any(fraction > 1):
        raise ParameterError(f"start: {values} is outside the bounds {limits.tolist()}")
    return np.clip(fraction, 0.02, 0.98)  # the change of variables has zero slope at the bounds


def _logit(fraction: np.ndarray) -> np.ndarray:
    return np.log(fraction / (1 - fraction))


def _optimum(fraction, bounds, cost, evaluations, seconds, method) -> Optimum:
    values = {
        path: float(low + (high - low) * s)
        for (path, (low, high)), s in zip(bounds.items(), fraction, strict=True)
    }
    return Optimum(values, cost, evaluations, seconds, method)
