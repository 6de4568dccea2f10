r"""One impact twice: as physics would have it, and through instruments that lag and round.

The ideal (Docking Model) is two free bodies and a contact law. The other (HIL Model) has an actuator between
the bodies' computed motion x and the contact, and a sensor between the contact's force and the bodies, each a
second-order lag followed by rounding, all in continuous time [Bondoky 2020, secs 5.2 and 8.2.4]:

.. math::

    m_e\ddot x = -Q_f(f), \quad
    \ddot y = \omega_a^2 (x - y) - 2 d_a\omega_a\dot y, \quad
    \ddot f = \omega_f^2 (F(Q_a(y), \dot y) - f) - 2 d_f\omega_f\dot f

They are the parts of a test, joined as `emulate` and a continuous `rehearse` join them (`testing.coupled`). What is
special is that nothing is recorded: everything is reduced to numbers on the way, so thousands of impacts fit in a
batch, `jax.vmap` over `first_impact`. Both start together, x = 0 at first touch of the ideal, the lags in the steady
state of the approach. Only the position is rounded, not the speed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import RK4, Part, kind, parameter
from dovetail.mechanics.contact import FreePair, NormalLaw
from dovetail.specimens import ImpactPair
from dovetail.testing import Coupled
from dovetail.testing.excitation import Rest
from dovetail.transfer import Quantiser, SecondOrderLag, Series


@kind("second-order-instruments")
class Instruments(Part):
    """Actuator and force sensor as second-order lags with rounding; a resolution of zero rounds nothing."""

    actuator_omega: jax.Array = parameter("rad/s", "natural angular frequency of the actuator", above=0.0)
    sensor_omega: jax.Array = parameter("rad/s", "natural angular frequency of the sensor", above=0.0)
    actuator_damping: jax.Array = parameter("1", "damping ratio of the actuator", above=0.0, default=0.7)
    sensor_damping: jax.Array = parameter("1", "damping ratio of the sensor", above=0.0, default=0.7)
    position_resolution: jax.Array = parameter("m", "step of the imposed motion", at_least=0.0, default=0.0)
    force_resolution: jax.Array = parameter("N", "step of the measured force", at_least=0.0, default=0.0)

    @property
    def lag(self) -> jax.Array:
        """Low-frequency lag of actuator and sensor together [s]."""
        return self.actuator_lag + 2 * self.sensor_damping / self.sensor_omega

    @property
    def actuator_lag(self) -> jax.Array:
        """How late the actuator follows a steady approach [s]."""
        return 2 * self.actuator_damping / self.actuator_omega

    @property
    def actuator(self) -> Series:
        """The actuator of a rig."""
        lag = SecondOrderLag(self.actuator_omega, self.actuator_damping)
        return Series((lag, Quantiser(self.position_resolution)))

    @property
    def sensor(self) -> Series:
        """The force sensor of a rig."""
        lag = SecondOrderLag(self.sensor_omega, self.sensor_damping)
        return Series((lag, Quantiser(self.force_resolution)))


def total_delay_omega(delay) -> jax.Array:
    r"""Natural frequency [rad/s] of an instrument of *total delay* [s], :math:`\omega = 4/\tau`.

    The definition of [Bondoky 2020, eq. 5.6]: four time constants, bus latency and read-out included. For a
    damping of 0.7 the low-frequency lag is 0.35 of it.
    """
    return 4.0 / jnp.asarray(delay, float)


class Impact(eqx.Module):
    """What one impact did, in one of the two systems."""

    peak_force: jax.Array  # [N] the force that acts on the bodies: of the contact, or as measured
    peak_contact_force: jax.Array  # [N] of the contact itself
    peak_depth: jax.Array  # [m]
    force_integral: jax.Array  # [N s] of the force on the bodies, over the contact
    contact_integral: jax.Array  # [N s] of the force of the contact itself
    depth_integral: jax.Array  # [m s] over the contact
    start: jax.Array  # [s] of the contact, from first touch of the ideal
    duration: jax.Array  # [s] of the contact; NaN where it had not ended
    rebound: jax.Array  # [m/s] relative velocity of the bodies at the end of contact, negative
    restitution: jax.Array  # rebound over approach
    final_rebound: jax.Array  # [m/s] once the sensor has come to rest
    dissipated: jax.Array  # [J] in the contact


class ImpactPairing(eqx.Module):
    """The ideal impact, the one through the instruments, and the differences between their traces."""

    ideal: Impact
    hil: Impact
    force_difference: jax.Array  # [N] largest HIL less ideal
    force_then: jax.Array  # [N] ideal force at that instant
    depth_difference: jax.Array  # [m] largest HIL less ideal
    depth_then: jax.Array  # [m] ideal depth at that instant
    force_area: jax.Array  # [N s] integral of |HIL less ideal|
    depth_area: jax.Array  # [m s] integral of |HIL less ideal|, negative depth counted as zero


def hertz_depth(k, n: float, mass, speed) -> jax.Array:
    """Depth [m] at which an elastic contact has stopped a mass [kg] of a given speed [m/s]."""
    return ((n + 1) * mass * speed**2 / (2 * k)) ** (1 / (n + 1))


def first_impact(
    law: NormalLaw,
    mass,
    speed,
    instruments: Instruments,
    *,
    steps: int = 1000,
    slowest: float = 0.5,
    lags: float = 12.0,
) -> ImpactPairing:
    """One impact of a reduced mass [kg] at a speed [m/s], ideal and through instruments, step by step.

    Parameters
    ----------
    steps
        Steps of the fourth-order Runge-Kutta method over the time looked at.
    slowest, lags
        Least restitution for which the time suffices, and how many lags are waited for: the time is
        (1.8 + 1.6/slowest) stopping depths over the speed, and `lags` times that of the instruments. A step
        must stay below 2.6 over the highest natural frequency of the instruments; else nothing is finite.
    """
    mass, speed = jnp.asarray(mass, float), jnp.asarray(speed, float)
    stop = hertz_depth(law.stiffness.value, law.exponent, mass, speed) / speed  # [s]
    dt = ((1.8 + 1.6 / slowest) * stop + lags * instruments.lag) / steps
    systems = coupled(law, mass, speed, instruments)
    equations = tuple(jax.jit(lambda t, x, of=system: of.derivative(t, x, None)) for system in systems)

    def advance(carry, k):
        states, (ideal, hil), both = carry
        t = (k + 1) * dt
        after, now = zip(
            *(_step(*args, k * dt, dt) for args in zip(systems, equations, states, strict=True)), strict=True
        )
        return (
            after,
            (_watch(ideal, t, dt, now[0]), _watch(hil, t, dt, now[1])),
            _differ(both, dt, *now),
        ), None

    zero = jnp.zeros_like(mass * speed * law.stiffness.value * instruments.lag)
    x = tuple(touching(system) for system in systems)
    x = jax.tree.map(lambda leaf: zero + leaf, x)
    start = (x, (_blank(zero), _blank(zero)), (zero,) * 6)
    (x, found, both), _ = jax.lax.scan(advance, start, jnp.arange(steps))
    return ImpactPairing(_impact(found[0], x[0], speed), _impact(found[1], x[1], speed), *both)


def coupled(law: NormalLaw, mass, speed, tools: Instruments) -> tuple[Coupled, Coupled]:
    """The ideal and the test of an impact without a gap, of a reduced mass [kg] at a speed [m/s]."""
    bodies, pair = FreePair(2 * mass, 2 * mass, speed), ImpactPair(law, 0.0)
    ideal = Coupled(bodies, pair, Rest())
    return ideal, Coupled(bodies, pair, Rest(), actuator=tools.actuator, sensor=tools.sensor)


def touching(system: Any) -> dict[str, Any]:
    """Its state at the touch of the bodies, the speed of the approach remembered."""
    x = system.init()
    return {**x, "specimen": {**x["specimen"], "impact_speed": system.numerical.speed}}


def _step(system: Coupled, equation: Callable, x, t, dt):
    """The state after a step, and depth, its rate, contact force, force on the bodies, their speed, heat.

    `equation` is traced once for all stages of a step: that is most of the time of a first batch.
    """
    x = RK4.tableau.step(lambda share, at: equation(t + share * dt if share else t, at), x, dt)
    at = system.interface(t + dt, x)
    shown = at["shown"]
    contact, force = -shown["force"], -at["given"]["force"]
    seen = (shown["depth"], at["moved"][1], contact, force, at["motion"]["velocity"], shown["contact_heat"])
    # what `Coupled.jump` does; a speed that is latched while the bodies are apart changes nothing that is seen
    return {**x, "specimen": system.specimen.jump(t + dt, x["specimen"], at["imposed"])}, seen


def _blank(zero):
    """Running measures of one system: three last samples for the peaks, sums, and the two crossings."""
    names = ("force", "contact", "depth", "f1", "f2", "c1", "c2", "d1", "d2")
    names += ("force_sum", "contact_sum", "depth_sum", "heat")
    blank = dict.fromkeys(names, zero)
    never = jnp.full_like(zero, jnp.nan)
    return blank | {"begin": never, "end": never, "rebound": never}


@jax.jit
def _watch(m, t, dt, seen):
    depth, rate, contact, force, velocity, heat = seen
    touching = depth > 0
    before = jnp.isnan(m["begin"])
    # the crossing lies depth/rate ago: exact where the motion is free on its far side
    crossing = t - depth / jnp.where(rate == 0, 1.0, rate)
    begin = jnp.where(before & touching, jnp.maximum(crossing, t - dt), m["begin"])
    over = ~jnp.isnan(begin) & ~touching & jnp.isnan(m["end"])
    end = jnp.where(over, jnp.maximum(crossing, t - dt), m["end"])
    open_ = ~jnp.isnan(begin) & jnp.isnan(end)
    return {
        "force": _peak(m["force"], m["f2"], m["f1"], force),
        "contact": _peak(m["contact"], m["c2"], m["c1"], contact),
        "depth": _peak(m["depth"], m["d2"], m["d1"], depth),
        "f1": force,
        "f2": m["f1"],
        "c1": contact,
        "c2": m["c1"],
        "d1": depth,
        "d2": m["d1"],
        "force_sum": m["force_sum"] + jnp.where(open_, dt * jnp.abs(force), 0.0),
        "contact_sum": m["contact_sum"] + dt * contact,
        "depth_sum": m["depth_sum"] + jnp.where(open_, dt * jnp.maximum(depth, 0.0), 0.0),
        "heat": heat,
        "begin": begin,
        "end": end,
        "rebound": jnp.where(over, velocity, m["rebound"]),
    }


def _peak(best, a, b, c):
    """Largest so far, a maximum between three samples taken from their parabola."""
    bend = a - 2 * b + c
    top = b - (c - a) ** 2 / (8 * jnp.where(bend < 0, bend, -1.0))
    inside = (b > a) & (b >= c) & (bend < 0) & (top < b * 1.001)  # a step of rounding is no parabola
    return jnp.maximum(jnp.maximum(best, c), jnp.where(inside, top, 0.0))


def _differ(both, dt, ideal, hil):
    force, force_then, depth, depth_then, force_area, depth_area = both
    f_i, f_h = ideal[3], hil[3]
    d_i, d_h = jnp.maximum(ideal[0], 0.0), jnp.maximum(hil[0], 0.0)
    return (
        jnp.maximum(force, f_h - f_i),
        jnp.where(f_h - f_i > force, f_i, force_then),
        jnp.maximum(depth, d_h - d_i),
        jnp.where(d_h - d_i > depth, d_i, depth_then),
        force_area + dt * jnp.abs(f_h - f_i),
        depth_area + dt * jnp.abs(d_h - d_i),
    )


def _impact(m, x, speed) -> Impact:
    duration = m["end"] - m["begin"]
    return Impact(
        peak_force=m["force"],
        peak_contact_force=m["contact"],
        peak_depth=m["depth"],
        force_integral=m["force_sum"],
        contact_integral=m["contact_sum"],
        depth_integral=m["depth_sum"],
        start=m["begin"],
        duration=duration,
        rebound=m["rebound"],
        restitution=-m["rebound"] / speed,
        final_rebound=x["numerical"]["v"],
        dissipated=m["heat"],
    )
