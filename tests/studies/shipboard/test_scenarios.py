"""What the study's cases show beside their numbers: what pushes, holds, carries and lets go, and when."""

import numpy as np
import pytest

from dovetail.mechanics.airframe.outcomes import phases
from dovetail.studies.shipboard.assembly import aircraft, run
from dovetail.studies.shipboard.reproduce_contact import (
    DEVICE,
    FACE,
    LEFT,
    RIGHT,
    _slip,
    distances,
)

WEIGHT = 492.84  # [N]
SHIP = 0


@pytest.mark.slow
def test_clamps_that_move_outwards_hold_both_skids():
    data = run("case-7")
    t, pairs = data.time.values, data["pair_normal_force"].values
    before, after = t < 0.99, t > 2.0
    assert np.all(pairs[before][:, :, [LEFT, RIGHT]] == 0)
    assert np.all(pairs[after][:, 0, LEFT] > 10.0)
    assert np.all(pairs[after][:, 1, RIGHT] > 10.0)
    assert np.all(pairs[after][:, 0, RIGHT] == 0)  # each its own
    force = data["contact_force"].values[after].sum(1)
    np.testing.assert_allclose(force.mean(0), [0.0, WEIGHT], atol=0.5)
    apart = distances(data)
    assert np.all(np.ptp(apart[after], axis=0) < 1e-4)
    assert np.ptp(apart[:, 1]) > 0.1  # the clamp has come from afar


@pytest.mark.slow
def test_a_pushed_aircraft_is_pressed_by_the_face_and_rubs_on_the_ship():
    data = run("case-5-push")
    t, pairs = data.time.values, data["pair_normal_force"].values
    pushed = (t > 4.0) & (t < 8.5)
    assert np.all(pairs[t < 2.0][:, 0, DEVICE] == 0)
    pressed = pairs[pushed][:, 0, DEVICE].mean()
    assert pressed == pytest.approx(0.4 * WEIGHT, rel=0.1)  # what friction takes of it on the ship, sliding
    assert pairs[pushed][:, :, SHIP].sum(1).mean() == pytest.approx(
        WEIGHT, rel=0.1
    )  # the face may carry some
    face = data["platform_position"].values[:, DEVICE, 0] + FACE
    assert np.all(data["node_position"].values[pushed, 0, 0] > face[pushed])


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.1, 0.3])
def test_a_coulomb_slider_slips_where_the_slope_is_its_coefficient(mu):
    slider = tuple((f"numerical.friction.{name}", mu) for name in ("mu_kinetic", "mu_static"))
    angle, _ = _slip("case-5-slip-coulomb", (*slider, ("duration", 10.0 + round(mu / 0.015))))
    assert angle == pytest.approx(-np.arctan(mu), abs=3e-3)


@pytest.mark.slow
def test_a_mission_flies_lands_is_secured_powered_down_carried_powered_up_released_and_departs():
    data = run("case-8")
    found = phases(aircraft("case-8"), data)
    names = [phase.name for phase in found]
    order = ["flight", "touchdown", "secured", "traverse", "secured", "launch"]
    places, k = [], 0
    for name in order:
        k = names.index(name, k)
        places.append(found[k])
    t, thrust = data.time.values, data["air_wrench"].values[:, 1]
    clamps = data["pair_normal_force"].values[:, :, [LEFT, RIGHT]].max((1, 2))
    assert np.all(clamps[(t > 8.0) & (t < 41.9)] > 1.0)
    assert np.all(clamps[t > 43.0] == 0)  # let go
    assert 41.5 < places[-1].start < 43.5
    carried = (t > places[3].start) & (t < places[3].end)
    assert np.abs(thrust[carried & (t < 31.0)]).max() < 5.0  # the rotor stands
    assert thrust[(t > 41.5) & (t < 42.0)].mean() > 300.0  # and turns again before it is let go
    device = data["platform_position"].values[:, DEVICE, 0]
    moved = data["displacement"].values[:, 0] - device
    assert np.ptp(device[carried]) > 0.5
    assert np.ptp(moved[carried]) < 0.15  # it goes where it is carried, but for the roll of the ship
    assert data["displacement"].values[-1, 1] > 3.0
