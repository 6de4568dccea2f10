"""Picture of a live chart: a limit is drawn when the signal comes near it."""

import numpy as np
import pytest

from dovetail.app.explore_result import Trace
from dovetail.studio.live import _picture as picture


def trace(peak):
    t = np.linspace(0.0, 10.0, 50)
    return {"displacement": Trace("demand", "m", t, peak * np.sin(t))}


@pytest.mark.parametrize(("peak", "drawn"), [(2e-3, False), (8e-3, True), (12e-3, True)])
def test_the_limit_is_drawn_from_half_of_it_and_is_always_in_the_picture(peak, drawn):
    shown = picture(trace(peak), 10e-3, "displacement", 50)
    assert shown["yname"] == "displacement (mm)"
    assert np.nanmax(np.abs(shown["lines"][0]["y"])) == pytest.approx(1e3 * peak, rel=0.01)
    assert ("marks" in shown) == drawn
    if drawn:
        low, high = shown["y"]
        assert [mark["y"] for mark in shown["marks"]] == pytest.approx([10.0, -10.0])
        assert low < -max(10.0, 1e3 * peak)
        assert high > max(10.0, 1e3 * peak)
