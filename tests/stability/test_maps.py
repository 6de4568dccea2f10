"""Stability maps over two parameters."""

import numpy as np
import pytest

from dovetail.stability import maps, single_interface

from .systems import K, one_mass, three_mass, with_memory

SECOND = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0]) * 1e-3  # s
MODERATE = np.array([4.939, 4.476, 4.004, 3.524, 3.037, 2.541, 2.037, 1.004, 0.0]) * 1e-3
HIGH = np.array([6.203, 5.819, 5.415, 4.993, 4.551, 4.092, 3.613, 2.597, 1.491]) * 1e-3


@pytest.mark.parametrize(("k", "c", "expected"), [(4750.0, 6.0, MODERATE), (9000.0, 15.0, HIGH)])
def test_r39_limit_of_one_delay_given_the_other(k, c, expected):
    found = maps.unequal_delays(lambda a, b: three_mass(a, b, k, c), SECOND, up_to=8e-3)
    assert found.first == pytest.approx(expected, rel=0.01)  # asked for
    assert found.first == pytest.approx(expected, abs=6e-7)  # reached: the table's last digit


def test_a_map_without_a_limit_states_it():
    found = maps.unequal_delays(lambda a, b: three_mass(a, b, c=200.0), [0.0, 1e-3], up_to=5e-3)
    assert np.isinf(found.first).all()
    assert np.isnan(found.omega).all()
    assert "none up to 5" in str(found)
    lost = maps.unequal_delays(three_mass, [5e-3], up_to=5e-3)
    assert "unstable" in str(lost)


def test_specimen_memory_is_not_an_instability():
    found = maps.unequal_delays(lambda a, b: with_memory(three_mass(a, b)), SECOND[:3], up_to=8e-3)
    assert found.first == pytest.approx(MODERATE[:3], abs=6e-7)


def test_a_grid_of_growth_changes_sign_across_the_limit():
    grid = maps.stability_grid(three_mass, [0.9 * 4.004e-3, 1.1 * 4.004e-3], [1e-3])
    assert grid.shape == (2, 1)
    assert grid[0, 0] < 0 < grid[1, 0]


def test_three_methods_give_the_same_map():
    c, k_s = np.array([5.0, 15.0, 110.0]), np.array([300.0, 2000.0, 2250.0])
    pencil = maps.critical_delay_map(lambda c, k_s: one_mass(1e-3, c=c, k_s=k_s), c, k_s)
    loop = maps.loop_delay_map(lambda c, k_s: [k_s], lambda c, k_s: [2.2, c, K], c[:, None], k_s)
    closed = np.asarray(single_interface.critical_delay(m=2.2, c=c[:, None], k=K, k_s=k_s))
    assert np.array_equal(np.isinf(pencil), np.isinf(closed))
    assert np.array_equal(np.isinf(loop), np.isinf(closed))
    finite = np.isfinite(closed)
    assert pencil[finite] == pytest.approx(closed[finite], rel=1e-9)
    assert loop[finite] == pytest.approx(closed[finite], rel=1e-9)
