"""Growth rates and delay margins of many variants of a test, computed in one batch.

`Test.stability` analyses one test. A design needs dozens of variants that differ in values only; they are computed by
one compiled program, batched over the variants.

Stability is decided by the poles of the loop linearised at rest (`ByPoles`). For a strongly nonlinear specimen, such as
a damper with relief valves, these poles do not decide stability; the loop is rehearsed instead (`ByRehearsal`).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Protocol

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import AnalysisError
from dovetail.stability.linearity import linearity_error
from dovetail.stability.sampled import poles_of
from dovetail.testing import Rig, Run, Test, simulate
from dovetail.testing.linearised import at_rest_test, tick_matrices
from dovetail.transfer import Delay, Series

LONGEST = (
    240  # [substeps] largest additional delay: a buffer above 256 is a ring, and a tick is not a linear map
)


def stack_tests(tests: Sequence[Test]) -> Test:
    """Stack prepared tests that differ in values only into one test with a new first axis."""
    alike = [
        dataclasses.replace(test, seed=0, title="") for test in tests
    ]  # the random keys are already drawn
    split = [eqx.partition(test, eqx.is_array) for test in alike]
    arrays = jax.tree.map(lambda *leaves: jnp.stack(leaves), *(values for values, _ in split))
    return eqx.combine(arrays, split[0][1])


def growth_rates(tests: Sequence[Test]) -> np.ndarray:
    """Return the growth rate [1/s] of the dominant pole of each sampled loop, as in `Test.stability`.

    The tests must differ in values only, not in their parts.
    """
    return growth_rates_of_prepared([at_rest_test(test).prepare() for test in tests])


def growth_rates_of_prepared(prepared: Sequence[Test]) -> np.ndarray:
    """Return the growth rates [1/s] of prepared tests, which are at rest and have shapes."""
    return _growth(_matrices(stack_tests(prepared)), prepared[0])


def growth_rates_delayed(test: Test, extras: np.ndarray) -> np.ndarray:
    """Return the growth rates [1/s] of a test with each additional actuator delay in `extras` [s]."""
    prepared = later(at_rest_test(test), 0.0, float(np.max(extras))).prepare()
    return _growth(_matrices_later(prepared, jnp.asarray(extras, dtype=float)), test)


def _growth(matrices: Any, test: Test) -> np.ndarray:
    A, B, C = (np.asarray(matrix) for matrix in matrices)
    closed = A + B @ C
    if not np.isfinite(closed).all():
        raise AnalysisError(
            "the derivative of a tick is not finite at rest, so the loop has no poles there; use a rehearsal instead"
        )
    return np.array([poles_of(matrix, test.dt, test.duration).growth for matrix in closed])


@eqx.filter_jit
def _matrices(tests: Test) -> tuple[jax.Array, ...]:
    return eqx.filter_vmap(tick_matrices)(tests)


@eqx.filter_jit
def _matrices_later(test: Test, extras: jax.Array) -> tuple[jax.Array, ...]:
    def at(extra):
        return tick_matrices(eqx.tree_at(lambda t: t.rig.actuator.parts[0].delay, test, extra))

    return jax.vmap(at)(extras)


def later(test: Test, extra: float, longest: float) -> Test:
    """Return the test with an additional actuator delay `extra` [s]; `longest` [s] sizes the buffer."""
    if not isinstance(test.rig, Rig):
        raise AnalysisError("a rig without actuator model cannot have additional delay; use a simulated rig")
    late = Series((Delay(jnp.asarray(extra), max_delay=longest), test.rig.actuator))
    return dataclasses.replace(test, rig=dataclasses.replace(test.rig, actuator=late))


def reach(test: Test) -> float:
    """Return the largest additional delay [s] that can be analysed."""
    return LONGEST * test.dt / (test.rig.substeps if isinstance(test.rig, Rig) else 1)


class Judge(Protocol):
    """Stability criterion of a loop with additional delay."""

    def bears(self, test: Test, extras: np.ndarray) -> np.ndarray:
        """Return whether the test is stable with each additional rig delay in `extras` [s]."""

    def margin(self, test: Test, up_to: float) -> float:
        """Return the delay margin [s]; infinite if stable `up_to` that delay [s], zero if already unstable."""


class ByPoles:
    """Stability by the poles of the sampled loop, linearised at rest."""

    def bears(self, test: Test, extras: np.ndarray) -> np.ndarray:
        return growth_rates_delayed(test, extras) < 0

    def margin(self, test: Test, up_to: float) -> float:
        return delay_margin(test, up_to=up_to)


@dataclasses.dataclass(frozen=True)
class ByRehearsal:
    """Stability by rehearsal: the demand stays finite, within the limits and below twice the reference peak."""

    reference: Run
    shares: tuple[float, ...] = (
        0.0,
        0.0125,
        0.025,
        0.05,
        0.1,
        0.2,
        0.5,
        1.0,
    )  # fractions of the largest delay that are tried for the margin

    def bears(self, test: Test, extras: np.ndarray) -> np.ndarray:
        prepared = later(test, 0.0, float(np.max(extras))).prepare()
        codes, peaks = map(np.asarray, _rehearsed(prepared, jnp.asarray(extras, dtype=float)))
        return (codes == 0) & (peaks <= 2 * float(np.abs(self.reference.data["displacement"]).max()))

    def margin(self, test: Test, up_to: float) -> float:
        extras = min(up_to, reach(test)) * np.asarray(self.shares)
        lost = np.flatnonzero(~self.bears(test, extras))
        if lost.size == 0:
            return math.inf
        return 0.0 if lost[0] == 0 else float(extras[lost[0] - 1])  # largest stable delay of the grid


@eqx.filter_jit
def _rehearsed(test: Test, extras: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the code of the first reached limit (0: none) and the largest demand, for each additional delay."""

    def at(extra):
        varied = eqx.tree_at(lambda t: t.rig.actuator.parts[0].delay, test, extra)
        state, records = simulate(varied)
        largest = jnp.max(jnp.abs(records["displacement"]))
        return state.monitor.code, jnp.where(jnp.isnan(largest), jnp.inf, largest)

    return jax.vmap(at)(extras)


def departure(test: Test, reference: Run) -> float:
    """Return the linearity error of the specimen along the reference motion, as fraction of its linear force."""
    names = ("displacement", "velocity", "acceleration")
    motion = {name: jnp.asarray(reference.data[name].values) for name in names}
    rig = test.prepare().require_rig().as_model()
    return linearity_error(rig.specimen, motion, test.dt, rig.method)


def delay_margin(test: Test, *, up_to: float, points: int = 13) -> float:
    """Return the delay margin [s] of the sampled loop; infinite if the loop is stable `up_to` that delay [s].

    The margin is zero if the loop is already unstable. It is computed on a grid of `points` delays, refined once
    between the two delays where the growth rate changes sign.
    """
    up_to = min(up_to, reach(test))
    grid = np.linspace(0.0, up_to, points)
    for _ in range(2):
        growth = growth_rates_delayed(test, grid)
        unstable = np.flatnonzero(growth >= 0)
        if unstable.size == 0:
            return math.inf
        first = int(unstable[0])
        if first == 0:
            return 0.0
        below, above = grid[first - 1], grid[first]
        share = growth[first - 1] / (growth[first - 1] - growth[first])
        grid = np.linspace(below, above, points)
    return float(below + share * (above - below))
