r"""Time-domain passivity: watch the energy a rig generates, and pay it back.

A late rig returns a force that belongs to a motion gone by, and work done with it is created or lost. The
observer keeps account of it from signals every test has,

.. math:: E_k = E_{k-1} + F_{k-1}\cdot(z_k - z_{k-1}) - \tfrac12(F_{m,k-1} + F_{m,k})\cdot(x_k - x_{k-1}),

the work of the force F that was used, which is held over a tick, on the numerical substructure, less the work
of the measured force F_m on the measured motion. A force sensor that lags would be charged with a motion
that is newer than its reading; x is therefore delayed by `sensor_lag` first. While E is positive the
controller adds a damping force along the velocity of the numerical substructure,

.. math:: F = F_m - g\,E\,\frac{\dot z}{|\dot z|^2 + v_0^2},

which takes out the power :math:`g\,E`: the debt decays with the time constant 1/g. No model of anything is
needed. What is kept right is the energy, not the phase: a test compensated in this way alone is passive and
still late. The sum over several axes must mean work: force and displacement of each have to be a pair.

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

    sensor_lag: jax.Array = parameter(
        "s", "how late the measured force is behind the measured motion", at_least=0.0, default=0.0
    )

    def init(self) -> State:
        nothing = jnp.zeros(self.shape)
        names = ("displacement", "measured", "force", "brake", "measured_force")
        return {"generated": jnp.zeros(()), "paid_back": jnp.zeros(()), **dict.fromkeys(names, nothing)}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        moved = u["displacement"] - x["displacement"]
        measured = x["measured"] + dt / (self.sensor_lag + dt) * (u["measured_displacement"] - x["measured"])
        read = (u["measured_force"] + x["measured_force"]) / 2
        given, contact = jnp.sum(x["force"] * moved), jnp.sum(read * (measured - x["measured"]))
        generated = x["generated"] + given - contact
        paid_back = x["paid_back"] + jnp.sum(x["brake"] * moved)

        v = u["velocity"]
        brake = self.gain * jnp.maximum(generated, 0.0) * v / (jnp.sum(v * v) + self.slowest**2)
        force = u["measured_force"] - brake
        state = {
            "generated": generated,
            "paid_back": paid_back,
            "displacement": u["displacement"],
            "measured": measured,
            "force": force,
            "brake": brake,
            "measured_force": u["measured_force"],
        }
        return state, {"force": force, "generated_energy": generated, "paid_back_energy": paid_back}
