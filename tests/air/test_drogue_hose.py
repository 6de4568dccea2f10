import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import root

from dovetail.air.drogue import TowedDrogue
from dovetail.air.drogue_hose import flight_modes, steady_flight
from dovetail.air.receiver import Receiver
from dovetail.core import RK4
from dovetail.core.errors import ConvergenceError
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.mechanics.chain.attitude import link_rotation
from dovetail.mechanics.motion import HarmonicMotion
from dovetail.studies.refuelling.assembly import BENDING, drogue_hose, hose

SWAY = HarmonicMotion(amplitude=(0.0, 0.0, 0.2, 0.0, 0.0, 0.0), omega=1.2566, fade_in_time=5.0)
FLYING = drogue_hose(chain=hose(4), receiver=Receiver(offset=0.1, incidence=0.2), motion=SWAY)
WRENCH = jnp.array([200.0, 50.0, -300.0, 10.0, -80.0, 40.0])


def shown(flow, t, x, force):
    """Of one program, whatever the state was made of: every number an array of the same type."""
    t, x = jax.tree.map(lambda number: jnp.asarray(number, float), (t, x))
    return _shown(flow, t, x, force)


@eqx.filter_jit
def _shown(flow, t, x, force):
    return flow.output(t, x, {"force": force}), flow.derivative(t, x, {"force": force})


@pytest.fixture(scope="module")
def start():
    return eqx.filter_jit(FLYING.init)()


@pytest.fixture(scope="module")
def moving(start):
    """A state that moves on all axes."""
    key, hose = jax.random.key(0), start["hose"]
    moved = {
        "angle": hose["angle"] + 0.1 * jax.random.normal(key, (2, 5)),
        "rate": jax.random.normal(key, (2, 5)),
    }
    return {**start, "hose": moved, "reeled": jnp.asarray(0.2), "reel_speed": jnp.asarray(0.4)}


def test_starts_at_rest_but_for_the_receiver():
    flow = dataclasses.replace(FLYING, receiver=Receiver(offset=0.1, incidence=0.0))
    out, rate = shown(flow, 0.0, eqx.filter_jit(flow.init)(), jnp.zeros(6))
    np.testing.assert_allclose(out["displacement"], 0.0, atol=1e-12)
    np.testing.assert_allclose(out["velocity"], [1.5, 0, 0, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(out["nozzle_pose"], [-0.75, 0, 0.1, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(rate["hose"]["rate"], 0.0, atol=1e-9)
    np.testing.assert_allclose(out["drogue_attitude_change"], 0.0, atol=1e-12)


def test_velocity_and_acceleration_are_those_of_the_displacement(moving):
    t, h = 0.35, 1e-5
    out, rate = shown(FLYING, t, moving, WRENCH)

    def near(step):
        # places to second order, so that central differences see the acceleration
        near = jax.tree.map(lambda a, b, c: a + step * b + 0.5 * step**2 * c, moving, rate, _second(rate))
        return shown(FLYING, t + step, near, WRENCH)[0]

    ahead, behind = near(h), near(-h)
    velocity = (ahead["displacement"] - behind["displacement"]) / (2 * h)
    acceleration = (ahead["velocity"] - behind["velocity"]) / (2 * h)
    np.testing.assert_allclose(out["velocity"], velocity, atol=1e-6)  # h^2 of the third derivative
    np.testing.assert_allclose(out["acceleration"], acceleration, rtol=1e-5, atol=1e-4)


def _second(rate):
    none = jax.tree.map(jnp.zeros_like, rate)
    angle = {**none["hose"], "angle": rate["hose"]["rate"]}
    return {**none, "hose": angle, "reeled": rate["reel_speed"]}


def test_time_since_contact_runs_from_the_first_touch_on(moving):
    _, rate = shown(FLYING, 0.1, moving, jnp.zeros(6))
    assert rate["since_contact"] == 0.0
    _, rate = shown(FLYING, 0.1, moving, WRENCH)
    assert rate["since_contact"] == 1.0
    later = {**moving, "since_contact": jnp.asarray(0.3)}
    _, rate = shown(FLYING, 0.1, later, jnp.zeros(6))
    assert rate["since_contact"] == 1.0


def test_momentum_and_energy_equal_impulse_and_work_of_the_forces(start):
    """A swaying tanker, a drum that reels in, a wrench on the drogue: impulse and work account for all of it."""
    method, h = with_stage_loop(RK4()), 5e-4

    @jax.jit
    def run(x):
        def one(x, k):
            x, _ = method.step(FLYING, k * h, h, x, {"force": WRENCH}, ())
            return x, FLYING.output(k * h + h, x, {"force": WRENCH})

        return jax.lax.scan(one, x, jnp.arange(600))[1]

    found = run(start)
    assert float(found["reeled_length"][-1]) > 1e-3
    speed = np.linalg.norm(np.gradient(found["drogue_position"], h, axis=0), axis=1).max()
    energy = 0.5 * 17.91 * speed**2
    assert energy > 1  # [J]
    assert np.abs(found["energy_residual"]).max() < 1e-4 * energy
    assert np.abs(found["momentum_residual"]).max() < 1e-4 * 17.91 * speed


def test_a_wrench_on_the_drogue_is_a_force_at_the_ball_joint_and_a_couple(moving):
    """Forces with the wrench less those without: its force in all, and its moment but for the part about the axis."""

    @jax.jit
    def acting(x, wrench):
        nodes, _, loads, _, _ = FLYING._solution(0.35, x, wrench)
        return nodes.position, loads.node

    r, with_it = acting(moving, WRENCH)
    force = with_it - acting(moving, jnp.zeros(6))[1]
    R = link_rotation((r[:, -2] - r[:, -1]) / 0.3)
    np.testing.assert_allclose(np.sum(force, axis=1), R @ WRENCH[:3], atol=1e-9)
    moment = np.cross(r[:, -1] - r[:, -2], force[:, -1])
    np.testing.assert_allclose(R.T @ moment, [0.0, -80.0, 40.0], atol=1e-9)


def test_in_steady_flight_the_tow_point_carries_everything(start):
    """Forces alone do not cancel; with the tow point's pull they do, so the audit would see it missing."""

    @jax.jit
    def balance(x):
        _, _, loads, solved, _ = FLYING._solution(0.0, x, jnp.zeros(6))
        return *FLYING.loaded_chain.energy_balance(x["hose"], loads, solved), loads.node

    impulse, power, acting = balance(start)
    np.testing.assert_allclose(impulse, 0.0, atol=1e-6)  # steady flight: all forces cancel
    np.testing.assert_allclose(power, 0.0, atol=1e-6)
    assert abs(float(jnp.sum(acting, axis=1)[0])) > 1e3


# steady flight with the published numbers; expected values are an independent implementation's

FREE = TowedDrogue(joint_friction=0.0, aero_moment=0.0)


@pytest.fixture(scope="module")
def trimmed():
    return steady_flight(drogue_hose(chain=hose(bending=None), drogue=FREE))


@pytest.mark.slow
def test_the_trim_is_an_equilibrium(trimmed):
    assert trimmed["residual"] < 1e-10
    assert steady_flight(drogue_hose())["residual"] < 1e-9  # with bending


def test_hose_end_tension_is_the_published_one_within_three_per_cent(trimmed):
    assert trimmed["tension"][-1] == pytest.approx(2500.0, rel=0.03)
    np.testing.assert_allclose(trimmed["tension"][-2:], [2479.2, 2457.9], atol=0.06)


def test_tow_tension_and_places(trimmed):
    assert trimmed["tension"][0] == pytest.approx(3263.7, abs=0.05)
    np.testing.assert_allclose(trimmed["ball_joint"], [-47.524, 0.0, -6.051], atol=5e-4)
    np.testing.assert_allclose(trimmed["centre"], [-47.823, 0.0, -6.072], atol=1e-3)
    shape = np.degrees(-trimmed["angles"][0])[[0, 4, 9, 14, 18, 19]]
    np.testing.assert_allclose(shape, [15.48, 14.61, 12.74, 9.43, 5.36, 4.10], atol=6e-3)


def test_a_wave_travels_along_the_hose_in_one_second(trimmed):
    assert trimmed["wave_time"] == pytest.approx(1.024, abs=1e-3)
    assert trimmed["wave_speed"][0] == pytest.approx(28.3, abs=0.06)
    assert trimmed["wave_speed"][-1] == pytest.approx(24.6, abs=0.06)


@pytest.mark.slow
def test_planar_modes():
    found = flight_modes(drogue_hose())
    np.testing.assert_allclose(found.frequencies[:7], [0.28, 0.65, 1.08, 1.52, 1.97, 2.41, 2.84], atol=0.006)
    np.testing.assert_allclose(found.damping[:3], [0.09, 0.04, 0.02], atol=0.005)
    assert found.stable


@pytest.mark.slow
def test_a_moment_about_the_wind_tilts_the_drogue_into_it(trimmed):
    windward = steady_flight(drogue_hose(drogue=TowedDrogue(aero_zero="wind")))
    assert 0 > windward["angles"][0, -1] > trimmed["angles"][0, -1]


def equilibrium(airspeed, density, flow):
    """Angles below the horizontal of a planar hose at rest, by moments about each joint; scipy solves."""
    chain, body = flow.chain, flow.drogue
    L, d, ei = float(chain.length), 0.071, float(chain.bending)
    rho_l, c_t, c_n, g = float(chain.mass) / L, 0.01, 0.6, 9.81
    m_d, D, c_d, k = (
        float(getattr(body, name)) for name in ("mass", "canopy_diameter", "drag", "aero_moment")
    )
    l = L / chain.n
    drag = 0.5 * density * airspeed**2 * np.pi / 4 * D**2 * c_d
    free = np.arctan2(m_d * g, drag)  # of the drogue alone

    def moments(a):
        """Down the hose and down: what each link carries, turned about its upper end, and the moments at its ends."""
        hose_a = a[:-1]
        along, across = airspeed * np.cos(hose_a), airspeed * np.sin(hose_a)
        t, n = np.pi * c_t * along * abs(along), c_n * across * abs(across)
        q = 0.5 * density * d * l
        back = q * (t * np.cos(hose_a) + n * np.sin(hose_a))
        down = q * (t * np.sin(hose_a) - n * np.cos(hose_a))
        w = rho_l * l * g  # its mass hangs at the lower node
        half = lambda f: 0.5 * (f + np.append(f[1:], 0.0))  # noqa: E731 - drag goes to both ends
        X = np.append(np.cumsum(half(back)[::-1])[::-1], 0.0) + drag
        Z = np.append(np.cumsum((half(down) + w)[::-1])[::-1], 0.0) + m_d * g
        lengths = np.append(np.full(chain.n, l), float(body.arm))
        turning = lengths * (Z * np.cos(a) - X * np.sin(a))  # raises the angle
        theta = np.diff(hose_a) / 2
        bend = (
            2 * ei / l * np.tan(theta) / np.cos(theta)
        )  # by an energy of 4 EI/l (1/cos - 1) at each inner joint
        turning[:-2] += bend
        turning[1:-1] -= bend
        turning[-1] -= k * (a[-1] - free)
        return turning

    found = root(moments, np.full(chain.n + 1, free), tol=1e-12)
    assert found.success
    return found.x


@pytest.mark.slow
def test_random_hoses_hang_as_scipy_has_them():
    rng = np.random.default_rng(6)
    for i in range(12):
        u = rng.uniform(size=7)
        body = TowedDrogue(
            mass=10 ** (0.7 + u[0]), canopy_diameter=10 ** (-1.2 + u[1]), aero_moment=10 ** (2.6 * u[3])
        )
        airspeed, density = (60.0, 0.525) if i == 0 else (10 ** (1.1 + 1.2 * u[5]), 0.3 + 0.9 * u[6])
        length = 10 + 30 * u[4]
        chain = dataclasses.replace(
            hose(), length=length, mass=4.09 * length, bending=BENDING * 10 ** (5 + 2.5 * u[2]) / 1.3e7
        )
        flow = drogue_hose(chain=chain, drogue=body, airspeed=airspeed, density=density)
        angles = steady_flight(flow)["angles"]
        np.testing.assert_allclose(-angles[0], equilibrium(airspeed, density, flow), atol=1e-7)
        np.testing.assert_allclose(angles[1], 0.0, atol=1e-12)


def test_a_drogue_that_hardly_pulls_hangs_at_its_true_angle():
    found = steady_flight(drogue_hose(airspeed=60.0))
    assert float(np.degrees(-found["angles"][0, -1])) == pytest.approx(38.53, abs=0.005)
    assert found["residual"] < 1e-9


def test_a_hose_without_steady_flight_is_rejected():
    still = drogue_hose(drogue=TowedDrogue(drag=0.0), airspeed=0.0, gravity=0.0)
    with pytest.raises(ConvergenceError, match=r"hose: no steady flight .* Check airspeed"):
        still.steady()
