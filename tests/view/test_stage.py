"""What is to be seen, without a browser."""

import numpy as np
import pytest

from dovetail.view.stage import Line, framed


@pytest.mark.parametrize(("up", "axis", "sign"), [("+z", 2, 1), ("-z", 2, -1), ("-y", 1, -1)])
def test_the_eye_is_above_what_it_looks_at(up, axis, sign):
    line = Line("a", lambda k: np.array([[0.0, 0, 0], [1.0, 2.0, 3.0]]))
    eye, target = framed([line], 3, up)
    assert sign * (eye[axis] - target[axis]) > 0
