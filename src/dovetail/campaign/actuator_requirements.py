r"""Actuator requirements from an accepted error, and the check of a rig against them.

The admissible delay is the largest delay with an error within the accepted error. Bandwidth
:math:`f = 2/(\pi\tau)` follows from it; force, stroke, speed and acceleration follow from the worst impact, and the
resolution is a tenth of the penetration [Bondoky 2020, secs 5.5.2 and 7.4].
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from dovetail.core.errors import AnalysisError, ParameterError

RESOLUTION_FRACTION = 0.1  # of the penetration; coarser positions do not resolve the contact


@dataclass(frozen=True)
class ActuatorRequirements:
    """Required performance of an actuator."""

    delay: float  # [s] largest total delay
    bandwidth: float  # [Hz] of a second-order lag with this total delay
    force: float  # [N]
    stroke: float  # [m]
    speed: float  # [m/s]
    acceleration: float  # [m/s^2]
    resolution: float  # [m] coarsest step

    def __str__(self) -> str:
        return (
            f"total delay   at most  {1e3 * self.delay:.3g} ms ({self.bandwidth:.0f} Hz)\n"
            f"force         at least {self.force:.4g} N\n"
            f"stroke        at least {1e6 * self.stroke:.4g} um\n"
            f"speed         at least {self.speed:.3g} m/s\n"
            f"acceleration  at least {self.acceleration:.3g} m/s^2\n"
            f"resolution    at most  {1e6 * self.resolution:.3g} um"
        )


@dataclass(frozen=True)
class RequirementsCheck:
    """Result of the check of a rig: go or no-go, with the unmet requirements."""

    go: bool
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return "go" if self.go else "no-go: " + "; ".join(self.reasons)


def admissible_value(values: ArrayLike, errors: ArrayLike, accepted: float) -> float:
    """Return the largest value at which a rising error is within the accepted error, by linear interpolation.

    Raises
    ------
    AnalysisError
        If the error is above the accepted error at the smallest value, or within it at the largest.
    """
    x, y = np.asarray(values, float), np.asarray(errors, float)
    if x.shape != y.shape or len(x) < 2 or np.any(np.diff(x) <= 0):
        raise ParameterError("expected one error per value, and increasing values")
    if y[0] > accepted:
        raise AnalysisError(
            f"the error is {y[0]:.3g} at the smallest value {x[0]:g}, above {accepted:g}; add smaller values"
        )
    above = np.flatnonzero(y > accepted)
    if not len(above):
        raise AnalysisError(
            f"the error is {y[-1]:.3g} at the largest value {x[-1]:g}, within {accepted:g}; add larger values"
        )
    i = int(above[0])
    fraction = (accepted - y[i - 1]) / (y[i] - y[i - 1])
    return float(x[i - 1] + fraction * (x[i] - x[i - 1]))


def requirements(
    *, delay: float, force: float, penetration: float, speed: float, mass: float, gap: float = 0.0
) -> ActuatorRequirements:
    """Return the requirements for impacts of a peak force [N] and penetration [m] on a reduced mass [kg]."""
    values = {"delay": delay, "force": force, "penetration": penetration, "speed": speed, "mass": mass}
    for name, value in values.items():
        if not value > 0:
            raise ParameterError(f"{name}: got {value:g}; must be above 0")
    return ActuatorRequirements(
        delay=delay,
        bandwidth=2 / (math.pi * delay),
        force=force,
        stroke=penetration + gap,
        speed=speed,
        acceleration=force / mass,
        resolution=RESOLUTION_FRACTION * penetration,
    )


def check_requirements(rig: ActuatorRequirements, required: ActuatorRequirements) -> RequirementsCheck:
    """Check the performance of a rig (its own delay, force, ...) against requirements."""
    at_most = {"delay": "s", "resolution": "m"}
    units = {"bandwidth": "Hz", "force": "N", "stroke": "m", "speed": "m/s", "acceleration": "m/s^2"}
    reasons = []
    for field in fields(ActuatorRequirements):
        value, limit = getattr(rig, field.name), getattr(required, field.name)
        if field.name in at_most and value > limit:
            reasons.append(f"{field.name} {value:.3g} {at_most[field.name]} is above {limit:.3g}")
        if field.name in units and value < limit:
            reasons.append(f"{field.name} {value:.3g} {units[field.name]} is below {limit:.3g}")
    return RequirementsCheck(not reasons, tuple(reasons))


def speed_over_gap(*, gap: float, speed: float, omega: float, damping: float) -> float:
    """Return the speed [m/s] of an actuator (second-order lag) after it has crossed an air gap [m] from rest.

    Its natural angular frequency is `omega` [rad/s], the demand is a ramp with the impact speed. A short gap is
    crossed before the actuator reaches this speed, so the impact is slower than demanded.
    """
    if not (gap >= 0 and speed > 0 and omega > 0 and damping > 0):
        raise ParameterError("expected a gap of at least 0, and speed, omega and damping above 0")
    t = np.linspace(0.0, gap / speed + 20 / (damping * omega), 200_001)
    root = np.emath.sqrt(damping**2 - 1) * omega
    a = damping * omega
    decay = np.exp(-a * t)
    if root == 0:
        velocity = speed * (1 - decay * (1 + a * t))
    else:
        velocity = speed * (1 - decay * np.real(np.cosh(root * t) + a / root * np.sinh(root * t)))
    position = np.concatenate([[0.0], np.cumsum((velocity[1:] + velocity[:-1]) / 2) * (t[1] - t[0])])
    return float(np.interp(gap, position, velocity))
