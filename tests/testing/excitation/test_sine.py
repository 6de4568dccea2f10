import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.testing.excitation import Sine, SumOfSines

t = np.linspace(0.0, 2.0, 50)


def test_amplitude_frequency_phase_and_offset_equal_the_parameters():
    np.testing.assert_allclose(Sine(0.5, 3.0, 0.2, 0.1)(t), 0.5 * np.sin(6 * np.pi * t + 0.2) + 0.1)


def test_a_compound_sine_is_the_sum_of_its_sines():
    both = SumOfSines([0.5, 0.2], [3.0, 7.0], [0.1, 0.2])
    apart = Sine(0.5, 3.0, 0.1)(t) + Sine(0.2, 7.0, 0.2)(t)
    np.testing.assert_allclose(both(t), apart, atol=1e-14)


def test_lists_of_unequal_length_are_rejected():
    with pytest.raises(ParameterError, match=r"\(2,\) amplitudes, \(1,\) frequencies and \(\) phases"):
        SumOfSines([0.5, 0.2], [3.0])
