r"""Rig requirements: what a real-time test of a contact requires of the rig, from a recorded contact.

A pseudo-dynamic test records force and displacement of a contact that may be too fast for any actuator in real time.
The steepest stiffness k, the mass m that meets the contact and the damping c of its hysteresis loops give the frequency
:math:`\omega_0 = \sqrt{k/m}`, the largest loop delay with any damping, :math:`0.7415/\omega_0`, and the largest loop
delay with the damping of the contact (see `stability.contact_delay`). The required loop delay :math:`\tau` is a
fraction of the latter; the bandwidth of the actuator is then at least :math:`1/(2\pi\tau)`. Motion and force are those
of the run at simulated speed. Recommendation 2 of [Bolien 2018, sec. 6.3].
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import AnalysisError
from dovetail.stability.contact_delay import max_stable_delay
from dovetail.testing import Run, Test
from dovetail.testing.hybrid_loop import Driven

KNOWN = {  # delay and time constant [s] of published transfer systems
    "electro-hydraulic, best published": (0.008, 0.015),
    "electro-hydraulic, usual": (0.011, 0.015),
    "industrial robot, opened controller": (0.020, 0.0),
    "industrial robot, vendor's interface": (0.120, 0.0),
}
NO_FORCE = 1e-3  # fraction of the largest force below which there is no contact
MOVES = 0.01  # fraction of the largest speed above which the interface moves
ONE_SIDED = 0.5  # largest pull of a contact, as a fraction of its push
JUMP = 0.25  # smallest reported change of force between two samples, as fraction of the largest force
SHARE = 0.5  # required delay as fraction of the largest delay: a safety factor of two


@dataclasses.dataclass(frozen=True)
class RigRequirements:
    """Requirements on a transfer system for a real-time test of a contact."""

    stiffness: float  # [N/m] steepest measured stiffness, without single jumps
    mass: float  # [kg] mass that meets the contact
    damping: float  # [N s/m] of the hysteresis loops at the frequency of the contact
    frequency: float  # [Hz] of the mass on the contact stiffness
    any_delay: float  # [s] largest loop delay with any damping
    own_delay: float  # [s] largest loop delay with the damping of the contact
    delay: float  # [s] required loop delay: half of `own_delay`
    bandwidth: float  # [Hz] of a first-order actuator with that delay
    rate: float  # [Hz] at which the force hold is a tenth of that delay
    speed: float  # [m/s] largest in contact
    acceleration: float  # [m/s^2] largest in contact
    force: float  # [N] largest
    moment: float  # [N m] largest
    power: float  # [W] largest product of force and speed
    jump: float = 0.0  # [N] largest change of force between two samples
    jump_way: float = 0.0  # [m] displacement during that change

    def able(self) -> dict[str, bool]:
        """Return for each published transfer system whether it is fast enough."""
        return {name: delay + lag <= self.delay for name, (delay, lag) in KNOWN.items()}

    def rows(self) -> list[tuple[str, str]]:
        """Return names and values of the contact and of the requirements."""
        late = (
            f"{1e3 * self.any_delay:.3g} ms with any damping, {1e3 * self.own_delay:.3g} ms with its damping"
        )
        return [
            ("steepest stiffness", f"{self.stiffness:.4g} N/m"),
            ("mass that meets the contact", f"{self.mass:.4g} kg ({self.frequency:.3g} Hz on the contact)"),
            ("damping of the contact", f"{self.damping:.3g} N s/m"),
            ("largest loop delay", late),
            ("required loop delay", f"{1e3 * self.delay:.3g} ms"),
            ("bandwidth of the actuator", f"at least {self.bandwidth:.3g} Hz"),
            ("rate of the loop", f"at least {self.rate:.3g} Hz"),
            ("motion in contact", f"{self.speed:.3g} m/s, {self.acceleration:.3g} m/s^2"),
            ("load in contact", f"{self.force:.4g} N, {self.moment:.4g} N m, {self.power:.4g} W"),
            *self._jumps(),
        ]

    def _jumps(self) -> list[tuple[str, str]]:
        """Return a row for an edge that the samples do not resolve, if there is one."""
        if self.jump <= JUMP * self.force or self.jump <= 10 * self.stiffness * self.jump_way:
            return []
        text = (
            f"{self.jump:.4g} N within {1e3 * self.jump_way:.2g} mm: an edge stiffer than the samples resolve"
        )
        return [("largest change of force", text)]

    def __str__(self) -> str:
        rows = self.rows()
        rows += [(name, "sufficient" if able else "too slow") for name, able in self.able().items()]
        return "\n".join(f"  {name:<38} {text}" for name, text in rows)


def measured_stiffness(
    place: np.ndarray, force: np.ndarray, *, least_step: float = 1e-4, quantile: float = 0.99
) -> float:
    """Return the steepest stiffness [N/m] of a recorded contact from positions [m] and forces [N], (n, 3) each.

    Differences are taken over at least `least_step` [m], so that noise at rest does not count. The result is a high
    quantile of the values, so that a single jump does not count.
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
            "the contact moved too little to determine a stiffness; record more of it, or reduce least_step"
        )
    return float(np.quantile(values, quantile))


def is_contact(t: np.ndarray, place: np.ndarray, force: np.ndarray) -> bool:
    """Return whether forces (n, 3) [N] at places (n, 3) [m] are those of a contact, not of a continuous specimen.

    A contact has gaps in which it moves without a force, or pushes in one direction only.
    """
    size = np.linalg.norm(force, axis=1)
    speed = np.linalg.norm(np.gradient(place, t, axis=0), axis=1)
    free = (size <= NO_FORCE * size.max()) & (speed > MOVES * speed.max())
    if np.any(free[:-2] & free[1:-1] & free[2:]):
        return True
    along = force @ (force[np.argmax(size)] / size.max())
    return bool(-along.min() < ONE_SIDED * along.max())


def contact_mass(test: Test, direction: np.ndarray) -> float:
    r"""Return the effective mass [kg] of the numerical substructure against a force along `direction` (axes,) at t = 0.

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
            "a force at the interface causes no acceleration; give the mass that meets the contact (kg)"
        )
    return 1 / along


def rig_requirements_of_run(
    run: Run, *, mass: float | None = None, damping: float | None = None
) -> RigRequirements:
    """Return the rig requirements of a run; by default the mass is that of the model along the largest force."""
    if mass is None:
        force = run.recording["feedback_force"].values.reshape(run.recording.time.size, -1)[:, :3]
        largest = force[np.argmax(np.linalg.norm(force, axis=1))]
        if not np.any(largest):
            raise AnalysisError("no contact in this run, so there are no rig requirements")
        mass = contact_mass(run.test, largest)
    return rig_requirements(run.recording, mass=mass, damping=damping)


def rig_requirements(
    data: Any,
    *,
    mass: float,
    damping: float | None = None,
    displacement: str = "displacement",
    force: str = "feedback_force",
) -> RigRequirements:
    """Return the rig requirements of a recorded contact on six, three or one axes, translations first.

    Parameters
    ----------
    data : dataset over `time`, in simulated time.
    mass : mass that meets the contact [kg].
    damping : damping of the contact [N s/m] (default: viscous damper that dissipates the energy of the contact).
    """
    t = np.asarray(data["time"].values, float)
    z, f = (np.asarray(data[name].values, float).reshape(len(t), -1) for name in (displacement, force))
    touching = np.linalg.norm(f[:, :3], axis=1) > NO_FORCE * max(np.abs(f[:, :3]).max(), 1e-12)
    if not touching.any():
        raise AnalysisError("free motion: no contact in this run, so there are no rig requirements")
    if not is_contact(t, z[:, :3], f[:, :3]):
        raise AnalysisError(
            "the specimen exerts a force in both directions without a gap: it is no contact but a continuous specimen, "
            "such as a spring or damper. Its largest loop delay is the critical delay of the loop: "
            "run `dovetail design` with the test"
        )
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
    any_delay = max_stable_delay(m=mass, k=k)
    own_delay = max_stable_delay(m=mass, k=k, c=damping)
    wanted = SHARE * own_delay
    moment = np.abs(f[:, 3:]).max() if f.shape[1] > 3 else 0.0
    jumps = np.linalg.norm(np.diff(f[part, :3], axis=0), axis=1)
    steepest = int(np.argmax(jumps))
    speed = np.linalg.norm(velocity[part], axis=1)
    size = np.linalg.norm(f[part, :3], axis=1)
    return RigRequirements(
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
