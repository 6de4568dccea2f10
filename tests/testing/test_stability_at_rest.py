"""Linear result at rest: delays add up, and the margin is what remains of the critical delay."""

import pytest

from dovetail.testing.stability_at_rest import stability_at_rest


def test_the_margin_is_the_critical_delay_less_the_loop_delay(make_cs1):
    result = stability_at_rest(make_cs1(delay=3e-3))
    assert result.loop_delay == pytest.approx(3.5e-3)  # with half a tick of force hold
    assert result.margin == pytest.approx(result.critical_delay - result.loop_delay, abs=1e-5)
    assert result.stable
