r"""Tangents of a specimen along a motion: the family of linear loops that the test passes through.

At a point of the motion the specimen is linear for small changes, with the matrices of its equations there. The loop
with each of these tangents, frozen, has poles and a delay margin. The smallest margin belongs to the worst tangent. It
is a bound for slow changes, and an orientation otherwise: a loop may pass an unstable tangent and stay bounded.

Stiffness and damping of a tangent are the immediate changes of force with displacement and velocity, internal states
included: :math:`K = -(D_z + C B_v)`, :math:`C = -D_v`.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from dovetail.core.block import Input, Method, Output, State, Time
from dovetail.core.errors import AnalysisError, ConvergenceError
from dovetail.core.flow_adapters import Sampled
from dovetail.core.programs import jit_unoptimised
from dovetail.core.si_prefix import value_text
from dovetail.core.signals import MOTION
from dovetail.specimens import Specimen
from dovetail.stability import stability_switches
from dovetail.stability.sampled import poles_of
from dovetail.testing.linearised import LINEAR, flat_state, prepared_loop, small_signal_test, tangents_at

if TYPE_CHECKING:
    from dovetail.testing.test import Test

POINTS = 400  # of the motion at which tangents are computed
LOOPS = 12  # largest number of tangents whose loops are computed


@dataclasses.dataclass(frozen=True)
class TangentFamily:
    """Tangents of a specimen along a motion, and the worst of their linear loops."""

    stiffness: tuple[float, float]  # [N/m] smallest and largest, over axes and time
    damping: tuple[float, float]  # [N s/m] smallest and largest
    margin: float  # [s] delay margin of the worst loop; negative: delay that must be removed
    unstable: float  # fraction of the examined loops that are unstable

    def __str__(self) -> str:
        ranges = f"stiffness {_range(self.stiffness, 'N/m')}, damping {_range(self.damping, 'N s/m')}"
        if self.margin == math.inf:
            worst = "stable for any delay with each of them"
        elif self.margin > 0:
            worst = f"the worst linear loop has a delay margin of {value_text(self.margin, 's')}"
        else:
            by = "" if math.isinf(self.margin) else f", by {value_text(-self.margin, 's')} for the worst"
            worst = f"unstable with {100 * self.unstable:.0f} % of them{by}"
        return f"{ranges}; {worst}"


def _range(values: tuple[float, float], unit: str) -> str:
    low, high = (value_text(value, unit) for value in values)
    return low if low == high else f"{low} to {high}"


class TangentSpecimen(Specimen):
    """Linear specimen: the equations of another one, linearised at a point of its motion."""

    A: jax.Array
    B: jax.Array  # of displacement, velocity and acceleration of all axes
    C: jax.Array
    D: jax.Array

    def init(self) -> State:
        return jnp.zeros(self.A.shape[0])

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return self.A @ x + self.B @ _stacked(u)

    def output(self, t: Time, x: State, u: Input) -> Output:
        return {"force": (self.C @ x + self.D @ _stacked(u)).reshape(jnp.shape(u["displacement"]))}


def _stacked(u: Input) -> jax.Array:
    return jnp.concatenate([jnp.ravel(u[name]) for name in MOTION])


def sine(
    amplitude: ArrayLike, omega: float, shape: tuple[int, ...] = ()
) -> tuple[dict[str, np.ndarray], float]:
    """Return two periods of a sine [m] at omega [rad/s], the same on all axes, and the step [s] between samples."""
    steps = 100
    dt = 2 * math.pi / omega / steps
    phase = (omega * dt * np.arange(2 * steps)).reshape(-1, *([1] * len(shape)))
    size = np.broadcast_to(np.asarray(amplitude, float), shape)
    x, v = size * np.sin(phase), size * omega * np.cos(phase)
    return {"displacement": x, "velocity": v, "acceleration": -(omega**2) * x}, dt


def tangent_family(test: Test, motion: dict[str, np.ndarray]) -> TangentFamily:
    """Return the tangents of the specimen along a motion that is sampled at the ticks of the test."""
    prepared = small_signal_test(test).with_shapes()
    rig = prepared.require_rig().as_model()
    specimen, method = rig.specimen, rig.method
    states = np.asarray(_states(specimen, method, test.dt, motion))
    points = np.unique(np.linspace(0, len(states) - 1, POINTS).astype(int))
    stacked = np.concatenate([motion[name].reshape(len(states), -1) for name in MOTION], axis=1)
    matrices = [np.asarray(m) for m in tangents_at(specimen, test.shape, states[points], stacked[points])]
    matrices = [m[np.all([np.isfinite(n).all(axis=(1, 2)) for n in matrices], axis=0)] for m in matrices]
    if not len(matrices[0]):
        raise AnalysisError("the specimen has no finite tangent along the reference motion")
    stiffness, damping = _stiffness_and_damping(matrices, int(np.prod(test.shape, dtype=int)))
    chosen = _spread(stiffness, damping)
    margins = np.array([_margin(prepared, [m[i] for m in matrices]) for i in chosen])
    return TangentFamily(
        (float(stiffness.min()), float(stiffness.max())),
        (float(damping.min()), float(damping.max())),
        float(np.min(margins)),
        float(np.mean(margins <= 0)),
    )


def _stiffness_and_damping(matrices: list[np.ndarray], axes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return stiffness [N/m] and damping [N s/m] of tangents, (points, axes)."""
    _, B, C, D = matrices
    own = np.arange(axes)
    stiffness = -(D[:, own, own] + (C @ B[:, :, axes : 2 * axes])[:, own, own])
    return stiffness, -D[:, own, axes + own]


def _spread(stiffness: np.ndarray, damping: np.ndarray) -> list[int]:
    """Return points with the extreme tangents, and points between them."""
    chosen: list[int] = []
    for values in (stiffness.sum(axis=1), damping.sum(axis=1)):
        order = np.argsort(values)
        spread = np.max(np.abs(values - values[0])) > LINEAR * np.max(np.abs(values), initial=0.0)
        chosen += order[np.linspace(0, len(order) - 1, LOOPS // 2 if spread else 1).astype(int)].tolist()
    return list(dict.fromkeys(chosen))


def _margin(test: Test, matrices: list[np.ndarray]) -> float:
    """Return the delay margin [s] of the loop with a tangent; negative: delay that must be removed."""
    tangent = TangentSpecimen(*map(jnp.asarray, matrices))
    loop = prepared_loop(
        dataclasses.replace(test, rig=dataclasses.replace(test.require_rig().as_model(), specimen=tangent))
    )
    growth = poles_of(loop.A + loop.B @ loop.C, test.dt, test.duration).growth
    try:
        margin = stability_switches(loop, test.dt, unstable=None if growth >= 0 else 0).margin()
    except (AnalysisError, ConvergenceError, np.linalg.LinAlgError):
        return math.inf if growth < 0 else -math.inf
    return min(margin, -0.0) if growth >= 0 else margin


@jit_unoptimised
def _states(specimen: Specimen, method: Method, dt: Any, motion: dict[str, Any]) -> jax.Array:
    """Return the changes of the state of a specimen along a motion, (samples, states)."""
    block, initial = Sampled(specimen, method), flat_state(specimen.init())

    def step(x: Any, at: Any) -> tuple[Any, jax.Array]:
        k, u = at
        return block.step(k * dt, dt, x, u)[0], flat_state(x) - initial

    count = len(motion["displacement"])
    return jax.lax.scan(step, block.init(), (jnp.arange(count), motion))[1]
