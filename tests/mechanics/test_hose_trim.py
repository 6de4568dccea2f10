"""Steady flight with the published numbers; expected values are an independent implementation's."""

import dataclasses

import equinox as eqx
import numpy as np
import pytest

from dovetail.mechanics.hose import Hose
from dovetail.mechanics.hose_air import UniformAir
from dovetail.mechanics.hose_trim import hose_modes, trim_report

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
