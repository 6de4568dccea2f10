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

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import RK4, Parameter, Part, kind, parameter
from dovetail.core.advance import run_samples
from dovetail.core.block import Time
from dovetail.core.keep import Keep
from dovetail.core.system import Signals, System
from dovetail.mechanics.contact import FreePair, NormalLaw
from dovetail.specimens import ImpactPair
from dovetail.testing import Coupled
from dovetail.testing.excitation import Zero
from dovetail.transfer import Quantiser, SecondOrderLag, Series


@kind("second-order-instruments")
class Instruments(Part):
    """Actuator and force sensor as second-order lags with rounding; a resolution of 0 means no rounding."""

    actuator_omega: Parameter = parameter("rad/s", "natural angular frequency of the actuator", above=0.0)
    sensor_omega: Parameter = parameter("rad/s", "natural angular frequency of the sensor", above=0.0)
    actuator_damping: Parameter = parameter("1", "damping ratio of the actuator", above=0.0, default=0.7)
    sensor_damping: Parameter = parameter("1", "damping ratio of the sensor", above=0.0, default=0.7)
    position_resolution: Parameter = parameter("m", "step of the imposed motion", at_least=0.0, default=0.0)
    force_resolution: Parameter = parameter("N", "step of the measured force", at_least=0.0, default=0.0)

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


MAX_PHASE = (
    1.5  # largest step times natural frequency of a lag; Runge-Kutta steps of order 4 are stable up to 2.6
)


def total_delay_omega(delay) -> jax.Array:
    r"""Return the natural frequency [rad/s] of an instrument with a *total delay* [s], :math:`\omega = 4/\tau`.

    The total delay is defined in [Bondoky 2020, eq. 5.6]: four time constants, including bus latency and read-out. For
    a damping ratio of 0.7 the low-frequency delay is 0.35 times the total delay.
    """
    return 4.0 / jnp.asarray(delay, float)


def sensor_omega(delay) -> jax.Array:
    r"""Return the natural frequency [rad/s] of a force sensor with a total delay [s], :math:`\omega = 2\pi\,4/\tau`.

    The source converts the time constants of its sensors to frequencies in hertz (0.4 ms: "10 kHz") and simulates them
    with these: only so table 5.2 is reproduced [Bondoky 2020, sec. 5.2.2.2].
    """
    return 2 * jnp.pi * total_delay_omega(delay)


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
        Minimum restitution for which the simulated time suffices, and waiting time in lags (`simulated_time`). A
        step must be below 2.6 over the highest natural frequency of the instruments; otherwise the result is not
        finite.
    """
    mass, speed = jnp.asarray(mass, float), jnp.asarray(speed, float)
    dt = simulated_time(law, mass, speed, instruments, slowest, lags) / steps
    pair = PairedImpacts(*(ImpactSystem(system) for system in coupled(law, mass, speed, instruments)))
    end, _ = run_samples(pair, dt, steps, MeasureImpacts())
    (x_ideal, x_hil), measures = end.x, end.kept
    return ImpactPairing(
        _impact(measures.ideal, x_ideal, speed), _impact(measures.hil, x_hil, speed), *measures.differences
    )


def simulated_time(
    law: NormalLaw, mass, speed, instruments: Instruments, slowest=0.5, lags=12.0
) -> jax.Array:
    """Return (1.8 + 1.6/slowest) stopping depths over the speed, plus `lags` lags of the instruments [s]."""
    stop = hertz_depth(law.stiffness.value, law.exponent, mass, speed) / speed
    return (1.8 + 1.6 / slowest) * stop + lags * instruments.lag


def coupled(law: NormalLaw, mass, speed, tools: Instruments) -> tuple[Coupled, Coupled]:
    """Return reference solution and test of an impact without gap, for a reduced mass [kg] and a speed [m/s]."""
    bodies, pair = FreePair(2 * mass, 2 * mass, speed), ImpactPair(law, 0.0)
    ideal = Coupled(bodies, pair, Zero())
    return ideal, Coupled(bodies, pair, Zero(), actuator=tools.actuator, sensor=tools.sensor)


def touching(system: Any) -> dict[str, Any]:
    """Return the state of a system at first contact, with the approach speed stored."""
    x = system.init()
    return {**x, "specimen": {**x["specimen"], "impact_speed": system.numerical.speed}}


class ImpactSample(eqx.Module):
    """Signals of an impact at one time."""

    penetration: jax.Array  # [m]
    rate: jax.Array  # [m/s] of the imposed motion
    contact_force: jax.Array  # [N]
    force: jax.Array  # [N] on the bodies
    velocity: jax.Array  # [m/s] of the bodies
    heat: jax.Array  # [J] dissipated in the contact


class ImpactSystem(System):
    """Impact from first contact on."""

    flow: Coupled

    def start(self) -> tuple[dict[str, Any], Signals]:
        x = touching(self.flow)
        return x, {"impact": _sample(self.flow.interface(0.0, x))}

    def step(self, t: Time, h: Time, x: dict[str, Any]) -> tuple[dict[str, Any], Signals]:
        # traced once for all stages, as tracing takes most of the time of a first batch
        rates = jax.jit(lambda t, x: self.flow.derivative(t, x, None))
        x = RK4.tableau.step(lambda share, at: rates(t + share * h if share else t, at), x, h)
        at = self.flow.interface(t + h, x)
        # as in `Coupled.jump`; an impact speed stored without contact has no effect on the outputs
        specimen = self.flow.specimen.jump(t + h, x["specimen"], at["imposed"])
        return {**x, "specimen": specimen}, {"impact": _sample(at)}


def _sample(at: dict[str, Any]) -> ImpactSample:
    shown = at["output"]
    return ImpactSample(
        penetration=shown["penetration"],
        rate=at["actuator"][1],
        contact_force=-shown["force"],
        force=-at["input"]["force"],
        velocity=at["motion"]["velocity"],
        heat=shown["contact_dissipation"],
    )


class PairedImpacts(System):
    """Reference solution and test of an impact, side by side, for the differences between their signals."""

    ideal: ImpactSystem
    hil: ImpactSystem

    def start(self) -> tuple[tuple[Any, Any], Signals]:
        (ideal, shown), (hil, of_test) = self.ideal.start(), self.hil.start()
        return (ideal, hil), {"ideal": shown["impact"], "hil": of_test["impact"]}

    def step(self, t: Time, h: Time, x: tuple[Any, Any]) -> tuple[tuple[Any, Any], Signals]:
        (ideal, shown), (hil, of_test) = self.ideal.step(t, h, x[0]), self.hil.step(t, h, x[1])
        return (ideal, hil), {"ideal": shown["impact"], "hil": of_test["impact"]}


class RunningImpact(eqx.Module):
    """Running measures of one impact; NaN for what has not happened."""

    peak_force: jax.Array  # [N]
    peak_contact_force: jax.Array  # [N]
    peak_depth: jax.Array  # [m]
    last: tuple[ImpactSample, ImpactSample]  # the last two samples, the latest first
    force_integral: jax.Array  # [N s]
    contact_integral: jax.Array  # [N s]
    depth_integral: jax.Array  # [m s]
    start: jax.Array  # [s] of the contact
    end: jax.Array  # [s] of the contact
    rebound: jax.Array  # [m/s]


class RunningPairing(eqx.Module):
    """Running measures of both models, and of the differences between their signals."""

    ideal: RunningImpact
    hil: RunningImpact
    differences: tuple[jax.Array, ...]  # as in `ImpactPairing`


class MeasureImpacts(Keep):
    """Measures both impacts, and keeps no rows."""

    def start(self, shown: Signals) -> RunningPairing:
        return RunningPairing(_blank(), _blank(), (jnp.zeros(()),) * 6)

    def row(self, kept: RunningPairing, t: Time, h: Time, shown: Signals) -> tuple[RunningPairing, Signals]:
        ideal, hil = shown["ideal"], shown["hil"]
        return RunningPairing(
            _measure(kept.ideal, t, h, ideal),
            _measure(kept.hil, t, h, hil),
            _differences(kept.differences, h, ideal, hil),
        ), {}


def _blank() -> RunningImpact:
    """Return the measures before the first sample."""
    zero, never = jnp.zeros(()), jnp.asarray(jnp.nan)
    none = ImpactSample(zero, zero, zero, zero, zero, zero)
    return RunningImpact(zero, zero, zero, (none, none), zero, zero, zero, never, never, never)


@jax.jit
def _measure(m: RunningImpact, t: Time, h: Time, now: ImpactSample) -> RunningImpact:
    last, before_last = m.last
    touching = now.penetration > 0
    # time of zero crossing = depth/rate before the sample: exact for free motion outside the contact
    crossing = jnp.maximum(t - now.penetration / jnp.where(now.rate == 0, 1.0, now.rate), t - h)
    start = jnp.where(jnp.isnan(m.start) & touching, crossing, m.start)
    over = ~jnp.isnan(start) & ~touching & jnp.isnan(m.end)
    end = jnp.where(over, crossing, m.end)
    open_ = ~jnp.isnan(start) & jnp.isnan(end)
    return RunningImpact(
        peak_force=_peak(m.peak_force, before_last.force, last.force, now.force),
        peak_contact_force=_peak(
            m.peak_contact_force, before_last.contact_force, last.contact_force, now.contact_force
        ),
        peak_depth=_peak(m.peak_depth, before_last.penetration, last.penetration, now.penetration),
        last=(now, last),
        force_integral=m.force_integral + jnp.where(open_, h * jnp.abs(now.force), 0.0),
        contact_integral=m.contact_integral + h * now.contact_force,
        depth_integral=m.depth_integral + jnp.where(open_, h * jnp.maximum(now.penetration, 0.0), 0.0),
        start=start,
        end=end,
        rebound=jnp.where(over, now.velocity, m.rebound),
    )


def _peak(best, a, b, c):
    """Return the running maximum; a maximum between samples is that of the parabola through three samples."""
    bend = a - 2 * b + c
    top = b - (c - a) ** 2 / (8 * jnp.where(bend < 0, bend, -1.0))
    inside = (b > a) & (b >= c) & (bend < 0) & (top < b * 1.001)  # excludes steps by rounding
    return jnp.maximum(jnp.maximum(best, c), jnp.where(inside, top, 0.0))


def _differences(
    largest: tuple[jax.Array, ...], h: Time, ideal: ImpactSample, hil: ImpactSample
) -> tuple[jax.Array, ...]:
    force, force_then, depth, depth_then, force_area, depth_area = largest
    f_i, f_h = ideal.force, hil.force
    d_i, d_h = jnp.maximum(ideal.penetration, 0.0), jnp.maximum(hil.penetration, 0.0)
    return (
        jnp.maximum(force, f_h - f_i),
        jnp.where(f_h - f_i > force, f_i, force_then),
        jnp.maximum(depth, d_h - d_i),
        jnp.where(d_h - d_i > depth, d_i, depth_then),
        force_area + h * jnp.abs(f_h - f_i),
        depth_area + h * jnp.abs(d_h - d_i),
    )


def _impact(m: RunningImpact, x: dict[str, Any], speed: jax.Array) -> Impact:
    return Impact(
        peak_force=m.peak_force,
        peak_contact_force=m.peak_contact_force,
        peak_depth=m.peak_depth,
        force_integral=m.force_integral,
        contact_integral=m.contact_integral,
        depth_integral=m.depth_integral,
        start=m.start,
        duration=m.end - m.start,
        rebound=m.rebound,
        restitution=-m.rebound / speed,
        final_rebound=x["numerical"]["v"],
        dissipated=m.last[0].heat,
    )
