"""Numbers sent to a canvas."""

import json

import numpy as np

from dovetail.studio.chart import line, rounded


def test_numbers_are_shortened_for_the_picture_and_gaps_kept():
    random = np.random.default_rng(3)
    for scale in (1e-12, 1e-3, 1.0, 1e9):
        values = scale * random.standard_normal(500)
        values[7] = np.nan
        told = rounded(values)
        assert told[7] is None
        finite = np.array([np.nan if value is None else value for value in told])
        assert np.nanmax(np.abs(finite - values)) <= 1e-4 * np.nanmax(
            np.abs(values)
        )  # a tenth of a pixel of a thousand
        assert len(json.dumps(told)) < 25 * len(told)


def test_a_line_has_what_the_canvas_draws():
    drawn = line([0, 1], [0.5, np.inf], "demand", "response", dash=[5, 4])
    assert drawn == {
        "x": [0.0, 1.0],
        "y": [0.5, None],
        "colour": "demand",
        "name": "response",
        "dash": [5, 4],
    }
