r"""Step checks: stability of the integration step of numerical substructure, specimen and feedback model.

The solution of a part with a fast mode (eigenvalue :math:`\lambda` at rest) grows without bound if the step exceeds
the stability limit of an explicit method. Each part has its own method and step: the numerical substructure
`dt/substeps`, the specimen that of the rig, a feedback model its own.

A contact is different: it starts at some time. In continuous time the steps end there, with error control after it
(`testing.continuous`). In a sampled loop a contact that is too short adds energy, which the limit monitor checks
(`contact_energy_gain`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from dovetail.compensation import BlendedForce, ForceExtrapolation
from dovetail.core import Flow, Method
from dovetail.core.errors import Fault, StepSizeError, collect_faults
from dovetail.core.methods import check_step
from dovetail.core.programs import jit_unoptimised
from dovetail.core.shapes import shapes
from dovetail.core.signals import MOTION
from dovetail.testing.hybrid_loop import Driven
from dovetail.testing.rig import Rig

if TYPE_CHECKING:
    from dovetail.testing.test import Test


def step_faults(test: Test) -> list[Fault]:
    """Return the parts whose step exceeds the stability limit of their integration method."""
    shape, faults = test.shape, []
    driven = Driven(test.numerical, test.excitation)
    parts: dict[str, tuple[Flow, Any, Method, int]] = {
        "numerical": (driven, np.zeros(shape), test.method, test.substeps)
    }
    motion = {name: np.zeros(shape) for name in MOTION}
    rig, feedback, path = test.rig, test.feedback, "feedback"
    if isinstance(rig, Rig):
        parts["rig.specimen"] = (rig.specimen, motion, rig.method, rig.substeps)
    while isinstance(feedback, ForceExtrapolation):
        feedback, path = feedback.feedback, f"{path}.feedback"
    if isinstance(feedback, BlendedForce):
        parts[f"{path}.model"] = (feedback.model, motion, feedback.method, feedback.substeps)
    for where, (flow, u, method, substeps) in parts.items():
        faults += collect_faults(where, partial(_faults, where, flow, u, method, test.dt / substeps, shape))
    return faults


def _faults(where: str, flow: Flow, u: Any, method: Method, h: float, shape: tuple[int, ...]) -> list[Fault]:
    flow = flow.with_sample_time(h, shape)
    if not jax.tree.leaves(shapes(_memory, flow)):  # no state
        return []
    slopes, rates = (np.asarray(values) for values in _slopes(flow, initial_state(flow), u))
    if np.isfinite(slopes).all():
        try:
            check_step(method, np.linalg.eigvals(slopes), h)
        except StepSizeError as error:
            return [Fault("rate" if where == "numerical" else where, str(error))]
        return []
    # friction has an infinite slope at the start; then the step cannot be checked
    if np.isfinite(rates).all():
        return []
    flow.init()  # may raise a more specific error
    text = "its initial rates are not finite: a parameter is infinite, zero in a denominator, "
    return [Fault(where, f"{text}or far too large or small; check its parameters")]


def _memory(flow: Flow) -> Any:
    return flow.init()


_initial_state = jit_unoptimised(_memory)


def initial_state(flow: Flow) -> Any:
    """Return the initial state of a large flow, computed by one shared program, for example the shape of a hose.

    None for other flows, for which `init` is cheap.
    """
    return _initial_state(flow.flow if isinstance(flow, Driven) else flow) if flow.large else None


@jit_unoptimised
def _slopes(flow: Flow, x: Any, u: Any) -> tuple[jax.Array, jax.Array]:
    """Return slopes and rates of a flow at its initial state, or at a given state."""
    x, to_x = ravel_pytree(flow.init() if x is None else x)

    def rate_of(x: jax.Array) -> tuple[jax.Array, jax.Array]:
        rates, _ = ravel_pytree(flow.derivative(0.0, to_x(x), jax.tree.map(jnp.asarray, u)))
        return rates, rates

    slopes, rates = jax.jacfwd(rate_of, has_aux=True)(x)
    return slopes, rates
