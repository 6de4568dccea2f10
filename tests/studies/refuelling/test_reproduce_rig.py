"""How the validation rig's strikes are read, on made-up recordings; the strikes themselves are slow targets."""

import numpy as np
import pytest

from dovetail.studies.refuelling import reproduce_rig, validation


def made_up(offset):
    """Four runs that swing 0.2 m across and settle apart by `offset` [m] from run to run."""
    t = 1e-3 * np.arange(1, 1001)
    place = np.zeros((4, 1000, 3))
    place[..., 0] = 0.2 * np.sin(2 * np.pi * t) + offset * np.arange(4)[:, None]
    rest = np.zeros((4, 1000, 6))
    return validation.Strikes(t, place, place[..., :2], rest, rest, np.ones((4, 1000)))


def test_the_matrix_has_384_strikes():
    assert reproduce_rig.strike_count() == 384


@pytest.mark.parametrize(("offset", "expected"), [(1e-3, True), (0.0, False), (0.1, False)])
def test_settled_positions_differ_slightly(monkeypatch, offset, expected):
    monkeypatch.setattr(validation, "slow_case", lambda: made_up(offset))
    assert reproduce_rig.steady_offset() is expected


def test_robot_time_counts_contact_steps_with_probe_motion(monkeypatch):
    monkeypatch.setattr(validation, "slow_case", lambda: made_up(0.0))
    assert reproduce_rig.slow_wall_time() == pytest.approx(780 * 2 * 16 / 60)


def test_a_range_is_from_side_to_side(monkeypatch):
    monkeypatch.setattr(validation, "slow_case", lambda: made_up(0.0))
    assert reproduce_rig.motion_range()[0] == pytest.approx(400.0, rel=1e-4)


def test_sensitivity_is_that_to_ten_millimetres_and_to_one_degree(monkeypatch):
    asked = []

    def batch(angles, speed, drawn, funnel, duration):
        asked.append((np.degrees(float(angles[0])), 1e3 * float(drawn[0, 0])))
        size = 1.0 + 0.01 * (asked[-1][0] - 35.0) + 0.005 * asked[-1][1]
        place = np.zeros((1, 100, 3))
        place[0, :, 0] = size * np.sin(np.linspace(0, 6, 100))
        return {"drogue_position": place}

    monkeypatch.setattr(validation, "strike_batch", batch)
    assert reproduce_rig.sensitivity() == pytest.approx([0.05, 0.01])
    assert np.array(asked) == pytest.approx(np.array([[35.0, 0.0], [35.0, 10.0], [36.0, 0.0]]))
