r"""Eddy-current displacement sensor, read through a calibration table.

A differential pair of coils gives a voltage that is not proportional to the displacement; what follows is a
second-order amplifier and a converter, and a table from voltage back to displacement that a calibration
against a laser has made [Bondoky 2020, secs 8.2 and A.1].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import ParameterError
from dovetail.transfer.base import Transfer
from dovetail.transfer.lag import SecondOrderLag
from dovetail.transfer.linear import LinearTransfer

# a differential pair around its centre at 0.15 mm, 10 V for the first and last of 0.3 mm
_DISPLACEMENT = tuple(np.linspace(-0.1e-3, 0.4e-3, 51).tolist())  # [m]
_VOLTAGE = tuple(10.0 * np.tanh((d - 0.15e-3) / 0.25e-3) / np.tanh(0.6) for d in _DISPLACEMENT)  # [V]


@kind("eddy-current-sensor")
class EddyCurrentSensor(Transfer):
    """Displacement in, displacement as the table reads it out; both curves rise."""

    displacement: jax.Array = parameter("m", "points of the sensor's true curve", default=_DISPLACEMENT)
    voltage: jax.Array = parameter("V", "its voltage there", default=_VOLTAGE)
    table_voltage: jax.Array = parameter("V", "points of the calibration table", default=_VOLTAGE)
    table_displacement: jax.Array = parameter("m", "displacement it gives there", default=_DISPLACEMENT)
    omega: jax.Array = parameter(
        "rad/s", "natural angular frequency of the amplifier", above=0.0, default=2 * np.pi * 23e3
    )
    damping: jax.Array = parameter("1", "its damping ratio", above=0.0, default=0.707)

    def __check_init__(self):
        super().__check_init__()
        for name in ("displacement", "voltage", "table_voltage", "table_displacement"):
            value = getattr(self, name)
            if isinstance(value, jax.core.Tracer) or not isinstance(value, jax.Array):
                continue
            if value.ndim != 1 or np.any(np.diff(np.asarray(value)) <= 0):
                raise ParameterError(
                    f"EddyCurrentSensor.{name}: must be a list that rises throughout; sort the points "
                    f"and drop those where the sensor is saturated"
                )

    def _per_axis(self) -> list[str]:
        return ["omega", "damping"]

    @property
    def amplifier(self) -> SecondOrderLag:
        """The lag between coil and converter."""
        return SecondOrderLag(self.omega, self.damping, shape=self.shape)

    def init(self) -> State:
        rest = jnp.full(self.shape, jnp.interp(0.0, self.displacement, self.voltage))
        return rest, jnp.zeros(self.shape), rest  # the amplifier at the voltage of rest

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        voltage = jnp.interp(u, self.displacement, self.voltage)
        x, voltage = self.amplifier.step(t, dt, x, voltage)
        return x, jnp.interp(voltage, self.table_voltage, self.table_displacement)

    def linear(self) -> LinearTransfer:
        return self.amplifier.linear()


def calibrate(voltage: np.ndarray, reference: np.ndarray, levels: int) -> tuple[np.ndarray, np.ndarray]:
    """Table of a sensor (voltage [V], displacement [m]) from a stair test against a reference sensor.

    Each stair is averaged; stairs up and down at one level are averaged too, so hysteresis of the *drive*
    does not enter and that of the sensor does by half.

    Parameters
    ----------
    voltage, reference
        Records of both sensors over the stairs, flanks cut off.
    levels
        Number of points of the table.
    """
    voltage, reference = np.asarray(voltage, float), np.asarray(reference, float)
    if voltage.shape != reference.shape or voltage.ndim != 1:
        raise ParameterError(f"records of {voltage.shape} and {reference.shape}: give two of equal length")
    edges = np.linspace(reference.min(), reference.max(), levels + 1)
    place = np.clip(np.digitize(reference, edges) - 1, 0, levels - 1)
    filled = [i for i in range(levels) if np.any(place == i)]
    table = np.array([[voltage[place == i].mean(), reference[place == i].mean()] for i in filled])
    order = np.argsort(table[:, 0])
    return table[order, 0], table[order, 1]


def laser_displacement(
    reading: ArrayLike, *, span: float = 0.5e-3, low: float = -10.0, high: float = 10.0, adc: float = 10.0
) -> np.ndarray:
    """Displacement [m] of a laser triangulation sensor from its ADC reading [units of 10 V], eq. A.1.

    `span` [m] is that of the sensor between the voltages `low` and `high` [V]: 0.25 mm a unit.
    """
    return np.asarray(reading, float) * adc * span / (high - low)
