"""Responses: long waves carry the ship, headings mirror, speed shifts the frequency."""

import equinox as eqx
import numpy as np
import pytest

from dovetail.core.errors import OutputError, ParameterError
from dovetail.sea import BoxShip, TabulatedResponse, WaveFollower, encounter_omega

W = np.linspace(0.3, 1.5, 13)


operators = eqx.filter_jit(lambda ship, w, heading, speed: ship.operators(w, heading, speed))


def at(ship, heading, speed=0.0, w=W):
    return np.asarray(operators(ship, w, np.full_like(w, heading), np.asarray(speed)))


@pytest.mark.parametrize("heading", [0.0, 1.0, np.pi / 2, 2.5, np.pi])
def test_in_long_waves_every_ship_follows_the_surface(heading):
    w = np.array([0.02])  # 150 km: nothing but the surface
    ship, raft = at(BoxShip(), heading, w=w), at(WaveFollower(), heading, w=w)
    np.testing.assert_allclose(ship, raft, atol=2e-3 * np.abs(raft).max())
    np.testing.assert_allclose(
        ship[3:5], raft[3:5], atol=1e-2 * np.abs(raft[3:5]).max()
    )  # roll damping: 0.6 %


def test_a_raft_follows_the_surface():
    k, beta = W**2 / 9.81, 0.7
    surge, sway, heave, roll, pitch, yaw = at(WaveFollower(), beta)
    # slope along x is -i k cos(beta); bow up is a negative pitch
    np.testing.assert_allclose(pitch, 1j * k * np.cos(beta))
    np.testing.assert_allclose(roll, -1j * k * np.sin(beta))
    np.testing.assert_allclose([heave, yaw], [np.ones(13), np.zeros(13)])
    # water turns in circles: horizontal as large as vertical, a quarter turn apart
    np.testing.assert_allclose(abs(surge) ** 2 + abs(sway) ** 2, 1.0)


def test_waves_from_the_other_side_mirror_the_response():
    for ship in (WaveFollower(), BoxShip()):
        port, starboard = at(ship, 2.0, 8.0), at(ship, -2.0, 8.0)
        np.testing.assert_allclose(starboard, port * np.array([1, -1, 1, -1, 1, -1])[:, None], atol=1e-12)


def test_short_waves_do_not_move_a_ship_and_roll_is_largest_at_its_period():
    assert np.abs(at(BoxShip(), np.pi, w=np.array([3.0]))).max() < 0.02
    w = np.linspace(0.3, 1.2, 181)
    roll = np.abs(at(BoxShip(), np.pi / 2, w=w)[3]) / (w**2 / 9.81)
    assert w[np.argmax(roll)] == pytest.approx(2 * np.pi / 10, rel=0.05)


def test_encounter_frequency_is_higher_in_head_seas_and_lower_in_following_seas():
    assert float(encounter_omega(0.8, np.pi, 10.0)) == pytest.approx(0.8 + 0.64 / 9.81 * 10)
    assert float(encounter_omega(0.8, 0.0, 10.0)) == pytest.approx(0.8 - 0.64 / 9.81 * 10)
    assert np.all(np.isfinite(at(BoxShip(), 0.0, 9.81 / 0.8, w=np.array([0.8]))))  # where it rides the wave


def test_a_table_reproduces_its_ship_and_mirrors_to_starboard(tmp_path):
    ship, heading = BoxShip(), np.linspace(0, np.pi, 13)
    H = np.stack([at(ship, b) for b in heading], -1)
    np.savez(tmp_path / "rao.npz", omega=W, heading=heading, amplitude=np.abs(H), phase=np.angle(H))
    table = TabulatedResponse(file=str(tmp_path / "rao.npz"))
    for b in (heading[4], -heading[4]):
        np.testing.assert_allclose(at(table, b), at(ship, b), atol=1e-9)
    assert np.abs(at(table, 1.0, w=np.array([5.0]))).max() == 0.0


def test_files_without_response_operators_are_reported(tmp_path):
    with pytest.raises(OutputError, match="expected an .npz file"):
        TabulatedResponse(file=str(tmp_path / "none.npz"))
    np.savez(tmp_path / "half.npz", omega=W)
    with pytest.raises(ParameterError, match="heading, amplitude, phase missing"):
        TabulatedResponse(file=str(tmp_path / "half.npz"))
    with pytest.raises(ParameterError, match=r"expected \(6, 2, 1\)"):
        TabulatedResponse(omega=[1.0, 2.0], heading=[0.0], real=np.zeros((6, 3, 1)), imaginary=np.zeros(1))
