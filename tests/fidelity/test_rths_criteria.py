"""The nine criteria on traces whose errors are known."""

import numpy as np
import pytest
import xarray as xr

from dovetail.core.errors import AnalysisError
from dovetail.fidelity import criteria_of, rths_criteria
from dovetail.fidelity.rths_criteria import MAX_DELAY, NAMES

DT = 1 / 4096  # [s]
T = DT * np.arange(8 * 4096)
OMEGA = 2 * np.pi * 4.0  # [rad/s]
REFERENCE = np.stack([np.sin(OMEGA * T), 2 * np.sin(OMEGA * T), 3 * np.sin(OMEGA * T)], axis=1)


def named(*arguments) -> dict[str, float]:
    return dict(zip(NAMES, criteria_of(*arguments, DT), strict=True))


def test_a_perfect_test_has_no_errors():
    z = REFERENCE[:, 0]
    np.testing.assert_array_equal(criteria_of(z, z, REFERENCE, REFERENCE, DT), np.zeros(len(NAMES)))


@pytest.mark.parametrize("samples", [-20, -1, 0, 7, 100])
def test_a_delay_is_positive_and_a_lead_negative(samples):
    rng = np.random.default_rng(3)
    wide = np.convolve(rng.standard_normal(len(T) + 400), np.hanning(64), "same")
    z, x = wide[200:-200], wide[200 - samples : len(wide) - 200 - samples]
    found = named(z, x, REFERENCE, REFERENCE)
    assert found["J1"] == pytest.approx(1e3 * samples * DT)


def test_a_short_delay_of_a_sine_gives_the_error_of_its_phase():
    delay = 2e-3  # [s]
    z, x = np.sin(OMEGA * T), np.sin(OMEGA * (T - delay))
    found = named(z, x, REFERENCE, REFERENCE)
    share = 200 * np.sin(OMEGA * delay / 2)  # of the amplitude, in per cent
    assert found["J2"] == pytest.approx(share, rel=1e-3)
    assert found["J3"] == pytest.approx(share, rel=1e-3)
    assert found["J4"] == pytest.approx(share, rel=1e-3)  # demand and reference are the same here
    assert (found["J6"], found["J9"]) == (0.0, 0.0)


def test_each_storey_error_is_relative_to_its_motion():
    z = REFERENCE[:, 0]
    storeys = REFERENCE * np.array([1.0, 1.01, 0.98])
    found = named(z, 1.03 * z, storeys, REFERENCE)
    expected = {"J2": 3.0, "J3": 3.0, "J4": 3.0, "J5": 3.0, "J6": 1.0, "J7": 2.0, "J8": 1.0, "J9": 2.0}
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_a_sensor_offset_affects_peak_criteria_only():
    """An rms is taken about the mean, as published; the second value is not."""
    z = REFERENCE[:, 0]
    found = named(z, z + 0.1, REFERENCE, REFERENCE)
    assert found["J2"] == pytest.approx(0.0, abs=1e-9)
    assert found["J3"] == pytest.approx(10.0)
    size = np.sqrt(np.mean(z**2))
    assert found["J2o"] == pytest.approx(100 * 0.1 / size)
    assert found["J4o"] == pytest.approx(100 * 0.1 / size)
    assert (found["J6o"], found["J7o"]) == (0.0, 0.0)


def test_a_run_that_is_not_finite_has_no_criteria():
    z = REFERENCE[:, 0].copy()
    z[-1] = np.inf
    assert np.isnan(criteria_of(z, z, REFERENCE, REFERENCE, DT)).all()


def test_a_structure_at_rest_is_rejected():
    with pytest.raises(AnalysisError, match="does not move"):
        criteria_of(0 * T, 0 * T, REFERENCE, REFERENCE, DT)


def recording(z, x, storeys):
    return xr.Dataset(
        {
            "displacement": ("time", z),
            "measured_displacement": ("time", x),
            "storey_displacement": (("time", "storey"), storeys),
        },
        {"time": T},
    )


def test_recordings_are_evaluated_by_signal_name():
    z = REFERENCE[:, 0]
    ideal = recording(z, z, REFERENCE)
    found = rths_criteria(recording(z, 1.02 * z, REFERENCE), ideal)
    assert found["J2"] == pytest.approx(2.0)
    assert "J2     2.000 %   rms tracking error" in str(found)


def test_two_storeys_are_not_the_benchmark():
    z = REFERENCE[:, 0]
    with pytest.raises(AnalysisError, match="three storeys"):
        rths_criteria(recording(z, z, REFERENCE[:, :2]), recording(z, z, REFERENCE))


def correlation(z, x, shift):
    """Of the overlapping parts, when x is taken so many samples later."""
    n = len(z)
    return np.corrcoef(z[: n - shift] if shift >= 0 else z[-shift:], x[shift:] if shift >= 0 else x[:shift])[
        0, 1
    ]


@pytest.mark.parametrize("seed", range(8))
def test_the_delay_is_the_shift_of_the_highest_correlation_however_short_and_slanted_the_record(seed):
    """By hand, coefficient by coefficient: on forty samples the means and sizes of the overlaps differ."""
    rng = np.random.default_rng(seed)
    z = np.cumsum(rng.standard_normal(40)) + 0.2 * np.arange(40)
    x = 0.5 * np.roll(z, rng.integers(-6, 7)) + 0.8 * rng.standard_normal(40) + 3.0
    reach = 12
    shifts = np.arange(-reach, reach + 1)
    expected = shifts[np.argmax([correlation(z, x, shift) for shift in shifts])]
    dt = MAX_DELAY / (reach + 0.5)
    storeys = rng.standard_normal((40, 3))
    found = dict(zip(NAMES, criteria_of(z, x, storeys, storeys, dt), strict=True))
    assert found["J1"] == pytest.approx(1e3 * dt * expected)
