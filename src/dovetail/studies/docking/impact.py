r"""Impact: reference solution, and solution with actuator and sensor dynamics.

The reference solution (Docking Model) is two free bodies and a contact law. The HIL Model adds an actuator between the
computed motion x of the bodies and the contact, and a sensor between the contact force and the bodies. Each is a
second-order lag followed by rounding, in continuous time [Bondoky 2020, secs 5.2 and 8.2.4]:

.. math::

    m_e\ddot x = -Q_f(f), \quad
    \ddot y = \omega_a^2 (x - y) - 2 d_a\omega_a\dot y, \quad
    \ddot f = \omega_f^2 (F(Q_a(y), \dot y) - f) - 2 d_f\omega_f\dot f

Both models consist of the parts of a test, coupled as in the modes `reference` and `rehearse` with `sampling = "none"`
(`testing.coupled`). No signals are recorded: the measures are computed during the integration, so thousands of impacts
fit in one batch, `jax.vmap` over `first_impact`. Both models start at the same time, with x = 0 at first contact of the
reference solution and the lags in the steady state of the approach. The position is rounded, the speed is not.
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
from dovetail.testing.excitation import Zero
from dovetail.transfer import Quantiser, SecondOrderLag, Series


@kind("second-order-instruments")
class Instruments(Part):
    """Actuator and force sensor as second-order lags with rounding; a resolution of 0 means no rounding."""

    actuator_omega: jax.Array = parameter("rad/s", "natural angular frequency of the actuator", above=0.0)
    sensor_omega: jax.Array = parameter("rad/s", "natural angular frequency of the sensor", above=0.0)
    actuator_damping: jax.Array = parameter("1", "damping ratio of the actuator", above=0.0, default=0.7)
    sensor_damping: jax.Array = parameter("1", "damping ratio of the sensor", above=0.0, default=0.7)
    position_resolution: jax.Array = parameter("m", "step of the imposed motion", at_least=0.0, default=0.0)
    force_resolution: jax.Array = parameter("N", "step of the measured force", at_least=0.0, default=0.0)

    @property
    def lag(self) -> jax.Array:
        """Low-frequency delay of actuator and sensor together [s]."""
        return self.actuator_lag + 2 * self.sensor_damping / self.sensor_omega

    @property
    def actuator_lag(self) -> jax.Array:
        """Low-frequency delay of the actuator [s]."""
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
    r"""Return the natural frequency [rad/s] of an instrument with a *total delay* [s], :math:`\omega = 4/\tau`.

    The total delay is defined in [Bondoky 2020, eq. 5.6]: four time constants, including bus latency and read-out. For
    a damping ratio of 0.7 the low-frequency delay is 0.35 times the total delay.
    """
    return 4.0 / jnp.asarray(delay, float)


class Impact(eqx.Module):
    """Measures of one impact in one of the two models."""

    peak_force: jax.Array  # [N] force on the bodies: contact force, or measured force
    peak_contact_force: jax.Array  # [N] contact force
    peak_depth: jax.Array  # [m]
    force_integral: jax.Array  # [N s] integral of the force on the bodies over the contact
    contact_integral: jax.Array  # [N s] integral of the contact force
    depth_integral: jax.Array  # [m s] over the contact
    start: jax.Array  # [s] of the contact, from first contact of the reference solution
    duration: jax.Array  # [s] of the contact; NaN if it did not end
    rebound: jax.Array  # [m/s] relative velocity of the bodies at the end of contact, negative
    restitution: jax.Array  # rebound speed over approach speed
    final_rebound: jax.Array  # [m/s] after the sensor output has decayed
    dissipated: jax.Array  # [J] in the contact


class ImpactPairing(eqx.Module):
    """Impact without and with instruments, and the differences between their signals."""

    ideal: Impact
    hil: Impact
    force_difference: jax.Array  # [N] largest difference HIL - reference
    force_then: jax.Array  # [N] reference force at that time
    depth_difference: jax.Array  # [m] largest difference HIL - reference
    depth_then: jax.Array  # [m] reference penetration at that time
    force_area: jax.Array  # [N s] integral of |HIL - reference|
    depth_area: jax.Array  # [m s] integral of |HIL - reference|, negative penetration counted as zero


def hertz_depth(k, n: float, mass, speed) -> jax.Array:
    """Return the penetration [m] at which an elastic contact stops a mass [kg] with a given speed [m/s]."""
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
    """Simulate an impact of a reduced mass [kg] at a speed [m/s] without and with instruments.

    Parameters
    ----------
    steps
        Number of steps of the fourth-order Runge-Kutta method over the simulated time.
    slowest, lags
        Minimum restitution for which the simulated time suffices, and waiting time in lags. The simulated time is
        (1.8 + 1.6/slowest) stopping depths over the speed plus `lags` times the lag of the instruments. A step
        must be below 2.6 over the highest natural frequency of the instruments; otherwise the result is not finite.
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
    (x, tracked, both), _ = jax.lax.scan(advance, start, jnp.arange(steps))
    return ImpactPairing(_impact(tracked[0], x[0], speed), _impact(tracked[1], x[1], speed), *both)


def coupled(law: NormalLaw, mass, speed, tools: Instruments) -> tuple[Coupled, Coupled]:
    """Return reference solution and test of an impact without gap, for a reduced mass [kg] and a speed [m/s]."""
    bodies, pair = FreePair(2 * mass, 2 * mass, speed), ImpactPair(law, 0.0)
    ideal = Coupled(bodies, pair, Zero())
    return ideal, Coupled(bodies, pair, Zero(), actuator=tools.actuator, sensor=tools.sensor)


def touching(system: Any) -> dict[str, Any]:
    """Return the state of a system at first contact, with the approach speed stored."""
    x = system.init()
    return {**x, "specimen": {**x["specimen"], "impact_speed": system.numerical.speed}}


def _step(system: Coupled, equation: Callable, x, t, dt):
    """Return the state after a step, and penetration, its rate, contact force, force on the bodies, speed, heat.

    `equation` is traced once for all stages of a step, as tracing takes most of the time of a first batch.
    """
    x = RK4.tableau.step(lambda share, at: equation(t + share * dt if share else t, at), x, dt)
    at = system.interface(t + dt, x)
    shown = at["output"]
    contact, force = -shown["force"], -at["input"]["force"]
    seen = (
        shown["penetration"],
        at["actuator"][1],
        contact,
        force,
        at["motion"]["velocity"],
        shown["contact_dissipation"],
    )
    # as in `Coupled.jump`; an impact speed stored without contact has no effect on the outputs
    return {**x, "specimen": system.specimen.jump(t + dt, x["specimen"], at["imposed"])}, seen


def _blank(zero):
    """Return initial values of the running measures: last samples for the peaks, sums, and the two crossings."""
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
    # time of zero crossing = depth/rate before the sample: exact for free motion outside the contact
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
    """Return the running maximum; a maximum between samples is that of the parabola through three samples."""
    bend = a - 2 * b + c
    top = b - (c - a) ** 2 / (8 * jnp.where(bend < 0, bend, -1.0))
    inside = (b > a) & (b >= c) & (bend < 0) & (top < b * 1.001)  # excludes steps by rounding
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
