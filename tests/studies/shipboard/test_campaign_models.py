"""Models of the shipboard study for campaigns."""

import jax
import pytest

from dovetail.studies.shipboard.campaign_models import envelope_point


@pytest.mark.slow
def test_a_higher_sea_loads_the_device_more():
    low, high = (envelope_point(sea_state=state, duration=20.0)["securing_load"] for state in (3.0, 7.0))
    assert float(high) > float(low) >= 0


def test_each_measure_has_its_unit():
    given = jax.eval_shape(envelope_point, sea_state=3.0)
    assert set(envelope_point.measure_units) == set(given)
    assert envelope_point.measure_units["securing_load"] == "N"
