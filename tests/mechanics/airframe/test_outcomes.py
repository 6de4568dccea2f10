"""Phases and fates read from made-up records of which the answer is known."""

import dataclasses

import jax
import numpy as np
import pytest
import xarray as xr

from dovetail.mechanics.airframe import DeckLimits, deck_outcome, phases
from dovetail.mechanics.geometry import Polygon
from dovetail.mechanics.motion import FixedFrame, TableMotion
from dovetail.mechanics.securing import Platform

DECK = Polygon(vertices=[[-5.0, 0.0], [5.0, 0.0], [5.0, -2.0], [-5.0, -2.0]])
T = np.arange(0.0, 20.0, 0.1)


@pytest.fixture(scope="module")
def craft(make):
    moved = TableMotion(
        times=[0.0, 8.0, 10.0, 1e3],
        values=[[0.0, 0.1, 0.0], [0.0, 0.1, 0.0], [1.0, 0.1, 0.0], [1.0, 0.1, 0.0]],
    )
    still = FixedFrame(mean_pose=[0.0, 0.0, 0.0])
    platforms = (
        Platform(body=DECK, motion=still, name="ship"),
        Platform(body=DECK, motion=moved, name="device", parent="ship"),
        Platform(body=DECK, motion=still, name="clamp", parent="device", role="clamp"),
    )
    return dataclasses.replace(make(2, initial_pose=[0.0, 0.8, 0.0]), platforms=platforms)


def record(craft, on_ship=(), on_device=(), clamped=(), x=0.0, height=0.5, roll=0.0):
    """Two feet with 250 N where a platform is touched, at a distance of 0.35 m from x."""
    pairs = np.zeros((len(T), 2, 3))
    for i, spans in enumerate((on_ship, on_device, clamped)):
        for a, b in spans:
            pairs[np.searchsorted(T, a) : np.searchsorted(T, b), :, i] = 250.0
    place = np.zeros((len(T), 2))
    place[:, 0], place[:, 1] = x, height
    nodes = np.repeat(place[:, None], craft.model.count, 1)
    nodes[:, list(craft.feet), 0] += [-0.35, 0.35]
    force = np.zeros((len(T), 2, 2))
    force[..., 1] = pairs.sum(-1)
    return xr.Dataset(
        {
            "pair_normal_force": (("time", "foot", "platform"), pairs),
            "contact_force": (("time", "foot", "axis"), force),
            "displacement": (("time", "axis"), place),
            "node_position": (("time", "node", "axis"), nodes),
            "attitude_angles": (("time", "turn"), np.broadcast_to(roll, T.shape)[:, None]),
        },
        {"time": T},
    )


def test_a_mission_is_divided_into_phases(craft):
    data = record(craft, on_device=[(4.0, 4.1), (4.2, 16.0)], clamped=[(6.0, 14.0)])
    found = phases(craft, data)
    names = [p.name for p in found]
    assert names == ["flight", "touchdown", "secured", "traverse", "secured", "released", "launch"]
    starts = [p.start for p in found]
    np.testing.assert_allclose(starts, [0.0, 4.0, 6.0, 8.0, 10.0, 14.0, 16.0], atol=0.15)
    assert found[3].clamp_load == 250.0


def test_an_aircraft_that_starts_on_deck_has_no_flight_phase(craft):
    assert [p.name for p in phases(craft, record(craft, on_device=[(0.1, 20.0)]))] == ["touchdown"]


def test_sliding_is_measured_relative_to_the_deck(craft):
    carried = np.where(T < 8, 0.0, np.where(T > 10, 1.0, (T - 8) / 2))
    with_it = np.asarray(jax.jit(jax.vmap(craft.platforms[1].motion.pose))(T))[:, 0]
    rides = deck_outcome(craft, record(craft, on_device=[(0.0, 20.0)], x=with_it))
    assert np.isnan(rides.slides)
    assert rides.slip < 1e-6
    assert rides.summary().startswith("held")
    slides = deck_outcome(craft, record(craft, on_ship=[(0.0, 20.0)], x=carried))
    assert slides.slides == pytest.approx(8.3, abs=0.15)
    assert slides.slip == pytest.approx(1.0, abs=1e-6)


def test_motion_caused_by_a_clamp_is_not_sliding(craft):
    carried = np.where(T < 8, 0.0, 0.5)
    held = deck_outcome(craft, record(craft, on_ship=[(0.0, 20.0)], clamped=[(5.0, 20.0)], x=carried))
    assert np.isnan(held.slides)


def test_toppling_overload_and_overboard_are_timed(craft):
    limited = dataclasses.replace(
        craft, limits=DeckLimits(clamp_strength=200.0, gear_strength=400.0, max_tilt=0.5)
    )
    roll = np.where(T > 12.0, 0.7, 0.1)
    height = np.where(T > 15.0, -1.0, 0.5)
    data = record(limited, on_ship=[(0.0, 20.0)], clamped=[(6.0, 9.0)], roll=roll, height=height)
    found = deck_outcome(limited, data)
    assert found.topples == pytest.approx(12.1)
    assert found.overloads == pytest.approx(6.0)
    assert found.breaks == pytest.approx(6.0)  # 500 N on a foot
    assert found.overboard == pytest.approx(15.1)
    assert "topples (40.1 deg) at 12.10 s" in found.summary()
