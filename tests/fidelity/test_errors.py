import math

import numpy as np
import pytest

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.fidelity import errors, local_error, norms, proposition_1


def test_the_global_error_is_the_sum_of_the_two(make):
    run, ideal = make.cs1_steady(delay=6e-3), make.cs1_steady(delay=0.0)
    found = errors(run, ideal)
    np.testing.assert_allclose(found.e, found.e1 + found.e2, atol=1e-18)  # rounding of 1 cm in float64
    assert float(abs(found.e1).max()) > 1e-4  # and neither part is trivially zero
    assert float(abs(found.e2).max()) > 1e-4


def test_errors_carry_unit_and_symbol(make):
    run = make.cs1_steady(delay=6e-3)
    found = errors(run, make.cs1_steady(delay=0.0))
    assert found.e1.attrs == {
        "units": "m",
        "symbol": "e_1",
        "long_name": "response error: reference minus demand",
    }
    assert local_error(run).attrs["symbol"] == "e_2"


# frequency [Hz], delay [s], rms(e2)/rms(z) = 2 |sin(pi f tau)|, printed to three or four figures
@pytest.mark.parametrize(
    ("frequency", "delay", "expected"),
    [
        (3.0, 6.77e-3, 0.1275),
        (3.0, 1.335e-3, 0.0252),
        (4.5, 9.4e-3, 0.265),
        (2.0, 2.5e-3, 0.0314),
        (8.0, 3.3e-3, 0.166),
    ],
)
def test_a_pure_delay_of_a_sine_has_the_known_local_error(make, frequency, delay, expected):
    run = make.delayed_sine(frequency=frequency, delay=delay, duration=2.0)  # whole cycles
    got = float(norms(run, run)["rms"].sel(error="e2"))
    assert got == pytest.approx(2 * abs(math.sin(math.pi * frequency * delay)), rel=1e-12)
    assert got == pytest.approx(
        expected, abs=0.6 * 10 ** -len(str(expected).split(".")[1])
    )  # last printed digit


def test_norms_are_relative_to_the_rms_of_the_reference(make):
    ideal = make.delayed_sine(amplitude=0.01, duration=2.0)
    run = make.delayed_sine(amplitude=0.008, duration=2.0)
    found = norms(run, ideal)
    assert float(found["rms"].sel(error="e1")) == pytest.approx(0.2)
    assert float(found["peak"].sel(error="e1")) == pytest.approx(
        0.2 * math.sqrt(2), rel=1e-3
    )  # peak between samples
    assert float(found["scale"]) == pytest.approx(0.01 / math.sqrt(2))


def test_several_axes_have_their_own_norms(make):
    t = np.arange(1000) / 1000
    z = np.stack([np.sin(2 * np.pi * 3 * t), np.sin(2 * np.pi * 5 * t)], axis=1)
    ideal = make.recording(t, displacement=z)
    run = make.recording(t, displacement=z, measured_displacement=z * [0.9, 1.0])
    np.testing.assert_allclose(norms(run, ideal)["rms"].sel(error="e2"), [0.1, 0.0], atol=1e-14)


def test_without_local_error_there_is_no_numerical_error(make):
    ideal = make.cs1_steady(delay=0.0)
    found = proposition_1(make.cs1_steady(delay=0.0), ideal, integration_error=1e-12)
    assert found.holds
    assert "holds" in str(found)


def test_a_numerical_error_without_a_local_one_breaks_the_proposition(make):
    ideal, run = make.cs1_steady(delay=0.0), make.cs1_steady(delay=6e-3)
    run["measured_displacement"] = run["displacement"]  # as if the force came late, not the motion
    found = proposition_1(run, ideal, integration_error=1e-3)
    assert found.holds is False
    assert found.rms_e1 > 0.05


def test_with_a_tracking_error_the_proposition_does_not_apply(make):
    found = proposition_1(make.cs1_steady(delay=6e-3), make.cs1_steady(delay=0.0), integration_error=1e-3)
    assert found.holds is None
    assert "does not apply" in str(found)


def test_the_numerical_error_grows_with_the_delay(make):
    ideal = make.cs1_steady(delay=0.0)
    sizes = [float(norms(make.cs1_steady(delay=d), ideal)["rms"].sel(error="e1")) for d in (1e-3, 3e-3, 6e-3)]
    assert sizes == sorted(sizes)
    assert sizes[0] > 0


def test_a_reference_at_rest_has_no_relative_error(make):
    run = make.cs1_steady(delay=1e-3)
    with pytest.raises(AnalysisError, match="does not move"):
        norms(run, run * 0.0)


def test_shapes_that_differ_are_rejected(make):
    t = np.arange(10) / 10
    run = make.recording(t, displacement=np.zeros((10, 2)), measured_displacement=np.zeros((10, 2)))
    with pytest.raises(ParameterError, match="equal shapes"):
        errors(run, make.recording(t, displacement=np.zeros(10)))
