r"""Smith predictor: models of transfer system and specimen remove the delay from the loop.

In the classical form [1]_ the controller input is the output of the plant model without delay, plus the difference
between the real plant and the delayed model. In a hybrid test the numerical substructure is the controller, and
actuator and specimen are the plant:

.. math:: F = F_m + \hat F(z) - \hat F(\hat x), \qquad \hat x = \hat T z

With exact models the last term cancels the measured force, and the loop is that of the undivided structure for any
delay. The measurement then has no effect, and the test is a simulation. With an inexact specimen model only the
*difference* between specimen and model is fed back with delay. `BlendedForce` needs no model of the actuator.

References
----------
.. [1] Smith, Chemical Engineering Progress 53(5), 217-219, 1957.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.compensation.force_blending import MOTION, BlendedForce, Feedback
from dovetail.core import RK4, Flow, Method, count, kind
from dovetail.core.block import Input, Output, State, Time
from dovetail.transfer import Transfer


@kind("smith")
class SmithPredictor(Feedback):
    """Smith predictor: measured force + model force without delay - model force with delay.

    `transfer` is a linear model of everything between demand and response, including a compensator.

    Examples
    --------
    >>> from dovetail.specimens import Spring
    >>> from dovetail.transfer import Delay
    >>> feedback = SmithPredictor(model=Spring(k=2250.0), transfer=Delay(9.4e-3))
    """

    model: Flow  # of the specimen: motion in, force out
    transfer: Transfer  # model of the transfer system
    method: Method = RK4()
    substeps: int = count("integration steps of the model per tick", default=1, at_least=1)

    @property
    def _specimen(self) -> BlendedForce:
        """Specimen model as a block."""
        return BlendedForce(self.model, jnp.asarray(0.0), self.method, self.substeps, shape=self.shape)

    def init(self) -> State:
        specimen = self._specimen.init()
        return {
            "undelayed": specimen,
            "delayed": specimen,
            "transfer": [self.transfer.init() for _ in MOTION],
        }

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        measured = u["measured_force"]
        # the transfer is linear, so it applies to velocity and acceleration as to the displacement
        delayed_signals = [
            self.transfer.step(t, dt, state, u[name])
            for state, name in zip(x["transfer"], MOTION, strict=True)
        ]
        motion = dict(zip(MOTION, (out for _, out in delayed_signals), strict=True))
        undelayed, model_now = self._specimen.step(
            t, dt, x["undelayed"], {**u, "measured_force": 0.0 * measured}
        )
        delayed, model_delayed = self._specimen.step(
            t, dt, x["delayed"], {**motion, "measured_force": 0.0 * measured}
        )
        state = {
            "undelayed": undelayed,
            "delayed": delayed,
            "transfer": [state for state, _ in delayed_signals],
        }
        force: jax.Array = measured + model_now["feedback_force"] - model_delayed["feedback_force"]
        return state, {"feedback_force": force, "model_force": model_now["feedback_force"]}
