r"""Classical pseudo-dynamic test: central difference method with mass, damping and measured restoring force.

.. math:: u_{i+1} = \left[\frac{M}{h^2} + \frac{C}{2h}\right]^{-1}
          \left\{F_i - R_i + \frac{2M}{h^2}u_i - \left[\frac{M}{h^2} - \frac{C}{2h}\right]u_{i-1}\right\}

The displacement is predicted and imposed, the force is measured at rest, and the motion is corrected.
`core.structures.CentralDifference` is the same recursion in displacement, velocity and acceleration. M, C and the
stiffness of the simulated part are those of the numerical substructure, which must be linear with the displacements
and velocities of the interface as its only states.
Source: [Bolien 2018, eqs 2.4 to 2.8]; [Takanashi et al. 1975].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from dovetail.core.block import Time
from dovetail.core.errors import ParameterError
from dovetail.core.keep import Keep
from dovetail.core.linear import linearise
from dovetail.core.signals import MOTION
from dovetail.core.structures import (
    CentralDifference,
    Linear,
    PredictorCorrector,
    StructuralMotion,
    Structure,
)
from dovetail.core.system import Signals, System
from dovetail.testing.hybrid_loop import Driven
from dovetail.testing.limit_monitor import LimitChecks, LimitState
from dovetail.testing.pseudodynamic.settings import PseudodynamicSettings
from dovetail.testing.pseudodynamic.stepwise import SteppedState, reading_of, recorded_signals, where

if TYPE_CHECKING:
    from dovetail.testing.test import Test


class ClassicalLoop(System):
    """Numerical substructure as mass, damping and stiffness, with the restoring force of the specimen measured.

    A sample predicts the motion one step ahead, in no simulated time, and asks for its displacement. The next sample
    takes the step and corrects the motion with the measured force.
    """

    structure: Structure  # its restoring force is that of the simulated part
    driven: Driven
    pseudodynamic: PseudodynamicSettings
    method: PredictorCorrector = eqx.field(default_factory=CentralDifference)
    shape: tuple[int, ...] = eqx.field(default=(), static=True)

    @classmethod
    def from_test(cls, test: Test) -> ClassicalLoop:
        """Return the loop of a prepared test.

        Raises
        ------
        ParameterError
            If the numerical substructure has other states than the displacements and velocities of the interface.
        """
        driven, shape = Driven(test.numerical, test.excitation), test.shape
        force = jnp.zeros(shape)
        model = linearise(driven, driven.init(), force)
        n = int(np.prod(shape, dtype=int))
        rows = {
            name: [i for i, out in enumerate(model.outputs) if out.split("[")[0] == name] for name in MOTION
        }
        outputs = np.asarray(model.C)[rows["displacement"] + rows["velocity"]]
        if model.A.shape[0] != 2 * n or np.linalg.matrix_rank(outputs) < 2 * n:
            raise ParameterError(
                f'pseudodynamic.scheme: "classical" needs a numerical substructure with {n} displacements and {n} '
                f'velocities; {type(test.numerical).__name__} has {model.A.shape[0]} states. Use "stepwise"'
            )
        acceleration = np.asarray(model.C)[rows["acceleration"]] @ np.linalg.inv(outputs)
        mass = np.linalg.inv(np.asarray(model.D)[rows["acceleration"]])
        stiffness, damping = -mass @ acceleration[:, :n], -mass @ acceleration[:, n:]
        assert test.pseudodynamic is not None
        return cls(Structure(mass, damping, Linear(stiffness)), driven, test.pseudodynamic, shape=shape)

    def load(self, t: Time) -> Array:
        """Return the load of the excitation on the structure at t [N]."""
        at_rest = jax.tree.map(jnp.zeros_like, self.driven.init())
        acceleration = self.driven.output(t, at_rest, jnp.zeros(self.shape))["acceleration"]
        return self.structure.mass @ jnp.ravel(acceleration)

    def start(self) -> tuple[SteppedState, Signals]:
        zero = jnp.zeros(self.shape)
        output = self.driven.output(0.0, self.driven.init(), zero)
        x, v, a = (output[name] for name in MOTION)
        blank = jnp.zeros(self.structure.size)
        structural = StructuralMotion(jnp.ravel(x), jnp.ravel(v), jnp.ravel(a), blank, blank)
        command = self.pseudodynamic.command(x)
        state = SteppedState(
            structural, self._motion(structural), jnp.zeros(()), jnp.array(True), command, zero, zero
        )
        return state, self._shown(jnp.zeros(()), state, jnp.array(False))

    def proposed_step(self, t: Time, x: SteppedState) -> Time:
        """Return the length of the next step [s]; a prediction takes none."""
        return jnp.where(x.asks, x.step, 0.0)

    def measured(self, monitor: Any, x: SteppedState, m: Any) -> tuple[SteppedState, Any]:
        """Return the states unchanged; the next sample takes the measurement."""
        return x, m

    def step(self, t: Time, h: Time, x: SteppedState) -> tuple[SteppedState, Signals]:
        after = jax.lax.cond(x.asks, lambda x: self._corrected(t, h, x), lambda x: self._predicted(x), x)
        return after, self._shown(t + jnp.where(x.asks, h, after.step), after, x.asks)

    def _predicted(self, x: SteppedState) -> SteppedState:
        """Return the state with the predicted motion, which the cell imposes."""
        h = self.pseudodynamic.contact_step
        displacement, velocity = self.method.predict(h, x.simulation)
        motion = self._motion(x.simulation._replace(x=displacement, v=velocity))
        return x._replace(motion=motion, step=h, asks=~x.asks)

    def _corrected(self, t: Time, h: Time, x: SteppedState) -> SteppedState:
        """Return the state with the motion corrected by the measured force; the first measurement is at t = 0."""
        force = jnp.ravel(x.force)
        first = self.driven.output(0.0, self.driven.init(), x.force)
        u, v = jnp.ravel(first["displacement"]), jnp.ravel(first["velocity"])
        begun = self.structure.start(u, v, self.load(0.0), self.structure.force(u, v) - force)
        measured = self.structure.force(*self.method.predict(h, x.simulation)) - force
        corrected = self.method.correct(self.structure, h, x.simulation, self.load(t + h), measured)
        structural = jax.tree.map(lambda a, b: jnp.where(x.step > 0, a, b), corrected, begun)
        motion = jax.tree.map(lambda a, b: jnp.where(x.step > 0, a, b), self._motion(structural), x.motion)
        return x._replace(simulation=structural, motion=motion, asks=~x.asks)

    def _motion(self, structural: StructuralMotion) -> Signals:
        return {name: value.reshape(self.shape) for name, value in zip(MOTION, structural[:3], strict=True)}

    def _shown(self, t: Time, x: SteppedState, measured: Bool[Array, ""]) -> Signals:
        return {
            "t": t,
            "gate": jnp.array(True),
            "excitation": jnp.asarray(self.driven.excitation(t)),
            **x.motion,
            **reading_of(x),
            "correction": Correction(measured, x.step),
        }


class Correction(NamedTuple):
    """What the monitor needs of a sample besides its signals."""

    measured: Bool[Array, ""]  # whether the motion is corrected by a measurement; otherwise it is predicted
    step: Float[Array, ""]  # [s] length of the step to this motion


class ClassicalMonitor(LimitChecks):
    """Limit monitor of the classical scheme.

    The predicted demand is checked before the cell is sent there; the corrected demand with its measurement.
    """

    def step(self, t: Time, h: Time, m: LimitState, shown: Signals) -> tuple[LimitState, Signals]:
        measured, step = shown["correction"]
        demand = self.check_demand(shown["t"], step, m, shown)
        predicted = where(demand.code > 0, demand, m)
        m = where(measured, self.check_measurement(step, demand, shown), predicted)
        return m, {**shown, "breach": m.code > 0}


class CorrectedRows(Keep):
    """Rows of the corrected motion, and of a predicted motion that is beyond a limit."""

    def start(self, shown: Signals) -> Bool[Array, ""]:
        return jnp.array(True)

    def row(self, kept: Any, t: Time, h: Time, shown: Signals) -> tuple[Bool[Array, ""], Signals]:
        measured, step = shown["correction"]
        return (measured & (step > 0)) | (shown["breach"] & ~measured), recorded_signals(shown)

    def wants(self, kept: Bool[Array, ""], row: Signals) -> Bool[Array, ""]:
        return kept
