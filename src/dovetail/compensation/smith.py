r"""Smith predictor: models of actuator and specimen take the delay out of the loop.

In its classical form [1]_ a controller sees the output of a plant's model without the delay, corrected by
what the real plant does differently from the delayed model. In a hybrid test the numerical substructure
takes the controller's place, and actuator plus specimen that of the plant:

.. math:: F = F_m + \hat F(z) - \hat F(\hat x), \qquad \hat x = \hat T z

With exact models the last term cancels the measured force and the loop is that of the undivided structure,
whatever the delay; but then nothing of the measurement is left in the loop either, and the test is a
simulation with the measured force as a bystander. With a wrong specimen model only the *difference* between
specimen and model goes around the delayed loop. Compare `BlendedForce`, which needs no model of the actuator.

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
    """The measured force, plus the modelled force now, less the modelled force of the late motion.

    `transfer` is linear and describes what lies between demand and response, any compensator included.

    Examples
    --------
    >>> from dovetail.specimens import Spring
    >>> from dovetail.transfer import Delay
    >>> feedback = SmithPredictor(model=Spring(k=2250.0), transfer=Delay(9.4e-3))
    """

    model: Flow  # of the specimen: motion in, force out
    transfer: Transfer  # model of the transfer system
    method: Method = RK4()
    substeps: int = count("integration steps of the model in a tick", default=1, at_least=1)

    @property
    def _specimen(self) -> BlendedForce:
        """The specimen's model as a block."""
        return BlendedForce(self.model, jnp.asarray(0.0), self.method, self.substeps, shape=self.shape)

    def init(self) -> State:
        specimen = self._specimen.init()
        return {"prompt": specimen, "late": specimen, "transfer": [self.transfer.init() for _ in MOTION]}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        measured = u["measured_force"]
        # the transfer is linear, so velocity and acceleration pass through it like the displacement
        passed = [
            self.transfer.step(t, dt, state, u[name])
            for state, name in zip(x["transfer"], MOTION, strict=True)
        ]
        motion = dict(zip(MOTION, (out for _, out in passed), strict=True))
        prompt, now = self._specimen.step(t, dt, x["prompt"], {**u, "measured_force": 0.0 * measured})
        late, then = self._specimen.step(t, dt, x["late"], {**motion, "measured_force": 0.0 * measured})
        state = {"prompt": prompt, "late": late, "transfer": [state for state, _ in passed]}
        force: jax.Array = measured + now["force"] - then["force"]
        return state, {"force": force, "model_force": now["force"]}
