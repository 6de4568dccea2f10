r"""Feedback: what becomes of the measured force before the numerical substructure feels it.

Three ways, all blocks from the tick's motion and reading to the force that is used next:

* `MeasuredForce` passes it on;
* `BlendedForce` mixes it with the force of a model that runs alongside,
  :math:`F = \gamma F_m + (1-\gamma) F_{model}` [1]_. With :math:`\gamma = 0` the test is a simulation, which
  is a safe way to start; with :math:`\gamma = 1` it is the full hybrid test. In between the loop tolerates
  more delay, and with an exact model nothing is distorted. A ramp of `share` from 0 to 1 leads from one to
  the other.
* `HeldForceExtrapolation` makes up for the half sample that holding a force over a step costs.

A fourth way to gain robustness needs no block: raise the damping of the numerical substructure, for which no
model is needed and which over-damps the result. Doubling the damping ratio, a share of one half, or a
`PhaseAdvance` of 1.5 each halve the resonant peak of the loop in the published example.

References
----------
.. [1] Wallace, PhD thesis, University of Bristol, 2006, sections 5.3 and 6.9.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Self

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import RK4, Block, Flow, Method, count, kind, parameter
from dovetail.core.block import Input, Output, State, Time

MOTION = ("displacement", "velocity", "acceleration")


class Feedback(Block):
    """A block from the motion and the reading of a tick to the `force` fed back.

    Input: `displacement`, `velocity`, `acceleration` of the numerical substructure and `measured_force`, all
    at t + dt. Output: `force`, and what else is worth recording.
    """

    shape: tuple[int, ...] = eqx.field(static=True, default=(), kw_only=True)  # of the interface

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        """This feedback for interface signals of `shape`."""
        return dataclasses.replace(super().sampled_at(dt, shape), shape=tuple(shape))

    def running(self, x: State) -> State:
        """The state `x` with start-up behind it: where an analysis at rest is to be made."""
        return x


@kind("measured")
class MeasuredForce(Feedback):
    """The measured force, as it is."""

    def init(self) -> State:
        return ()

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        return x, {"force": u["measured_force"]}


@kind("blended")
class BlendedForce(Feedback):
    """A share of the measured force and the rest from a model of the specimen.

    The model follows the numerical substructure's motion without any delay; between two ticks the motion is
    taken as straight. Ramp `share` through the test's schedule.

    Examples
    --------
    >>> from dovetail.specimens import Spring
    >>> feedback = BlendedForce(model=Spring(k=2250.0), share=0.5)
    """

    model: Flow  # of the specimen: motion in, force out
    share: jax.Array = parameter("1", "share of the measured force", default=1.0, at_least=0.0, at_most=1.0)
    method: Method = RK4()
    substeps: int = count("integration steps of the model in a tick", default=1, at_least=1)

    def init(self) -> State:
        rest = {name: jnp.zeros(self.shape) for name in MOTION}
        model = self.model.init()
        return {"model": model, "memory": self.method.init(self.model, model), "motion": rest}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        motion = {name: u[name] for name in MOTION}
        driven = _Driven(self.model, t, dt, x["motion"], motion)
        model, memory, h = x["model"], x["memory"], dt / self.substeps
        for i in range(self.substeps):
            model, memory = self.method.advance(driven, t + i * h, h, model, None, memory)

        computed = self.model.output(t + dt, model, motion)["force"]
        force = self.share * u["measured_force"] + (1.0 - self.share) * computed
        signals = {"force": force, "model_force": computed, "measured_share": self.share}
        return {"model": model, "memory": memory, "motion": motion}, signals


@kind("half-sample-advance")
class HeldForceExtrapolation(Feedback):
    r"""The force extrapolated by a share of a sample, :math:`F + s\,(F - F_{previous})`.

    A force held over a step acts, on average, half a step late: at 1 kHz this lowers the critical delay of a
    lightly damped loop by 0.5 ms, and near a resonance it can be the largest error of the test. A share of
    one half cancels it to first order and amplifies noise by up to two.
    """

    of: Feedback = MeasuredForce()
    share: jax.Array = parameter("1", "samples to extrapolate", default=0.5, at_least=0.0)

    def init(self) -> State:
        return {"of": self.of.init(), "previous": jnp.zeros(self.shape), "seen": jnp.asarray(0.0)}

    def running(self, x: State) -> State:
        return {**x, "of": self.of.running(x["of"]), "seen": jnp.asarray(1.0)}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        of, shown = self.of.step(t, dt, x["of"], u)
        force_now = shown["force"]
        # a preload in the first sample is no rise
        force = force_now + x["seen"] * self.share * (force_now - x["previous"])
        return {"of": of, "previous": force_now, "seen": jnp.ones_like(x["seen"])}, {**shown, "force": force}


class _Driven(Flow):
    """A model whose motion goes straight from one tick to the next."""

    model: Flow
    t: Any
    dt: Any
    before: dict[str, jax.Array]
    after: dict[str, jax.Array]

    def init(self) -> State:
        return self.model.init()

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return self.model.derivative(t, x, self._motion(t))

    def output(self, t: Time, x: State, u: Input) -> Output:
        return self.model.output(t, x, self._motion(t))

    def jump(self, t: Time, x: State, u: Input) -> State:
        return self.model.jump(t, x, self._motion(t))

    def _motion(self, t: Time) -> dict[str, jax.Array]:
        passed = (t - self.t) / self.dt
        return jax.tree.map(lambda a, b: a + passed * (b - a), self.before, self.after)
