"""Coupled systems in continuous time: integration method and step sizes for lags, contacts and other events."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Method
from dovetail.core.events import EventSteps
from dovetail.core.linear import state_matrix
from dovetail.core.shapes import shapes
from dovetail.core.system import FlowSystem
from dovetail.testing.coupled import TRANSFERS, Coupled

MAX_PHASE = (
    0.25  # largest product of step and fastest rate of a lag: relative error of its transient 1e-4 with RK4
)


def _default_method() -> Method:
    from dovetail.core import DormandPrince8  # loaded for a reference solution only

    return DormandPrince8()


@dataclasses.dataclass(frozen=True)
class ReferenceSettings:
    """Settings of the reference solution: integration method and steps in a tick.

    A system with events, such as contact, needs steps that end at them: a `method` without them is replaced by
    `AdaptiveRungeKutta`, whose error control resolves the shortest contact, and `substeps` is not used.
    """

    method: Method = dataclasses.field(default_factory=_default_method)
    substeps: int = 2


def continuous_system(test: Any, coupled: Coupled, settings: ReferenceSettings | None = None) -> FlowSystem:
    """Return a coupled system with its method; default settings are those of the numerical substructure."""
    chosen = settings or ReferenceSettings(**test.numerical.reference_settings)
    if isinstance(chosen.method, EventSteps):
        return FlowSystem(coupled, chosen.method, chosen.substeps)
    if shapes(_events, coupled).size:
        from dovetail.core.methods import AdaptiveRungeKutta

        return FlowSystem(coupled, AdaptiveRungeKutta())
    substeps = chosen.substeps if settings else max(chosen.substeps, _substeps_of_lags(test, coupled))
    return FlowSystem(coupled, chosen.method, substeps)


def _events(coupled: Coupled) -> jax.Array:
    return coupled.guards(jnp.zeros(()), coupled.init(), None)


def _substeps_of_lags(test: Any, coupled: Coupled) -> int:
    """Return the steps in a tick that resolve the fastest lag."""
    fastest = 0.0
    for name in TRANSFERS:
        model = getattr(coupled, name).continuous_model()
        x = model.init()
        if x:
            slopes = np.asarray(state_matrix(model, x, (np.zeros(coupled.shape),)))
            fastest = max(fastest, float(np.max(np.abs(np.linalg.eigvals(slopes)))))
    return math.ceil(float(test.dt) * fastest / MAX_PHASE)
