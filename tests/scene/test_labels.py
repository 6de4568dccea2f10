"""Placement of labels."""

import numpy as np
import pytest

from dovetail.scene.labels import beyond_tip, free_top, round_below


@pytest.mark.parametrize(
    ("length", "found"), [(1.0, 1.0), (0.0199, 0.01), (4.99, 2.0), (7.3e3, 5e3), (2.0, 2.0)]
)
def test_a_bar_has_a_round_length(length, found):
    assert round_below(length) == pytest.approx(found, rel=1e-12)


def test_a_text_moves_only_as_far_as_it_must():
    taken = []
    assert free_top((10.0, 50.0, 80.0, 14.0), taken, 300.0) == 50.0
    assert free_top((200.0, 50.0, 80.0, 14.0), taken, 300.0) == 50.0  # beside the first
    moved = free_top((20.0, 52.0, 80.0, 14.0), taken, 300.0)
    assert abs(moved - 50.0) >= 14.0
    assert abs(moved - 52.0) < 3 * 14.0
    assert len(taken) == 3


def test_without_free_space_a_label_is_not_moved():
    taken = [(0.0, float(y), 500.0, 14.0) for y in range(0, 300, 10)]
    assert free_top((10.0, 50.0, 80.0, 14.0), taken, 300.0) == 50.0


def test_a_round_length_is_never_longer():
    lengths = np.geomspace(1e-6, 1e6, 200)
    assert all(0.39 * x < round_below(x) <= x * (1 + 1e-9) for x in lengths)


@pytest.mark.parametrize("way", [(1, 0), (-1, 0), (0, 1), (0, -1), (3, -2), (-1, 5)])
@pytest.mark.parametrize("middle", [100.0, 300.0])
def test_the_label_of_an_arrow_does_not_cover_it(way, middle):
    start, tip = np.array([200.0, 150.0]), np.array([200.0, 150.0]) + 10 * np.array(way)
    left, top = beyond_tip(np.stack([start, tip]), 120.0, 20.0, middle)
    for point in np.linspace(start, tip, 9):
        assert not (left < point[0] < left + 120 and top < point[1] < top + 20)
    away = np.array([left + 60, top + 10]) - tip
    if abs(way[0]) > abs(way[1]):
        np.testing.assert_allclose(away / np.linalg.norm(away), np.array(way) / np.linalg.norm(way))
    else:
        assert np.sign(away[0]) == np.sign(tip[0] - middle)
