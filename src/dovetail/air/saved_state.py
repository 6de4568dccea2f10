"""Step a towed rope from another program's loop: advance, save, restore.

The host program simulates the aircraft or the device (a control simulation at a hundred steps a second, as in the
source). It passes the force on the tip and the acceleration of the support, both constant over the step. It receives
the motion of the tip and the force on the support. A rejected step can be undone: `save` returns the complete state as
bytes, `restore` loads it, also in another process.
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
from dovetail.core import RK4, Method, State
from dovetail.core.errors import ParameterError, TestFileError
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.core.system import FlowSystem


class _DeviceWithForce(TipDevice):
    """Device with an additional force on it."""

    device: TipDevice = None  # type: ignore[assignment]  # always given; a default must follow a default
    push: Any = None

    def init(self) -> State:
        return self.device.init()

    def force(self, x, wind, density, speed, command):
        return self.device.force(x, wind, density, speed, command) + self.push

    def rate(self, x, wind, density, speed, command):
        return self.device.rate(x, wind, density, speed, command)

    def attitude(self, x, command):
        return self.device.attitude(x, command)

    def roll(self, x):
        return self.device.roll(x)

    def with_roll_torque(self, rate, torque):
        return self.device.with_roll_torque(rate, torque)


class _AcceleratedSupport(SupportMotion):
    """Support motion with an additional acceleration."""

    motion: SupportMotion
    added: Any

    def acceleration(self, t):
        return self.motion.acceleration(t) + self.added


def _with_inputs(system: TowedRope, force, acceleration) -> TowedRope:
    device = _DeviceWithForce(mass=system.device.mass, device=system.device, push=force)
    return dataclasses.replace(system, device=device, motion=_AcceleratedSupport(system.motion, acceleration))


@eqx.filter_jit
def _advance(system, method, state, t, h, substeps, force, acceleration):
    return FlowSystem(_with_inputs(system, force, acceleration), method, substeps).step(t, h, state)


class RopeStepper:
    """Towed rope that a host program advances step by step.

    Attributes
    ----------
    time : float
        Current time [s].

    Examples
    --------
    >>> from dovetail.mechanics.chain import LinkChain
    >>> rope = RopeStepper(TowedRope(chain=LinkChain(n=2, length=10.0, mass=5.0), airflow="off"), step=0.01)
    >>> saved = rope.save()
    >>> signals = rope.step(force=[100.0, 0.0, 0.0])
    >>> round(rope.time, 2), signals["displacement"].shape
    (0.01, (3,))
    >>> rope.restore(saved)
    >>> rope.time
    0.0
    """

    def __init__(self, system: TowedRope, *, step: float, method: Method | None = None, substeps: int = 1):
        self.system, self.method = system, with_stage_loop(method or RK4())
        if not step > 0 or substeps < 1:
            raise ParameterError(
                f"RopeStepper: got a step of {step:g} s in {substeps} parts; expected a step > 0 s, 1 part or more"
            )
        self.interval, self.substeps, self.time = float(step), int(substeps), 0.0
        faults = system.faults(method or RK4(), step / substeps)
        if faults:
            raise TestFileError("rope", faults)
        x = system.init()
        self._state = (x, self.method.init(system, x))

    def step(
        self, force: Any = (0.0, 0.0, 0.0), acceleration: Any = (0.0, 0.0, 0.0)
    ) -> dict[str, np.ndarray]:
        """Advance one step with an additional constant tip force [N] and support acceleration [m/s^2], (3,) each."""
        self._state, signals = _advance(
            self.system,
            self.method,
            self._state,
            jnp.asarray(self.time),
            self.interval,
            self.substeps,
            jnp.asarray(force, float),
            jnp.asarray(acceleration, float),
        )
        self.time += self.interval
        return {name: np.asarray(value) for name, value in signals.items()}

    def save(self) -> bytes:
        """Return state and time as bytes."""
        file = io.BytesIO()
        np.savez(file, np.asarray(self.time), *map(np.asarray, jax.tree.leaves(self._state)))
        return file.getvalue()

    def restore(self, saved: bytes) -> None:
        """Load a state returned by `save` from a rope of the same structure."""
        with np.load(io.BytesIO(saved)) as stored:
            arrays = [stored[name] for name in stored.files]
        leaves, form = jax.tree.flatten(self._state)
        shapes = [np.shape(leaf) for leaf in leaves]
        if [a.shape for a in arrays[1:]] != shapes:
            raise ParameterError(
                f"RopeStepper.restore: got a state with arrays {[a.shape for a in arrays[1:]]}; expected {shapes}"
            )
        self.time = float(arrays[0])
        self._state = jax.tree.unflatten(form, [jnp.asarray(a) for a in arrays[1:]])
