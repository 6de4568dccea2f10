r"""From an error one is willing to accept to what the rig must be able to do; and whether it can.

The admissible delay is the largest at which the error stays below what is accepted; the rest follows from it
and from what the impact demands: bandwidth :math:`f = 2/(\pi\tau)`, force, stroke, speed and acceleration of
the worst scenario, and a resolution of a tenth of the depth [Bondoky 2020, secs 5.5.2 and 7.4].
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from dovetail.core.errors import AnalysisError, ParameterError

RESOLUTION_SHARE = 0.1  # of the depth: a coarser position makes the traces useless


@dataclass(frozen=True)
class Requirements:
    """Figures of merit of an actuator."""

    delay: float  # [s] largest total delay
    bandwidth: float  # [Hz] of a second-order lag of that total delay
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
class MeritVerdict:
    """Go or no-go, with the reasons against."""

    go: bool
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return "go" if self.go else "no-go: " + "; ".join(self.reasons)


def admissible(values: ArrayLike, errors: ArrayLike, accepted: float) -> float:
    """Largest value at which a rising error stays within what is accepted; a straight line between samples.

    Raises
    ------
    AnalysisError
        If even the smallest value errs too much, or the largest is still admissible: look further.
    """
    x, y = np.asarray(values, float), np.asarray(errors, float)
    if x.shape != y.shape or len(x) < 2 or np.any(np.diff(x) <= 0):
        raise ParameterError("give an error for each value, and values that rise")
    if y[0] > accepted:
        raise AnalysisError(f"already {x[0]:g} errs by {y[0]:.3g}, more than {accepted:g}; look below")
    beyond = np.flatnonzero(y > accepted)
    if not len(beyond):
        raise AnalysisError(f"{x[-1]:g} still errs by only {y[-1]:.3g}; look beyond it")
    i = int(beyond[0])
    share = (accepted - y[i - 1]) / (y[i] - y[i - 1])
    return float(x[i - 1] + share * (x[i] - x[i - 1]))


def requirements(
    *, delay: float, force: float, depth: float, speed: float, mass: float, gap: float = 0.0
) -> Requirements:
    """What an actuator must do for impacts of a peak force [N] and depth [m] on a reduced mass [kg]."""
    for name, value in {"delay": delay, "force": force, "depth": depth, "speed": speed, "mass": mass}.items():
        if not value > 0:
            raise ParameterError(f"{name}: got {value:g}; must be above 0")
    return Requirements(
        delay=delay,
        bandwidth=2 / (math.pi * delay),
        force=force,
        stroke=depth + gap,
        speed=speed,
        acceleration=force / mass,
        resolution=RESOLUTION_SHARE * depth,
    )


def judge(rig: Requirements, needed: Requirements) -> MeritVerdict:
    """Whether a rig of known abilities (its own delay, force, ...) meets what is needed."""
    at_most = {"delay": "s", "resolution": "m"}
    units = {"bandwidth": "Hz", "force": "N", "stroke": "m", "speed": "m/s", "acceleration": "m/s^2"}
    reasons = []
    for field in fields(Requirements):
        has, wants = getattr(rig, field.name), getattr(needed, field.name)
        if field.name in at_most and has > wants:
            reasons.append(f"{field.name} {has:.3g} {at_most[field.name]} is above {wants:.3g}")
        if field.name in units and has < wants:
            reasons.append(f"{field.name} {has:.3g} {units[field.name]} is below {wants:.3g}")
    return MeritVerdict(not reasons, tuple(reasons))


def speed_over_gap(*, gap: float, speed: float, omega: float, damping: float) -> float:
    """Speed [m/s] that an actuator (a second-order lag) has when it has crossed an air gap [m] from rest.

    Its natural angular frequency is `omega` [rad/s], its demand a ramp of the impact speed from the start. A short
    gap is crossed before the actuator has come up to speed, and the impact is slower than demanded.
    """
    if not (gap >= 0 and speed > 0 and omega > 0 and damping > 0):
        raise ParameterError("gap at least 0; speed, omega and damping above 0")
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
