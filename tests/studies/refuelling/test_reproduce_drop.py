"""The drop test's targets are quick; those that need the hose or the rig are slow and judged in `test_reproduce`."""

import pytest

from dovetail.studies.refuelling import reproduce_drop


def test_the_drop_has_the_published_values():
    assert reproduce_drop.drop_impact() == pytest.approx([0.1716, 1.573, 8.04], rel=1e-3)
    assert reproduce_drop.drop_contacts() == 4
    assert reproduce_drop.peak_squeeze() == pytest.approx(0.9, abs=0.03)
    assert 90.0 / 1.6 < reproduce_drop.drop_wall_time() < 90.0 * 1.6


def test_slow_and_full_speed_drops_are_in_the_published_order():
    assert reproduce_drop.drop_order() == [True, True, True]
    assert reproduce_drop.drop_before() < 1e-4


def test_drag_is_found_in_a_noisy_fall():
    assert reproduce_drop.drag_found() == pytest.approx(5.18, rel=0.05)
