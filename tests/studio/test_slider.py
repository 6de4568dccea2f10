"""Slider value as text."""

import pytest

from dovetail.studio.slider import value_text


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [(0.0065, "s", "6.5 ms"), (2250.0, "N/m", "2.25 kN/m"), (0.5, "", "0.5"), (0.0, "s", "0 s")],
)
def test_a_value_is_formatted_as_typed(value, unit, words):
    assert value_text(value, unit) == words
