"""Stability map: growth rate of every point, and the present point."""

import numpy as np

from dovetail.app.stability_map import compute_map

DELAY, DAMPING = "rig.actuator.delay", "numerical.c"


def test_map_rows_are_computed_one_by_one_and_equal_the_assessment(explorer):
    maps = list(compute_map(explorer, DELAY, DAMPING, {DELAY: 5e-3}, size=4))
    assert [one.done for one in maps] == [1, 2, 3, 4]
    last = maps[-1]
    assert last.present == (5e-3, 15.0)
    assert np.isnan(maps[0].growth[1:]).all()
    assert np.isfinite(last.growth).all()
    for i, j in ((1, 1), (2, 3)):
        point = explorer.compute({DELAY: last.across[j], DAMPING: last.up[i]})
        assert point.growth == np.float64(last.growth[i, j]) or np.isclose(
            point.growth, last.growth[i, j], rtol=1e-9
        )
    assert last.growth[0, -1] > 0  # no damping, the longest delay
    assert last.growth[-1, 0] < 0


def test_a_map_covers_the_given_ranges(explorer):
    (first, *_) = compute_map(explorer, DELAY, DAMPING, {}, size=3, ranges={DELAY: (1e-3, 5e-3)})
    np.testing.assert_allclose(first.across, [1e-3, 3e-3, 5e-3])
    assert first.up[-1] == explorer.slider_ranges[DAMPING].high


def test_a_map_without_result_states_the_reason(explorer):
    (only,) = compute_map(explorer, DELAY, "substeps", {DAMPING: -1.0}, size=2)
    assert only.done == 0
    assert "numerical.c" in only.fault
