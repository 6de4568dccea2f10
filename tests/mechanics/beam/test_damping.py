import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.beam import rayleigh


def test_a_lower_frequency_of_zero_leaves_stiffness_damping_only():
    assert rayleigh(0.0, 0.15, 6.5e5, 0.15) == (0.0, pytest.approx(4.6154e-7, rel=1e-4))  # RT-41


def test_both_ratios_are_met():
    a0, a1 = rayleigh(10.0, 0.02, 200.0, 0.05)
    for w, xi in ((10.0, 0.02), (200.0, 0.05)):
        assert a0 / (2 * w) + a1 * w / 2 == pytest.approx(xi)


def test_frequencies_in_the_wrong_order_are_rejected():
    with pytest.raises(ParameterError, match="w2 above w1"):
        rayleigh(10.0, 0.1, 5.0, 0.1)
