r"""Time-domain passivity: watch the energy a rig generates, and pay it back.

A late rig returns a force that belongs to a motion gone by, and work done with it is created or lost. The
observer keeps account of it from signals every test has,

.. math:: E_k = E_{k-1} + \Delta t\left(F_k\cdot\dot z_k - F_{m,k}\cdot\dot x_k\right),

what the numerical substructure was given with the force F that was used, less what the specimen gave with
the measured force F_m at the measured velocity. While E is positive the controller adds a damping force along
the velocity of the numerical substructure,

.. math:: F = F_m - g\,E\,\frac{\dot z}{|\dot z|^2 + v_0^2},

which takes out the power :math:`g\,E`: the debt decays with the time constant 1/g. No model of anything is
needed. What is kept right is the energy, not the phase: a test compensated in this way alone is passive and
still late. The measured velocity is the difference of two readings and the sum of powers must mean power: on
several axes force times velocity of each is one.

After Hannaford and Ryu [1]_, with the debt repaid over a time 1/g instead of within one sample, which a
stiff contact would answer with chatter.

References
----------
.. [1] Hannaford and Ryu, IEEE Transactions on Robotics and Automation 18(1), 1-10, 2002.
"""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp

from dovetail.compensation.force_blending import Feedback
from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, State, Time


@kind("passivity")
class PassivityControl(Feedback):
    """Observer and controller of the energy that the rig generates."""

    references: ClassVar[dict[str, str]] = {"hannaford2002": "time-domain passivity observer and controller"}

    gain: jax.Array = parameter("1/s", "rate at which generated energy is paid back", at_least=0.0)
    slowest: jax.Array = parameter("m/s", "speed below which the brake fades", above=0.0, default=5e-3)

    def init(self) -> State:
        nothing = jnp.zeros(self.shape)
        return {"generated": jnp.zeros(()), "paid_back": jnp.zeros(()), "force": nothing, "measured": nothing}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        v = u["velocity"]
        speed = (u["measured_displacement"] - x["measured"]) / dt
        brake = self.gain * jnp.maximum(x["generated"], 0.0) * v / (jnp.sum(v * v) + self.slowest**2)
        force = u["measured_force"] - brake
        given, contact = jnp.sum(force * v), jnp.sum(u["measured_force"] * speed)
        state = {
            "generated": x["generated"] + dt * (given - contact),
            "paid_back": x["paid_back"] + dt * jnp.sum(brake * v),
            "force": force,
            "measured": u["measured_displacement"],
        }
        shown = {"generated_energy": state["generated"], "paid_back_energy": state["paid_back"]}
        return state, {"force": force, **shown}
