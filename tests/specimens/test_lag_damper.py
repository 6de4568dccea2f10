"""Lag dampers: the ideal corners, the slow limit, the sense of the loop, passivity, ringing."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4, Flow
from dovetail.core.linear import linearise
from dovetail.specimens import IdealLagDamper, LagDamper

IDEAL = IdealLagDamper(closed_slope=420e3, open_slope=14e3, opening_force=11e3)
REAL = LagDamper(
    stiffness=3.5e6,
    orifice_slope=200e3,
    opening_force=10.7e3,
    valve_slope=22e3,
    valve_frequency=120.0,
    valve_damping=0.12,
)
OMEGA = 2 * np.pi * 3.5  # rad/s


def motion(v):
    return {"displacement": 0.0, "velocity": jnp.asarray(v), "acceleration": 0.0}


class Moved(Flow):
    """A damper whose piston follows a sine."""

    damper: LagDamper
    speed: jax.Array
    omega: jax.Array

    def init(self):
        return self.damper.init()

    def derivative(self, t, x, u):
        return self.damper.derivative(t, x, motion(self.speed * jnp.cos(self.omega * t)))

    def output(self, t, x, u):
        return self.damper.output(t, x, None)


@eqx.filter_jit
def cycle(damper, speed, omega=OMEGA, steps=4000):
    """Velocity, resisting force and relief over the third cycle of a sine."""
    moved = Moved(damper, jnp.asarray(speed), jnp.asarray(omega))
    h = 2 * jnp.pi / moved.omega / steps

    def advance(x, k):
        x, _ = RK4().step(moved, k * h, h, x, None, ())
        shown = moved.output(0.0, x, None)
        return x, (speed * jnp.cos(moved.omega * (k + 1) * h), -shown["force"], shown["relief_speed"])

    return jax.tree.map(lambda y: y[-steps:], jax.lax.scan(advance, moved.init(), jnp.arange(3 * steps))[1])


# the ideal one


@pytest.mark.parametrize(
    ("v", "force"), [(0.0, 0.0), (0.01, -4200.0), (11 / 420, -11e3), (0.3, -11e3 - 14e3 * (0.3 - 11 / 420))]
)
def test_the_ideal_damper_has_two_slopes_and_is_odd(v, force):
    for sign in (1.0, -1.0):
        got = float(IDEAL.output(0.0, (), motion(sign * v))["force"])
        assert got == pytest.approx(sign * force, rel=1e-12)


def test_the_ideal_damper_is_steep_at_rest():
    slope = jax.grad(lambda v: IDEAL.output(0.0, (), motion(v))["force"])(0.0)
    assert float(slope) == -420e3


# the real one


def test_moved_slowly_it_has_the_orifice_s_slope_below_the_setting():
    """At 0.05 rad/s the oil makes the force lag by omega c/k = 0.3 %."""
    v, f, relief = cycle(REAL, 0.02, omega=0.05)
    np.testing.assert_allclose(f, 200e3 * v, atol=0.003 * 200e3 * 0.02)
    assert float(jnp.abs(relief).max()) == 0.0


def test_moved_slowly_it_relieves_above_the_setting():
    """Orifice and valve share the flow: f = 10.7 kN + C (v - f/c), solved for f."""
    _, f, _ = cycle(REAL, 0.3, omega=0.2, steps=40_000)
    at_peak = (10.7e3 + 22e3 * 0.3) / (1 + 22e3 / 200e3)
    assert float(f.max()) == pytest.approx(at_peak, rel=1e-3)


@pytest.mark.parametrize("speed", [0.018, 0.13, 0.3])
def test_the_loop_is_open_at_zero_velocity_and_drawn_anticlockwise(speed):
    v, f, _ = cycle(REAL, speed)
    area = float(jnp.sum(v * jnp.roll(f, -1) - f * jnp.roll(v, -1))) / 2
    assert area > 0
    assert float(jnp.interp(0.0, v[:2000][::-1], f[:2000][::-1])) > 0.1 * float(f.max())


def test_a_damper_dissipates_energy_over_every_cycle():
    for speed in (0.005, 0.025, 0.13, 0.45):
        v, f, _ = cycle(REAL, speed)
        assert float(jnp.mean(f * v)) > 0, speed


def test_at_130_mm_per_s_the_valve_opens_at_the_velocity_peak():
    """The oil must first turn from one setting to the other: the valve opens where acceleration is low."""
    v, _, relief = cycle(REAL, 0.13)
    opened = int(jnp.argmax((relief > 0) & (jnp.roll(relief, 1) <= 0)))
    assert float(v[opened]) > 0.95 * 0.13
    assert float(jnp.mean(relief > 0)) < 0.25


def test_a_lightly_damped_valve_rings_when_it_opens_and_more_so_at_higher_acceleration():
    """Ringing: what is left of the force after a moving mean over the valve's period."""

    def ringing(speed):
        _, f, relief = cycle(REAL, speed)
        window = int(4000 * 3.5 / 120)
        mean = jnp.convolve(f, jnp.ones(window) / window, mode="same")
        middle = slice(window, -window)
        return float(jnp.where(relief > 0, jnp.abs(f - mean), 0.0)[middle].max())

    assert ringing(0.45) > 1.5 * ringing(0.13)


@eqx.filter_jit
def steady(damper, speed, steps=10_000, h=1e-4):
    """Resisting force over the last tenth of a second of 1 s at constant speed."""

    def advance(x, k):
        x, _ = RK4().step(damper, k * h, h, x, motion(speed), ())
        return x, x["resisting"]

    return jax.lax.scan(advance, damper.init(), jnp.arange(steps))[1][-1000:]


def test_a_valve_damped_less_than_the_oil_allows_chatters():
    """Either side of 2 zeta omega = k/C, which is at zeta = 0.105; the orifice adds a little."""
    assert float(jnp.ptp(steady(REAL, 0.3))) < 1.0  # N
    for damping in (0.05, 0.095):
        loose = dataclasses.replace(REAL, valve_damping=damping)
        assert float(jnp.ptp(steady(loose, 0.3))) > 1000.0


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_an_open_valve_and_the_oil_have_the_poles_of_their_equations(side):
    r"""(s + k/c)(s^2 + 2 zeta w s + w^2) + k w^2/C = 0, and those of the closed valve, critically damped."""
    zero, lift = jnp.zeros(()), jnp.asarray(0.2)
    opened = {
        "resisting": jnp.asarray(side * 15e3),
        "lift": (lift, zero - 1e-9) if side > 0 else (zero - 1e-9, lift),
        "lift_rate": (zero, zero),
    }
    model = linearise(REAL, opened, {n: 0.0 for n in ("displacement", "velocity", "acceleration")})
    w, k, c, C = 2 * np.pi * 120.0, 3.5e6, 200e3, 22e3
    loop = np.polyadd(np.polymul([1, k / c], [1, 2 * 0.12 * w, w**2]), [k * w**2 / C])
    poles = np.linalg.eigvals(np.asarray(model.A))
    for pole in np.roots(loop):
        assert np.abs(poles - pole).min() < 1e-6 * abs(pole)


def test_turbulence_increases_the_orifice_slope_with_speed_only():
    rough = dataclasses.replace(REAL, quadratic_damping=4e6)
    v, f, _ = cycle(rough, 0.02, omega=0.05)
    np.testing.assert_allclose(f, 200e3 * v + 4e6 * v * jnp.abs(v), atol=0.02 * float(f.max()))


def test_a_weak_spring_on_one_side_relieves_there_first():
    lopsided = dataclasses.replace(REAL, asymmetry=0.2)
    _, f, _ = cycle(lopsided, 0.3)
    assert -float(f.min()) > float(f.max()) + 1000.0


def test_the_linear_model_at_rest_has_the_oil_pole_and_none_on_the_axis():
    model = linearise(REAL, REAL.init(), {n: 0.0 for n in ("displacement", "velocity", "acceleration")})
    poles = np.sort(np.linalg.eigvals(np.asarray(model.A)).real)
    assert poles[-1] == pytest.approx(-3.5e6 / 200e3, rel=1e-9)
    assert np.all(poles < 0)


def test_one_damper_an_axis_when_the_interface_has_several():
    five = dataclasses.replace(REAL, opening_force=jnp.linspace(9e3, 11e3, 5))
    state = five.init()
    assert state["resisting"].shape == (5,)
    assert REAL.with_sample_time(1e-3, (3,)).init()["lift"][0].shape == (3,)
