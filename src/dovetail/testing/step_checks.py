r"""Whether every part of a test can take its step: numerical substructure, specimen, model in the feedback.

A part with a fast motion of its own (eigenvalue :math:`\lambda` at rest) grows without bound where an explicit
method takes steps beyond its stability limit. Each part has its own method and step: the numerical substructure
`dt/substeps`, the specimen that of the rig, a model in the feedback its own.

A contact is different: it is at rest until it begins, and then lasts a certain time T. Fewer than some
sixteen steps in T do not resolve it, whatever the method. T is what a specimen with a contact shows as
`contact_time`, so this can be said once a run has met it. What a sampled loop makes of too short a contact
shows in its energy, which the supervisor watches (`contact_gain`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jax.typing import ArrayLike

from dovetail.compensation import BlendedForce, HeldForceExtrapolation
from dovetail.core import Flow, Method
from dovetail.core.errors import Fault, StepSizeError, guarded
from dovetail.core.methods import check_step
from dovetail.core.programs import once
from dovetail.core.shapes import shapes
from dovetail.testing.hybrid_loop import Driven
from dovetail.testing.rig import Rig

if TYPE_CHECKING:
    from dovetail.testing.test import Test

MOTION = ("displacement", "velocity", "acceleration")
RESOLVED = 16  # steps in a contact: with them the rebound of the ideal is right to some 1e-3


def step_faults(test: Test) -> list[Fault]:
    """A step that the integration method of a part cannot take, for each part that has one."""
    shape, faults = test.shape, []
    driven = Driven(test.numerical, test.excitation)
    parts: dict[str, tuple[Flow, Any, Method, int]] = {
        "numerical": (driven, np.zeros(shape), test.method, test.substeps)
    }
    motion = {name: np.zeros(shape) for name in MOTION}
    rig, feedback, place = test.rig, test.feedback, "feedback"
    if isinstance(rig, Rig):
        parts["rig.specimen"] = (rig.specimen, motion, rig.method, rig.substeps)
    while isinstance(feedback, HeldForceExtrapolation):
        feedback, place = feedback.of, f"{place}.of"
    if isinstance(feedback, BlendedForce):
        parts[f"{place}.model"] = (feedback.model, motion, feedback.method, feedback.substeps)
    for where, (flow, u, method, substeps) in parts.items():
        faults += guarded(where, partial(_faults, where, flow, u, method, test.dt / substeps, shape))
    return faults


def _faults(where: str, flow: Flow, u: Any, method: Method, h: float, shape: tuple[int, ...]) -> list[Fault]:
    flow = flow.sampled_at(h, shape)
    if not jax.tree.leaves(shapes(_memory, flow)):  # it remembers nothing
        return []
    slopes, rates = (np.asarray(found) for found in _slopes(flow, begun(flow), u))
    if np.isfinite(slopes).all():
        try:
            check_step(method, np.linalg.eigvals(slopes), h)
        except StepSizeError as error:
            return [Fault("rate" if where == "numerical" else where, str(error))]
        return []
    # a motion may begin well with a slope that is infinite, as friction does; then no step can be judged here
    if np.isfinite(rates).all():
        return []
    flow.init()  # which may say better what is wrong
    text = "its motion begins with numbers that are not finite: a value is infinite, zero where one divides by it, "
    return [Fault(where, f"{text}or far too large or small")]


def _memory(flow: Flow) -> Any:
    return flow.init()


_begun = once(_memory)


def begun(flow: Flow) -> Any:
    """The start of a large flow, which may have to be sought, as that of a hose: by one program for all who need it.

    None for any other: who needs it has it with less ado from the flow.
    """
    return _begun(flow.flow if isinstance(flow, Driven) else flow) if flow.large else None


@once
def _slopes(flow: Flow, x: Any, u: Any) -> tuple[jax.Array, jax.Array]:
    """Slopes and rates of a flow at its start, or in a state."""
    x, to_x = ravel_pytree(flow.init() if x is None else x)

    def rates(x):
        found, _ = ravel_pytree(flow.derivative(0.0, to_x(x), jax.tree.map(jnp.asarray, u)))
        return found, found

    return jax.jacfwd(rates, has_aux=True)(x)


def fewest_steps(contact_time: ArrayLike, step: float) -> jax.Array:
    """Steps [of `step` s] in the shortest contact of a run, by the time in contact so far at its ticks.

    Infinite where there was none. A contact that the run's end cuts short does not count.
    """
    time = jnp.asarray(contact_time)
    touched = jnp.diff(time) > 0
    before = jax.lax.cummax(jnp.where(touched, time[0], time[1:]))  # when it was last apart
    ends = touched[:-1] & ~touched[1:]
    return jnp.min(jnp.where(ends, time[1:-1] - before[:-1], jnp.inf), initial=jnp.inf) / step
