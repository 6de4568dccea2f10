"""Steady flight with the published numbers; expected values are an independent implementation's."""

import dataclasses

import equinox as eqx
import numpy as np
import pytest
from scipy.optimize import root

from dovetail.core.errors import ConvergenceError
from dovetail.mechanics.hose import Hose
from dovetail.mechanics.hose_air import UniformAir
from dovetail.mechanics.hose_trim import hose_modes, trim_angles, trim_report

BARE = Hose(modulus=0.0, joint_friction=0.0, aero_moment=0.0)
report = eqx.filter_jit(trim_report)


@pytest.fixture(scope="module")
def trimmed():
    return report(BARE, UniformAir())


def test_nothing_moves_in_trim(trimmed):
    assert trimmed["residual"] < 1e-10
    assert report(Hose(), UniformAir())["residual"] < 1e-9  # with bending


def test_hose_end_tension_is_the_published_one_within_three_per_cent(trimmed):
    assert trimmed["tension"][-1] == pytest.approx(2500.0, rel=0.03)
    np.testing.assert_allclose(trimmed["tension"][-2:], [2479.2, 2457.9], atol=0.06)


def test_tow_tension_and_places(trimmed):
    assert trimmed["tension"][0] == pytest.approx(3263.7, abs=0.05)
    np.testing.assert_allclose(trimmed["ball_joint"], [-47.524, 0.0, 6.051], atol=5e-4)
    np.testing.assert_allclose(trimmed["centre"], [-47.823, 0.0, 6.072], atol=1e-3)
    shape = np.degrees(trimmed["angles"][0])[[0, 4, 9, 14, 18, 19]]
    np.testing.assert_allclose(shape, [15.48, 14.61, 12.74, 9.43, 5.36, 4.10], atol=6e-3)


def test_a_wave_takes_a_second_along_the_hose(trimmed):
    assert trimmed["wave_time"] == pytest.approx(1.024, abs=1e-3)
    assert trimmed["wave_speed"][0] == pytest.approx(28.3, abs=0.06)
    assert trimmed["wave_speed"][-1] == pytest.approx(24.6, abs=0.06)


def test_planar_modes():
    found = hose_modes(Hose(), UniformAir())
    np.testing.assert_allclose(found.frequencies[:7], [0.28, 0.65, 1.08, 1.52, 1.97, 2.41, 2.84], atol=0.006)
    np.testing.assert_allclose(found.damping[:3], [0.09, 0.04, 0.02], atol=0.005)
    assert found.stable


def test_a_moment_about_the_wind_tilts_the_drogue_into_it(trimmed):
    windward = report(dataclasses.replace(Hose(), aero_zero="wind"), UniformAir())
    assert 0 < windward["angles"][0, -1] < trimmed["angles"][0, -1]


def equilibrium(airspeed, density, hose):
    """Angles below the horizontal of a planar hose at rest, by moments about each joint; scipy solves."""
    names = (
        "length",
        "specific_mass",
        "diameter",
        "inner_diameter",
        "modulus",
        "tangential_drag",
        "normal_drag",
    )
    names += ("drogue_mass", "canopy_diameter", "drogue_drag", "aero_moment", "gravity")
    L, rho_l, d, d_i, E, c_t, c_n, m_d, D, c_d, k, g = (float(getattr(hose, name)) for name in names)
    l, ei = L / hose.links, E * np.pi / 64 * (d**4 - d_i**4)
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
        lengths = np.append(np.full(hose.links, l), float(hose.drogue_link))
        turning = lengths * (Z * np.cos(a) - X * np.sin(a))  # raises the angle
        theta = np.diff(hose_a) / 2
        bend = (
            2 * ei / l * np.tan(theta) / np.cos(theta)
        )  # by an energy of 4 EI/l (1/cos - 1) at each inner joint
        turning[:-2] += bend
        turning[1:-1] -= bend
        turning[-1] -= k * (a[-1] - free)
        return turning

    found = root(moments, np.full(hose.links + 1, free), tol=1e-12)
    assert found.success
    return found.x


def test_random_hoses_hang_as_scipy_has_them():
    rng = np.random.default_rng(6)
    for i in range(12):
        u = rng.uniform(size=7)
        hose = Hose(
            drogue_mass=10 ** (0.7 + u[0]),
            canopy_diameter=10 ** (-1.2 + u[1]),
            modulus=10 ** (5 + 2.5 * u[2]),
            aero_moment=10 ** (2.6 * u[3]),
            length=10 + 30 * u[4],
        )
        airspeed, density = (60.0, 0.525) if i == 0 else (10 ** (1.1 + 1.2 * u[5]), 0.3 + 0.9 * u[6])
        angles = trim_angles(hose, UniformAir(airspeed=airspeed, density=density))
        np.testing.assert_allclose(angles[0], equilibrium(airspeed, density, hose), atol=1e-7)
        np.testing.assert_allclose(angles[1], 0.0, atol=1e-12)


def test_a_drogue_that_hardly_pulls_hangs_at_its_true_angle():
    found = report(Hose(), UniformAir(airspeed=60.0))
    assert float(np.degrees(found["angles"][0, -1])) == pytest.approx(38.53, abs=0.005)
    assert found["residual"] < 1e-9


def test_what_has_no_steady_flight_is_refused():
    with pytest.raises(ConvergenceError, match=r"hose: no steady flight found .* Do: check airspeed"):
        trim_angles(Hose(gravity=0.0, drogue_drag=0.0), UniformAir(airspeed=0.0))
