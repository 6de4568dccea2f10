"""A towed rope for another program's loop: advance by a step, save, restore.

A host that flies the aircraft or the device itself (a control simulation at a hundred steps a second, as in the
source) gives the force on the tip and the support's acceleration, held over the step, and takes the tip's motion and
the force on the support. A step that is not accepted can be taken back: `save` gives the whole state as bytes,
`restore` takes it up again, also in another process.
"""

from __future__ import annotations

import dataclasses
import io
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.aircraft import SupportMotion
from dovetail.air.latching_device import TipDevice
from dovetail.air.towed_rope import TowedRope
from dovetail.core import RK4, Method
from dovetail.core.errors import ParameterError, TestFileError
from dovetail.core.methods.rolled import rolled


class _Pushed(TipDevice):
    """A device with a further force on it."""

    device: TipDevice = None  # type: ignore[assignment]  # always given; a default must follow a default
    push: Any = None

    def init(self):
        return self.device.init()

    def force(self, x, wind, density, speed, command):
        return self.device.force(x, wind, density, speed, command) + self.push

    def rate(self, x, wind, density, speed, command):
        return self.device.rate(x, wind, density, speed, command)

    def attitude(self, x, command):
        return self.device.attitude(x, command)

    def roll(self, x):
        return self.device.roll(x)

    def turned(self, rate, torque):
        return self.device.turned(rate, torque)


class _Moved(SupportMotion):
    """A motion with a further acceleration."""

    motion: SupportMotion
    more: Any

    def acceleration(self, t):
        return self.motion.acceleration(t) + self.more


def _fed(system: TowedRope, force, acceleration) -> TowedRope:
    device = _Pushed(mass=system.device.mass, device=system.device, push=force)
    return dataclasses.replace(system, device=device, motion=_Moved(system.motion, acceleration))


@eqx.filter_jit
def _advance(system, method, state, t, h, substeps, force, acceleration):
    flow = _fed(system, force, acceleration)

    def one(i, carry):
        return method.step(flow, t + i * h, h, carry[0], None, carry[1])

    state = jax.lax.fori_loop(0, substeps, one, state)
    return state, flow.output(t + substeps * h, state[0], None)


class RopeStepper:
    """The rope as something that is stepped from outside.

    Attributes
    ----------
    time : float
        Where it is [s].

    Examples
    --------
    >>> from dovetail.mechanics.chain import LinkChain
    >>> rope = RopeStepper(TowedRope(chain=LinkChain(n=2, length=10.0, mass=5.0), air="off"), step=0.01)
    >>> before = rope.save()
    >>> shown = rope.step(force=[100.0, 0.0, 0.0])
    >>> round(rope.time, 2), shown["displacement"].shape
    (0.01, (3,))
    >>> rope.restore(before)
    >>> rope.time
    0.0
    """

    def __init__(self, system: TowedRope, *, step: float, method: Method | None = None, substeps: int = 1):
        self.system, self.method = system, rolled(method or RK4())
        if not step > 0 or substeps < 1:
            raise ParameterError(f"RopeStepper: got a step of {step:g} s in {substeps} parts; both above 0")
        self.interval, self.substeps, self.time = float(step), int(substeps), 0.0
        faults = system.faults(method or RK4(), step / substeps)
        if faults:
            raise TestFileError("rope", faults)
        x = system.init()
        self._state = (x, self.method.init(system, x))

    def step(
        self, force: Any = (0.0, 0.0, 0.0), acceleration: Any = (0.0, 0.0, 0.0)
    ) -> dict[str, np.ndarray]:
        """Advance by one step under a further tip force [N] and support acceleration [m/s^2], (3,) each, held."""
        h = self.interval / self.substeps
        self._state, shown = _advance(
            self.system,
            self.method,
            self._state,
            jnp.asarray(self.time),
            h,
            self.substeps,
            jnp.asarray(force, float),
            jnp.asarray(acceleration, float),
        )
        self.time += self.interval
        return {name: np.asarray(value) for name, value in shown.items()}

    def save(self) -> bytes:
        """The state and the time."""
        file = io.BytesIO()
        np.savez(file, np.asarray(self.time), *map(np.asarray, jax.tree.leaves(self._state)))
        return file.getvalue()

    def restore(self, saved: bytes) -> None:
        """Go back, or on, to a state that `save` gave; of a rope of the same form."""
        with np.load(io.BytesIO(saved)) as stored:
            arrays = [stored[name] for name in stored.files]
        leaves, form = jax.tree.flatten(self._state)
        shapes = [np.shape(leaf) for leaf in leaves]
        if [a.shape for a in arrays[1:]] != shapes:
            raise ParameterError(
                f"RopeStepper.restore: a state with arrays {[a.shape for a in arrays[1:]]}; this rope has {shapes}"
            )
        self.time = float(arrays[0])
        self._state = jax.tree.unflatten(form, [jnp.asarray(a) for a in arrays[1:]])
