"""How far a test is from instability: many variants at once, and the delay that is left.

`Test.stability` answers for one test. A design asks for dozens of variants that differ in values only; here
they are one compiled program, batched over the tests.

A loop is judged by its poles, linearised at rest (`ByPoles`). A specimen that is another one when it moves, such
as a damper with valves, has no poles that decide; then the loop is judged by rehearsing it (`ByRehearsal`).
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
from dovetail.stability.linearity import departure_from_linear
from dovetail.stability.sampled import poles_of
from dovetail.testing import Rig, Run, Test, simulate
from dovetail.testing.linearised import at_rest, tick_matrices
from dovetail.transfer import Delay, Series

LONGEST = 240  # [sub-steps] of extra delay: beyond 256 the buffer is a ring, and a tick no longer one map


def stacked(tests: Sequence[Test]) -> Test:
    """Prepared tests that differ in values only as one, a new first axis running over them."""
    alike = [dataclasses.replace(test, seed=0, title="") for test in tests]  # the keys are drawn already
    split = [eqx.partition(test, eqx.is_array) for test in alike]
    arrays = jax.tree.map(lambda *leaves: jnp.stack(leaves), *(values for values, _ in split))
    return eqx.combine(arrays, split[0][1])


def growths(tests: Sequence[Test]) -> np.ndarray:
    """Growth [1/s] of the dominant pole of each sampled loop, as `Test.stability` has it.

    The tests differ in values only, not in their parts.
    """
    return growths_of([at_rest(test).prepared() for test in tests])


def growths_of(prepared: Sequence[Test]) -> np.ndarray:
    """The same of tests that were made ready for it: at rest, and sized."""
    return _growth(_matrices(stacked(prepared)), prepared[0])


def growths_later(test: Test, extras: np.ndarray) -> np.ndarray:
    """The same for one test whose actuator is later by each of `extras` [s]."""
    prepared = later(at_rest(test), 0.0, float(np.max(extras))).prepared()
    return _growth(_matrices_later(prepared, jnp.asarray(extras, dtype=float)), test)


def _growth(matrices: Any, test: Test) -> np.ndarray:
    A, B, C = (np.asarray(matrix) for matrix in matrices)
    closed = A + B @ C
    if not np.isfinite(closed).all():
        raise AnalysisError(
            "the derivative of a tick is not finite at rest, so the loop has no poles there; rehearse it"
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
    """The test with an actuator that is later by `extra` [s]; `longest` sizes the buffer."""
    if not isinstance(test.rig, Rig):
        raise AnalysisError("a rig without a model of its actuator cannot be made later; give a virtual rig")
    late = Series((Delay(jnp.asarray(extra), longest=longest), test.rig.actuator))
    return dataclasses.replace(test, rig=dataclasses.replace(test.rig, actuator=late))


def reach(test: Test) -> float:
    """Longest extra delay [s] that can be tried."""
    return LONGEST * test.dt / (test.rig.substeps if isinstance(test.rig, Rig) else 1)


class Judge(Protocol):
    """What decides whether a loop bears a delay."""

    def bears(self, test: Test, extras: np.ndarray) -> np.ndarray:
        """Whether the test is stable on a rig later by each of `extras` [s]."""

    def margin(self, test: Test, up_to: float) -> float:
        """Extra delay [s] at which it no longer is; infinite if none `up_to`, zero if it is not as it stands."""


class ByPoles:
    """The poles of the sampled loop at rest decide."""

    def bears(self, test: Test, extras: np.ndarray) -> np.ndarray:
        return growths_later(test, extras) < 0

    def margin(self, test: Test, up_to: float) -> float:
        return delay_margin(test, up_to=up_to)


@dataclasses.dataclass(frozen=True)
class ByRehearsal:
    """A rehearsal decides: the demand stays finite, within the limits, and below twice the ideal's."""

    ideal: Run
    shares: tuple[float, ...] = (
        0.0,
        0.0125,
        0.025,
        0.05,
        0.1,
        0.2,
        0.5,
        1.0,
    )  # of what a margin is looked for

    def bears(self, test: Test, extras: np.ndarray) -> np.ndarray:
        prepared = later(test, 0.0, float(np.max(extras))).prepared()
        codes, peaks = map(np.asarray, _rehearsed(prepared, jnp.asarray(extras, dtype=float)))
        return (codes == 0) & (peaks <= 2 * float(np.abs(self.ideal.data["displacement"]).max()))

    def margin(self, test: Test, up_to: float) -> float:
        extras = min(up_to, reach(test)) * np.asarray(self.shares)
        lost = np.flatnonzero(~self.bears(test, extras))
        if lost.size == 0:
            return math.inf
        return 0.0 if lost[0] == 0 else float(extras[lost[0] - 1])  # of the grid, on the safe side


@eqx.filter_jit
def _rehearsed(test: Test, extras: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Code of the first breach (0 for none) and the largest demand, for each extra delay."""

    def at(extra):
        varied = eqx.tree_at(lambda t: t.rig.actuator.parts[0].delay, test, extra)
        state, records = simulate(varied)
        largest = jnp.max(jnp.abs(records["displacement"]))
        return state["watch"]["code"], jnp.where(jnp.isnan(largest), jnp.inf, largest)

    return jax.vmap(at)(extras)


def departure(test: Test, ideal: Run) -> float:
    """How far the test's specimen departs from a linear one along the ideal motion, as a share."""
    names = ("displacement", "velocity", "acceleration")
    motion = {name: jnp.asarray(ideal.data[name].values) for name in names}
    rig = test.prepared().rig.modelled()
    return departure_from_linear(rig.specimen, motion, test.dt, rig.method)


def delay_margin(test: Test, *, up_to: float, points: int = 13) -> float:
    """Extra delay [s] of the actuator at which the sampled loop loses stability; infinite if none `up_to`.

    Zero if it is unstable already. Found on a grid of `points` and once more between the two where the
    growth changes sign.
    """
    up_to = min(up_to, reach(test))
    grid = np.linspace(0.0, up_to, points)
    for _ in range(2):
        growth = growths_later(test, grid)
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
