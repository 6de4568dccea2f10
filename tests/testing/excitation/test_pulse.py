import numpy as np
import pytest

from dovetail.testing.excitation import Pulse

t = np.linspace(0.0, 2.0, 20_001)


@pytest.mark.parametrize(("form", "mean"), [("half-sine", 2 / np.pi), ("rectangular", 1.0)])
def test_its_area_is_that_of_its_form(form, mean):
    area = np.sum(Pulse(3.0, 0.5, 0.25, form)(t)) * (t[1] - t[0])
    assert area == pytest.approx(3.0 * 0.5 * mean, rel=1e-3)  # one sample more or less: 2e-4


@pytest.mark.parametrize("form", ["half-sine", "rectangular"])
def test_it_is_over_when_it_is_over(form):
    value = np.asarray(Pulse(3.0, 0.5, 0.25, form)(t))
    np.testing.assert_array_equal(value[(t < 0.25) | (t > 0.75)], 0.0)
    assert value.max() == pytest.approx(3.0)
