"""Rig: transfer system, specimen and sensors, real or simulated, with one interface for the loop."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from dovetail.core import RK4, Block, Input, Method, Output, State, Time, choice, count
from dovetail.core.block import repeat
from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.core.flow_adapters import WithInput
from dovetail.core.signals import MOTION
from dovetail.core.tracing_errors import TRACING_ERRORS, tracing_reason
from dovetail.specimens import Specimen
from dovetail.transfer import Series, Transfer

Reading = dict[str, jax.Array]
T = TypeVar("T")


class AbstractRig(Block):
    """Interface of a rig to the loop: command in, measurement out.

    A measurement contains at least `measured_displacement` and `measured_force`; other signals are recorded. `step`
    takes the command issued at t + dt and returns the measurement taken at t + dt.
    """

    @abstractmethod
    def first_reading(self, x: Any) -> Reading:
        """Return the measurement before the first command."""

    def settle(self, x: Any, code: jax.Array) -> Any:
        """Return the state of the rig after the limit check of this tick; a code above zero ends the run.

        A simulated rig returns its state unchanged; a real one is sent to its safe state here, in the same tick.
        """
        return x

    def compute(self, work: Callable[[], T]) -> T:
        """Return the result of the work between two calls of the rig; a real rig keeps it in one compiled function."""
        return work()

    def linear_model(self) -> AbstractRig:
        """Return the rig as used in a linear analysis."""
        return self

    def as_model(self) -> Rig:
        """Return the rig as a model of actuator, specimen and sensors; raise `AnalysisError` if it is not one."""
        raise AnalysisError(
            f"{type(self).__name__} is not a model of a rig, so this cannot be computed; give the test a simulated rig"
        )

    def low_frequency_delay(self) -> float | None:
        """Return the low-frequency delay of the actuator [s], or None if unknown."""
        return None


class Rig(AbstractRig):
    r"""Simulated rig: an actuator moves a specimen, sensors measure its motion and force.

    The command is given at ticks only. Between ticks it is the parabola through the last three commands
    (`"quadratic"`), a straight line (`"foh"`), or constant (`"zoh"`). An identified delay is measured from sample to
    sample and already contains the hold of the converter, hence the default; `"zoh"` models the hold explicitly and
    adds half a tick.

    Actuator and specimen take `substeps` equal steps in a tick. In each step the specimen follows the parabola through
    the last three positions, so that velocity-dependent forces are not delayed by half a step.
    """

    actuator: Transfer
    specimen: Specimen
    sensor: Transfer = Series(())  # force sensor; an empty series passes the force through
    position_sensor: Transfer = Series(())
    substeps: int = count("equal steps of actuator and specimen in a tick", default=1, at_least=1)
    command_hold: str = choice("zoh", "foh", "quadratic", about="command between ticks", default="quadratic")
    method: Method = RK4()
    shape: tuple[int, ...] = eqx.field(default=(), static=True)

    def low_frequency_delay(self) -> float | None:
        try:
            return float(np.max(self.actuator.linear().low_frequency_delay))
        except AnalysisError:
            return None

    def with_sample_time(self, dt: float, shape: tuple[int, ...] = ()) -> Rig:
        sized = Rig(
            actuator=self.actuator.with_sample_time(dt / self.substeps, shape),
            specimen=self.specimen.with_sample_time(dt / self.substeps, shape),
            sensor=self.sensor.with_sample_time(dt, shape),
            position_sensor=self.position_sensor.with_sample_time(dt, shape),
            substeps=self.substeps,
            command_hold=self.command_hold,
            method=self.method,
            shape=shape,
        )
        rest = dict.fromkeys(MOTION, jax.ShapeDtypeStruct(shape, float))
        try:
            output = jax.eval_shape(lambda u: sized.specimen.output(0.0, sized.specimen.init(), u), rest)
        except TRACING_ERRORS as error:
            raise ParameterError(
                f"rig.specimen: {type(self.specimen).__name__} cannot be evaluated for {_axes(shape)}: "
                f"{tracing_reason(error)}"
            ) from error
        if not isinstance(output, dict) or "force" not in output:
            signals = ", ".join(output) if isinstance(output, dict) else "an array without name"
            raise ParameterError(
                f"rig.specimen: output of {type(self.specimen).__name__} returns {signals or 'no signal'}; "
                'return a dictionary with "force", for example {"force": -self.k * u["displacement"]}'
            )
        force_shape = output["force"].shape
        if force_shape not in ((), shape):
            raise ParameterError(
                f"rig.specimen: {type(self.specimen).__name__} returns a force of {_axes(force_shape)}, but the "
                f"interface has {_axes(shape)}; give each of its parameters one value or one per axis"
            )
        return sized

    def as_model(self) -> Rig:
        return self

    def linear_model(self) -> Rig:
        parts = {
            name: getattr(self, name).linear_model() for name in ("actuator", "sensor", "position_sensor")
        }
        return dataclasses.replace(self, **parts)

    def init(self) -> dict[str, Any]:
        rest = jnp.zeros(self.shape)
        return {
            "actuator": self.actuator.init(),
            "specimen": (x := self.specimen.init()),
            "memory": self.method.init(self.specimen, x),
            "sensor": self.sensor.init(),
            "position_sensor": self.position_sensor.init(),
            "commands": (rest, rest),
            "positions": (rest, rest),
        }

    def first_reading(self, x: dict[str, Any]) -> Reading:
        rest = jnp.zeros(self.shape)
        output = self.specimen.output(0.0, x["specimen"], _motion(rest, rest, rest))
        force = jnp.broadcast_to(output.pop("force"), self.shape)
        return {
            "achieved_displacement": rest,
            "measured_displacement": rest,
            "specimen_force": force,
            "measured_force": force,
            **output,
        }

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        h = dt / self.substeps
        last, before = x["commands"]
        command = self._command_in_tick(last, before, u)

        def advance(carry: tuple[Any, ...], i: Any) -> tuple[Any, ...]:
            actuator, specimen, memory, (p1, p2), _ = carry
            actuator, p0 = self.actuator.step(t + i * h, h, actuator, command((i + 1) / self.substeps))
            path = _Parabola(p0, p1, p2, h, t + i * h)
            specimen, memory = self.method.advance(
                _Imposed(self.specimen, path), t + i * h, h, specimen, None, memory
            )
            return actuator, specimen, memory, (p0, p1), path.at(t + (i + 1) * h)

        rest = jnp.zeros(self.shape)
        carry = (x["actuator"], x["specimen"], x["memory"], x["positions"], _motion(rest, rest, rest))
        actuator, specimen, memory, positions, motion = repeat(advance, carry, self.substeps)

        output = self.specimen.output(t + dt, specimen, motion)
        force = output.pop("force")
        sensor, measured_force = self.sensor.step(t, dt, x["sensor"], force)
        position_sensor, measured = self.position_sensor.step(t, dt, x["position_sensor"], positions[0])
        state = {
            "actuator": actuator,
            "specimen": specimen,
            "memory": memory,
            "sensor": sensor,
            "position_sensor": position_sensor,
            "commands": (u, x["commands"][0]),
            "positions": positions,
        }
        return state, {
            "achieved_displacement": positions[0],
            "measured_displacement": measured,
            "specimen_force": force,
            "measured_force": measured_force,
            **output,
        }

    def _command_in_tick(self, c1: jax.Array, c2: jax.Array, c0: jax.Array) -> Callable[[float], jax.Array]:
        """Return the command as a function of the fraction s of the tick, from c1 (s = 0) to c0 (s = 1)."""
        if self.command_hold == "zoh":
            return lambda s: c1
        if self.command_hold == "foh" or self.substeps == 1:
            return lambda s: jnp.where(s == 1, c0, c1 + s * (c0 - c1))
        bend = (c0 - 2 * c1 + c2) / 2
        return lambda s: jnp.where(s == 1, c0, c1 + s * (c0 - c2) / 2 + s**2 * bend)


class _Parabola:
    """Parabolic motion over one sub-step [t1, t1 + h], through p2, p1, p0 at t1 - h, t1, t1 + h."""

    def __init__(
        self, p0: Float[Array, "*n"], p1: Float[Array, "*n"], p2: Float[Array, "*n"], h: Time, t1: Time
    ) -> None:
        self.p1, self.h, self.t1 = p1, h, t1
        self.slope, self.bend = (p0 - p2) / 2, p0 - 2 * p1 + p2

    def at(self, t: Time) -> dict[str, jax.Array]:
        s = (t - self.t1) / self.h
        return _motion(
            self.p1 + s * self.slope + s**2 * self.bend / 2,
            (self.slope + s * self.bend) / self.h,
            self.bend / self.h**2,
        )


class _Imposed(WithInput):
    """Specimen under a prescribed motion."""

    path: _Parabola

    def __check_init__(self) -> None:
        pass

    def input(self, t: Time, u: Input) -> Input:
        return self.path.at(t)


def _axes(shape: tuple[int, ...]) -> str:
    return "one axis" if not shape else f"{' x '.join(map(str, shape))} axes"


def _motion(
    displacement: Float[Array, "*n"], velocity: Float[Array, "*n"], acceleration: Float[Array, "*n"]
) -> dict[str, jax.Array]:
    return {"displacement": displacement, "velocity": velocity, "acceleration": acceleration}
