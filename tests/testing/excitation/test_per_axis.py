import numpy as np
import pytest

from dovetail.core.errors import ConnectionFault
from dovetail.testing.excitation import PerAxis, Sine, Step, Zero

THREE = PerAxis((Sine(1.0, 3.0), Zero(), Step(0.2)))


def test_each_axis_has_its_excitation():
    sized = THREE.with_sample_time(1e-3, (3,))
    np.testing.assert_allclose(sized(0.1), [np.sin(2 * np.pi * 0.3), 0.0, 0.2])
    np.testing.assert_allclose(sized.rate(0.1), [6 * np.pi * np.cos(2 * np.pi * 0.3), 0.0, 0.0])


def test_its_number_must_be_that_of_the_axes():
    with pytest.raises(ConnectionFault, match=r"PerAxis: has 3 excitations, .* shape \(2,\)"):
        THREE.with_sample_time(1e-3, (2,))
    with pytest.raises(ConnectionFault, match=r"give one excitation per axis"):
        THREE.with_sample_time(1e-3, ())
