"""What is drawn, before anybody draws it."""

import numpy as np

from dovetail.view.scene import arrow_ends, plain, rgb, segments
from dovetail.view.stage import Arrow


def test_names_with_markup_are_text():
    assert plain("<script>alert(1)</script>") == "&lt;script&gt;alert\\(1\\)&lt;/script&gt;"
    assert plain("[a](javascript:b) **c**") == "\\[a\\]\\(javascript:b\\) \\*\\*c\\*\\*"


def test_a_ghost_is_paler():
    assert rgb("#0072b2") == (0, 114, 178)
    assert rgb("#0072b2", ghost=True) == (127, 184, 216)


def test_a_polyline_is_its_pieces():
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]])
    assert segments(points).tolist() == [[[0, 0, 0], [1, 0, 0]], [[1, 0, 0], [1, 1, 0]]]


def test_an_arrow_is_as_long_as_its_force_and_never_without_length():
    arrow = Arrow("force", lambda k: np.zeros(3), lambda k: np.array([0.0, 0.0, 10.0 * k]), length=0.01)
    np.testing.assert_allclose(arrow_ends(arrow, 2)[0, 1], [0, 0, 0.2], rtol=1e-6)
    assert np.any(arrow_ends(arrow, 0)[0, 1])
