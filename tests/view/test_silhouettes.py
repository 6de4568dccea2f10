"""Signs for what has no shape of its own in a recording."""

import numpy as np
import pytest

from dovetail.view.silhouettes import aircraft, arrowhead, ball

X, Z = np.eye(3)[0], np.eye(3)[2]


def test_an_aircraft_is_as_long_as_it_is_told_and_symmetric():
    points = aircraft(10.0, X, Z)
    assert np.ptp(points[:, 0]) == pytest.approx(10.3)
    assert points[:, 1].max() == pytest.approx(-points[:, 1].min())
    assert points[:, 2].min() == 0.0


def test_turned_axes_turn_the_picture():
    turned = aircraft(1.0, np.array([0.0, 1.0, 0.0]), Z)
    np.testing.assert_allclose(turned[:, 1], aircraft(1.0, X, Z)[:, 0], atol=1e-12)


def test_a_device_points_forward():
    assert arrowhead(2.0, X, Z)[:, 0].max() == 2.0


def test_a_ball_has_its_radius_everywhere():
    np.testing.assert_allclose(np.linalg.norm(ball(0.3), axis=1), 0.3)
