r"""Time-domain passivity control: observes the energy that a rig generates and dissipates it.

With delay, the measured force belongs to an earlier motion, so its work on the current motion generates or removes
energy. The observer computes this energy from signals of every test,

.. math:: E_k = E_{k-1} + F_{k-1}\cdot(z_k - z_{k-1}) - \tfrac12(F_{m,k-1} + F_{m,k})\cdot(x_k - x_{k-1}),

the work of the feedback force F, constant over a tick, on the numerical substructure, minus the work of the measured
force F_m on the measured motion. If the force sensor is delayed, x is first delayed by `sensor_delay`, so that force
and motion belong to the same time. While E is positive, the controller adds a damping force against the velocity of
the numerical substructure,

.. math:: F = F_m - g\,E\,\frac{\dot z}{|\dot z|^2 + v_0^2},

which dissipates the power :math:`g\,E`, so E decays with the time constant 1/g. No model is needed. The method corrects
the energy and not the phase: a test with passivity control alone is passive but still delayed. With several axes, force
and displacement of each axis must be a work-conjugate pair.

The method follows Hannaford and Ryu [1]_, but dissipates the energy over the time 1/g instead of one sample, which
would cause chatter in a stiff contact.

References
----------
.. [1] Hannaford and Ryu, IEEE Transactions on Robotics and Automation 18(1), 1-10, 2002.
"""

from __future__ import annotations

from typing import ClassVar

import jax.numpy as jnp

from dovetail.compensation.force_blending import Feedback
from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, State, Time


@kind("passivity")
class PassivityControl(Feedback):
    """Passivity observer and controller for the energy that the rig generates."""

    references: ClassVar[dict[str, str]] = {"hannaford2002": "time-domain passivity observer and controller"}

    gain: Parameter = parameter("1/s", "rate at which generated energy is dissipated", at_least=0.0)
    min_speed: Parameter = parameter(
        "m/s", "speed below which the damping force decreases to zero", above=0.0, default=5e-3
    )
    sensor_delay: Parameter = parameter(
        "s", "delay of the measured force relative to the measured motion", at_least=0.0, default=0.0
    )

    def init(self) -> State:
        zero = jnp.zeros(self.shape)
        names = ("displacement", "measured", "force", "damping_force", "measured_force")
        return {"generated": jnp.zeros(()), "dissipated": jnp.zeros(()), **dict.fromkeys(names, zero)}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        increment = u["displacement"] - x["displacement"]
        measured = x["measured"] + dt / (self.sensor_delay + dt) * (
            u["measured_displacement"] - x["measured"]
        )
        mean_force = (u["measured_force"] + x["measured_force"]) / 2
        work_out = jnp.sum(x["force"] * increment)
        work_in = jnp.sum(mean_force * (measured - x["measured"]))
        generated = x["generated"] + work_out - work_in
        dissipated = x["dissipated"] + jnp.sum(x["damping_force"] * increment)

        v = u["velocity"]
        damping_force = self.gain * jnp.maximum(generated, 0.0) * v / (jnp.sum(v * v) + self.min_speed**2)
        force = u["measured_force"] - damping_force
        state = {
            "generated": generated,
            "dissipated": dissipated,
            "displacement": u["displacement"],
            "measured": measured,
            "force": force,
            "damping_force": damping_force,
            "measured_force": u["measured_force"],
        }
        return state, {
            "feedback_force": force,
            "generated_energy": generated,
            "passivity_dissipation": dissipated,
        }
