"""Growth rates of many variants of a test, computed in one batch, and a test with additional rig delay.

`Test.stability` assesses one test. A design needs dozens of variants that differ in values only; their growth rates are
computed by one compiled program, batched over the variants.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import AnalysisError
from dovetail.stability.sampled import poles_of
from dovetail.testing import Rig, Test
from dovetail.testing.linearised import at_rest_test, tick_matrices
from dovetail.transfer import Delay, Series


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


def later(test: Test, extra: float, longest: float) -> Test:
    """Return the test with an additional actuator delay `extra` [s]; `longest` [s] sizes the buffer."""
    if not isinstance(test.rig, Rig):
        raise AnalysisError("a rig without actuator model cannot have additional delay; use a simulated rig")
    late = Series((Delay(jnp.asarray(extra), max_delay=longest), test.rig.actuator))
    return dataclasses.replace(test, rig=dataclasses.replace(test.rig, actuator=late))
