r"""Eddy-current displacement sensor, evaluated with a calibration table.

A differential pair of coils gives a voltage that is not proportional to the displacement. The voltage passes a
second-order amplifier and a converter. A table from voltage to displacement, from a calibration against a laser, gives
the measured displacement [Bondoky 2020, secs 8.2 and A.1].
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import ParameterError
from dovetail.transfer.base import Transfer
from dovetail.transfer.lag import SecondOrderLag
from dovetail.transfer.linear import LinearTransfer

# differential pair with its centre at 0.15 mm, -10 V and +10 V at the ends of a range of 0.3 mm
_DISPLACEMENT = tuple(np.linspace(-0.1e-3, 0.4e-3, 51).tolist())  # [m]
_VOLTAGE = tuple(10.0 * np.tanh((d - 0.15e-3) / 0.25e-3) / np.tanh(0.6) for d in _DISPLACEMENT)  # [V]


@kind("eddy-current-sensor")
class EddyCurrentSensor(Transfer):
    """Measured displacement from true displacement, sensor curve and calibration table; both curves increase."""

    displacement: Parameter = parameter("m", "points of the sensor's true curve", default=_DISPLACEMENT)
    voltage: Parameter = parameter("V", "sensor voltage at `displacement`", default=_VOLTAGE)
    table_voltage: Parameter = parameter("V", "points of the calibration table", default=_VOLTAGE)
    table_displacement: Parameter = parameter("m", "displacement at `table_voltage`", default=_DISPLACEMENT)
    omega: Parameter = parameter(
        "rad/s", "natural angular frequency of the amplifier", above=0.0, default=2 * np.pi * 23e3
    )
    damping: Parameter = parameter("1", "damping ratio of the amplifier", above=0.0, default=0.707)

    def __check_init__(self) -> None:
        super().__check_init__()
        for name in ("displacement", "voltage", "table_voltage", "table_displacement"):
            value = getattr(self, name)
            if isinstance(value, jax.core.Tracer) or not isinstance(value, jax.Array):
                continue
            if value.ndim != 1 or np.any(np.diff(np.asarray(value)) <= 0):
                raise ParameterError(
                    f"EddyCurrentSensor.{name}: expected a strictly increasing list; sort the points "
                    f"and remove those where the sensor is saturated"
                )

    def _per_axis(self) -> list[str]:
        return ["omega", "damping"]

    @property
    def amplifier(self) -> SecondOrderLag:
        """Lag between coil and converter."""
        return SecondOrderLag(self.omega, self.damping, shape=self.shape)

    def init(self) -> State:
        rest = jnp.full(self.shape, jnp.interp(0.0, self.displacement, self.voltage))
        return rest, jnp.zeros(self.shape), rest  # amplifier at the voltage of zero displacement

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        voltage = jnp.interp(u, self.displacement, self.voltage)
        x, voltage = self.amplifier.step(t, dt, x, voltage)
        return x, jnp.interp(voltage, self.table_voltage, self.table_displacement)

    def linear(self) -> LinearTransfer:
        return self.amplifier.linear()


def calibrate(voltage: np.ndarray, reference: np.ndarray, levels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the calibration table (voltage [V], displacement [m]) from a stair test against a reference sensor.

    Each stair is averaged, and stairs up and down at one level are averaged together. Hysteresis of the *drive* thus
    has no effect, and hysteresis of the sensor has half its effect.

    Parameters
    ----------
    voltage, reference
        Records of both sensors over the stairs, without the transitions.
    levels
        Number of points of the table.
    """
    voltage, reference = np.asarray(voltage, float), np.asarray(reference, float)
    if voltage.shape != reference.shape or voltage.ndim != 1:
        raise ParameterError(
            f"calibrate: got records of {voltage.shape} and {reference.shape}; expected equal lengths"
        )
    edges = np.linspace(reference.min(), reference.max(), levels + 1)
    level = np.clip(np.digitize(reference, edges) - 1, 0, levels - 1)
    occupied = [i for i in range(levels) if np.any(level == i)]
    table = np.array([[voltage[level == i].mean(), reference[level == i].mean()] for i in occupied])
    order = np.argsort(table[:, 0])
    return table[order, 0], table[order, 1]


def laser_displacement(
    reading: ArrayLike, *, span: float = 0.5e-3, low: float = -10.0, high: float = 10.0, adc: float = 10.0
) -> np.ndarray:
    """Return the displacement [m] of a laser triangulation sensor from its ADC reading [units of 10 V], eq. A.1.

    `span` [m] is the range of the sensor between the voltages `low` and `high` [V]: 0.25 mm per unit.
    """
    return np.asarray(reading, float) * adc * span / (high - low)
