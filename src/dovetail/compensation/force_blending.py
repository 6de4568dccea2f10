r"""Feedback: processing of the measured force before it enters the numerical substructure.

Three blocks from motion and measurement of a tick to the feedback force of the next:

* `MeasuredForce` passes the measured force unchanged.
* `BlendedForce` mixes it with the force of a specimen model, :math:`F = \gamma F_m + (1-\gamma) F_{model}` [1]_. With
  :math:`\gamma = 0` the test is a simulation, which is a safe start; with :math:`\gamma = 1` it is the full hybrid
  test. In between, the loop tolerates more delay, without error if the model is exact. A ramp of `measured_fraction`
  from 0 to 1 leads from simulation to test.
* `ForceExtrapolation` compensates the delay of half a sample that the hold of the force causes.

Additional damping in the numerical substructure also increases the stability margin. It needs no model and overdamps
the response. In the published example a doubled damping ratio, a measured fraction of one half and a `PhaseAdvance`
of 1.5 each halve the resonance peak of the loop.

References
----------
.. [1] Wallace, PhD thesis, University of Bristol, 2006, sections 5.3 and 6.9.
"""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp

from dovetail.core import RK4, Block, Flow, Method, Parameter, count, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.flow_adapters import LinearInput

MOTION = ("displacement", "velocity", "acceleration")


class Feedback(Block):
    """Block from motion and measurement of a tick to the `feedback_force`.

    Input: `displacement`, `velocity`, `acceleration` of the numerical substructure and `measured_force`, all at t + dt.
    Output: `feedback_force` and any other signals to record.
    """

    shape: tuple[int, ...] = eqx.field(static=True, default=(), kw_only=True)  # of the interface

    def state_after_startup(self, x: State) -> State:
        """Return the state `x` as it is after the start-up phase, for an analysis at rest."""
        return x


@kind("measured")
class MeasuredForce(Feedback):
    """Measured force, unchanged."""

    def init(self) -> State:
        return ()

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        return x, {"feedback_force": u["measured_force"]}


@kind("blended")
class BlendedForce(Feedback):
    """Weighted mean of the measured force and the force of a specimen model.

    The model follows the motion of the numerical substructure without delay, linear between two ticks. Use the
    schedule of the test to ramp `measured_fraction`.

    Examples
    --------
    >>> from dovetail.specimens import Spring
    >>> feedback = BlendedForce(model=Spring(k=2250.0), measured_fraction=0.5)
    """

    model: Flow  # of the specimen: motion in, force out
    measured_fraction: Parameter = parameter(
        "1", "fraction of the measured force", default=1.0, at_least=0.0, at_most=1.0
    )
    method: Method = RK4()
    substeps: int = count("integration steps of the model per tick", default=1, at_least=1)

    def init(self) -> State:
        rest = {name: jnp.zeros(self.shape) for name in MOTION}
        model = self.model.init()
        return {"model": model, "memory": self.method.init(self.model, model), "motion": rest}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        motion = {name: u[name] for name in MOTION}
        interpolated = LinearInput(self.model, t, dt, x["motion"], motion)
        model, memory, h = x["model"], x["memory"], dt / self.substeps
        for i in range(self.substeps):
            model, memory = self.method.advance(interpolated, t + i * h, h, model, None, memory)

        model_force = self.model.output(t + dt, model, motion)["force"]
        force = self.measured_fraction * u["measured_force"] + (1.0 - self.measured_fraction) * model_force
        signals = {
            "feedback_force": force,
            "model_force": model_force,
            "measured_fraction": self.measured_fraction,
        }
        return {"model": model, "memory": memory, "motion": motion}, signals


@kind("force-extrapolation")
class ForceExtrapolation(Feedback):
    r"""Force extrapolated by a fraction of a sample, :math:`F + s\,(F - F_{previous})`.

    A force that is held over a step acts half a step late on average. At 1 kHz this lowers the critical delay of a
    lightly damped loop by 0.5 ms, and near a resonance it can be the largest error of the test. Half a sample cancels
    it to first order and amplifies noise by up to two.
    """

    feedback: Feedback = MeasuredForce()
    samples: Parameter = parameter("1", "samples to extrapolate", default=0.5, at_least=0.0)

    def init(self) -> State:
        return {
            "feedback": self.feedback.init(),
            "previous": jnp.zeros(self.shape),
            "has_previous": jnp.asarray(0.0),
        }

    def state_after_startup(self, x: State) -> State:
        return {
            **x,
            "feedback": self.feedback.state_after_startup(x["feedback"]),
            "has_previous": jnp.asarray(1.0),
        }

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        inner, signals = self.feedback.step(t, dt, x["feedback"], u)
        force_now = signals["feedback_force"]
        # the first sample has no previous one: a preload is not a change
        force = force_now + x["has_previous"] * self.samples * (force_now - x["previous"])
        state = {"feedback": inner, "previous": force_now, "has_previous": jnp.ones_like(x["has_previous"])}
        return state, {**signals, "feedback_force": force}
