r"""What a real-time test of a contact would need, from a slow test's measured stiffness.

A creep test shows forces over displacements of a contact that no actuator could follow in real time. From its steepest
stiffness k, the mass m that meets it and the damping c that its loops show, follow the frequency
:math:`\omega_0 = \sqrt{k/m}`, the longest delay of the whole loop with which any damping helps,
:math:`0.7415/\omega_0`, and with the contact's own damping (see `stability.contact_delay`). A share of that delay
is left to the actuator, whose bandwidth is then at least :math:`1/(2\pi\tau)`; motion and force of the run, at
simulated speed, are what it must do. Wish 2 of [Bolien 2018, sec. 6.3].
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import AnalysisError
from dovetail.stability.contact_delay import longest_delay
from dovetail.testing import Run, Test
from dovetail.testing.hybrid_loop import Driven

KNOWN = {  # delay and time constant [s] of published transfer systems
    "electro-hydraulic, best published": (0.008, 0.015),
    "electro-hydraulic, usual": (0.011, 0.015),
    "industrial robot, opened controller": (0.020, 0.0),
    "industrial robot, vendor's interface": (0.120, 0.0),
}
JUMP = 0.25  # of the largest force, from one reading to the next, that is told
SHARE = 0.5  # of the longest delay that a test should use: a factor of two in hand


@dataclasses.dataclass(frozen=True)
class RealTimeNeed:
    """What a transfer system must do to test a contact in real time."""

    stiffness: float  # [N/m] steepest measured, single jumps left out
    mass: float  # [kg] that meets it
    damping: float  # [N s/m] that its loops show at the contact's own frequency
    frequency: float  # [Hz] of mass on contact
    any_delay: float  # [s] longest with which any damping helps
    own_delay: float  # [s] longest with the contact's own damping
    delay: float  # [s] wanted: half the longest of either
    bandwidth: float  # [Hz] of a first-order actuator that is this late
    rate: float  # [Hz] at which holding the force costs a tenth of it
    speed: float  # [m/s] largest in contact
    acceleration: float  # [m/s^2] largest in contact
    force: float  # [N] largest
    moment: float  # [N m] largest
    power: float  # [W] largest, force times speed
    jump: float = 0.0  # [N] largest change of force from one reading to the next
    jump_way: float = 0.0  # [m] over which it came

    def able(self) -> dict[str, bool]:
        """Which published transfer systems are quick enough."""
        return {name: delay + lag <= self.delay for name, (delay, lag) in KNOWN.items()}

    def rows(self) -> list[tuple[str, str]]:
        """What was found and what is needed, named."""
        late = f"{1e3 * self.any_delay:.3g} ms with any damping, {1e3 * self.own_delay:.3g} ms with its own"
        return [
            ("steepest stiffness", f"{self.stiffness:.4g} N/m"),
            ("mass that meets it", f"{self.mass:.4g} kg, so {self.frequency:.3g} Hz"),
            ("damping of its loops", f"{self.damping:.3g} N s/m"),
            ("longest loop delay", late),
            ("wanted loop delay", f"{1e3 * self.delay:.3g} ms"),
            ("bandwidth of the actuator", f"{self.bandwidth:.3g} Hz at least"),
            ("rate of the loop", f"{self.rate:.3g} Hz at least"),
            ("motion in contact", f"{self.speed:.3g} m/s, {self.acceleration:.3g} m/s^2"),
            ("load in contact", f"{self.force:.4g} N, {self.moment:.4g} N m, {self.power:.4g} W"),
            *self._jumps(),
        ]

    def _jumps(self) -> list[tuple[str, str]]:
        """An edge that the readings did not resolve, where there is one."""
        if self.jump <= JUMP * self.force or self.jump <= 10 * self.stiffness * self.jump_way:
            return []
        text = (
            f"{self.jump:.4g} N within {1e3 * self.jump_way:.2g} mm: an edge, stiffer than the steps resolve"
        )
        return [("largest jump", text)]

    def __str__(self) -> str:
        rows = self.rows()
        rows += [(name, "quick enough" if able else "too slow") for name, able in self.able().items()]
        return "\n".join(f"  {name:<38} {text}" for name, text in rows)


def measured_stiffness(
    place: np.ndarray, force: np.ndarray, *, least_step: float = 1e-4, quantile: float = 0.99
) -> float:
    """Steepest stiffness [N/m] along a recorded contact: change of force over change of place, (n, 3) each.

    Taken over ways of at least `least_step` [m], so that noise over nothing does not count; of the values a high
    quantile, so that a single jump does not either.
    """
    values = []
    i = 0
    for j in range(1, len(place)):
        way = np.linalg.norm(place[j] - place[i])
        if way >= least_step:
            values.append(np.linalg.norm(force[j] - force[i]) / way)
            i = j
    if len(values) < 3:
        raise AnalysisError(
            "the contact moved too little for a stiffness; record more of it, or a smaller least_step"
        )
    return float(np.quantile(values, quantile))


def contact_mass(test: Test, direction: np.ndarray) -> float:
    r"""Mass [kg] that the numerical substructure sets against a force along `direction` (axes,), as it starts.

    A force :math:`f d` accelerates the interface by :math:`A f d`; the mass is :math:`1/|d^T A d|`.
    """
    driven = Driven(test.numerical, test.excitation)
    start, shape = driven.init(), test.shape
    d = np.zeros(int(np.prod(shape, dtype=int)))
    d[: len(direction)] = np.asarray(direction) / np.linalg.norm(direction)

    def felt(force):
        return jnp.ravel(driven.output(0.0, start, force.reshape(shape))["acceleration"])

    moved = jax.jit(lambda: jax.jvp(felt, (jnp.zeros(d.size),), (jnp.asarray(d),))[1])()
    along = abs(float(d @ np.asarray(moved)))
    if not 0 < along < np.inf:
        raise AnalysisError(
            "a force at the interface does not accelerate it; give the mass that meets the contact"
        )
    return 1 / along


def need_of(run: Run, *, mass: float | None = None, damping: float | None = None) -> RealTimeNeed:
    """The need of a recorded run; without a mass, that of its numerical substructure along the largest force."""
    if mass is None:
        force = run.data["force"].values.reshape(run.data.sizes["time"], -1)[:, :3]
        largest = force[np.argmax(np.linalg.norm(force, axis=1))]
        if not np.any(largest):
            raise AnalysisError("no contact in this run: nothing to test")
        mass = contact_mass(run.test, largest)
    return real_time_need(run.data, mass=mass, damping=damping)


def real_time_need(
    data: Any,
    *,
    mass: float,
    damping: float | None = None,
    displacement: str = "displacement",
    force: str = "force",
) -> RealTimeNeed:
    """The need of a recorded contact on six axes, or three or one: positions first.

    Parameters
    ----------
    data : dataset over `time`, which is that of the simulated event, not of the wall.
    mass : [kg] that meets the contact.
    damping : [N s/m]; if none is given, from the energy that the contact took: the viscous damper that takes as much.
    """
    t = np.asarray(data["time"].values, float)
    z, f = (np.asarray(data[name].values, float).reshape(len(t), -1) for name in (displacement, force))
    touching = np.linalg.norm(f[:, :3], axis=1) > 1e-3 * max(np.abs(f[:, :3]).max(), 1e-12)
    if not touching.any():
        raise AnalysisError("no contact in this run: nothing to test")
    first, last = np.flatnonzero(touching)[[0, -1]]
    part = slice(max(first - 1, 0), last + 1)
    velocity = np.gradient(z[:, :3], t, axis=0)
    acceleration = np.gradient(velocity, t, axis=0)
    k = measured_stiffness(z[part, :3], f[part, :3])
    omega = np.sqrt(k / mass)
    if damping is None:
        power = np.sum(f[part, :3] * velocity[part], axis=1)
        taken = abs(float(np.sum(0.5 * (power[1:] + power[:-1]) * np.diff(t[part]))))
        squares = float(np.sum(np.sum(velocity[part][:-1] ** 2, axis=1) * np.diff(t[part])))
        damping = taken / max(squares, 1e-12)
    any_delay = longest_delay(m=mass, k=k)
    own_delay = longest_delay(m=mass, k=k, c=damping)
    wanted = SHARE * own_delay
    moment = np.abs(f[:, 3:]).max() if f.shape[1] > 3 else 0.0
    jumps = np.linalg.norm(np.diff(f[part, :3], axis=0), axis=1)
    steepest = int(np.argmax(jumps))
    speed = np.linalg.norm(velocity[part], axis=1)
    size = np.linalg.norm(f[part, :3], axis=1)
    return RealTimeNeed(
        stiffness=k,
        mass=mass,
        damping=float(damping),
        frequency=float(omega / (2 * np.pi)),
        any_delay=any_delay,
        own_delay=own_delay,
        delay=wanted,
        bandwidth=float(1 / (2 * np.pi * wanted)) if wanted > 0 else float("inf"),
        rate=float(5 / wanted) if wanted > 0 else float("inf"),
        speed=float(speed.max()),
        acceleration=float(np.linalg.norm(acceleration[part], axis=1).max()),
        force=float(size.max()),
        moment=float(moment),
        power=float((size * speed).max()),
        jump=float(jumps[steepest]),
        jump_way=float(np.linalg.norm(z[part][steepest + 1, :3] - z[part][steepest, :3])),
    )
