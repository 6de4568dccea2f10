import numpy as np
import pytest

from dovetail.core.errors import AnalysisError
from dovetail.transfer import InnerLoop, Proportional, TransferFunction
from dovetail.transfer.closed_loop import ClosedLoop

PLANT = TransferFunction([1000.0], [1.0, 15.0, 50.0, 0.0])  # stable below a gain of 0.75, by Routh


def test_poles_are_sorted_and_equal_those_of_the_linear_model():
    loop = InnerLoop(Proportional(0.5), PLANT)
    poles = loop.poles()
    assert isinstance(loop, ClosedLoop)
    assert np.all(np.diff(np.abs(poles)) >= -1e-9 * np.abs(poles[-1]))
    np.testing.assert_allclose(
        np.polyval(np.asarray(loop.closed_loop().denominator), poles), 0.0, atol=1e-9 * 1e3
    )


def test_an_unstable_loop_is_rejected_by_class_name():
    with pytest.raises(AnalysisError, match=r"InnerLoop: axis 0 is unstable, with a pole at .* rad/s; "):
        InnerLoop(Proportional(1.0), PLANT).with_sample_time(1e-3)


def test_a_stable_one_is_stepped_as_its_closed_loop():
    loop = InnerLoop(Proportional(0.5), PLANT).with_sample_time(1e-3)
    closed = loop.closed_loop().with_sample_time(1e-3)
    x, y = loop.init(), closed.init()
    for k in range(3):
        x, given = loop.step(k * 1e-3, 1e-3, x, 1.0)
        y, judge = closed.step(k * 1e-3, 1e-3, y, 1.0)
    np.testing.assert_array_equal(given, judge)
