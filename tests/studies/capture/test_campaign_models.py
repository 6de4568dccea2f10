"""Models of the capture study for campaigns."""

import pytest

from dovetail.studies.capture.campaign_models import ropes


@pytest.mark.slow
def test_a_longer_rope_is_heavier_and_every_measure_is_finite():
    points = [
        {"rope": "uhmwpe-24", "length": length, "duration": 1.0, "links": 4} for length in (150.0, 300.0)
    ]
    found = ropes(points)
    assert found["mass"][1] == 2 * found["mass"][0]
    assert found["safety_factor"][0] == 550e3 / 125e3
    assert all(len(values) == 2 and (values == values).all() for values in found.values())
