"""Drag of equivalent flat plates."""

import numpy as np
import pytest

from dovetail.air import FlatPlates, SteadyWind, WindDrag
from dovetail.mechanics.bodies.loads import BodyMotion
from dovetail.mechanics.spatial import euler

PLATES = FlatPlates(area=(2.0, 2.0, 2.0), centre=(0.0, -0.5, 0.0))
REST = np.zeros(3)


def test_the_force_is_the_published_balance():
    got = PLATES.wrench(np.array([0.3262, 0.0, 0.0]), REST, np.array([3.0, 0.0, 0.0]))
    assert float(got.f[0]) == pytest.approx(8.7578, abs=2e-3)  # [N] case 6.1: printed with a rounded speed
    np.testing.assert_allclose(got.tau, [0.0, 0.0, 0.5 * float(got.f[0])])


def test_the_wind_on_a_turning_body_opposes_the_centre_of_pressure():
    got = PLATES.wrench(REST, np.array([0.0, 0.0, 1.0]), REST)
    # the centre moves along +x at 0.5 m/s: drag along -x, and its moment against the turning
    assert float(got.f[0]) == pytest.approx(-0.5 * 1.225 * 2.0 * 0.25)
    assert float(got.tau[2]) < 0


def test_drag_dissipates_energy_for_any_motion():
    rng = np.random.default_rng(0)
    for velocity, turning in rng.normal(size=(20, 2, 3)):
        got = PLATES.wrench(velocity, turning, REST)
        assert float(got.f @ velocity + got.tau @ turning) <= 0


def test_airframe_drag_uses_the_wind_in_body_axes():
    motion = BodyMotion(euler.to_matrix(np.array([0.0, 0.0, np.pi / 2])), np.zeros(3), REST, REST, REST)
    force, moment = WindDrag(FlatPlates(area=(1.0, 2.0, 3.0)), SteadyWind(wind=(0.0, 3.0, 0.0))).act(
        0.0, motion
    )
    # turned to port, the cross-wind comes from behind
    np.testing.assert_allclose(force, [0.5 * 1.225 * 9.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(moment, 0.0, atol=1e-12)
