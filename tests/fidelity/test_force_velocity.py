"""A damper's loop: smoothing without phase shift, what a known loop measures, and how dampers differ."""

import numpy as np
import pytest
import xarray as xr

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.fidelity import characteristic, match_dampers, smooth_velocity

F0, DT = 3.5, 1e-3  # Hz, s
OMEGA = 2 * np.pi * F0


def recording(force, amplitude=0.01, duration=3.0, noise=0.0):
    """A run under a sine; `force` is what the damper resists with, from velocity and phase."""
    t = np.arange(round(duration / DT)) * DT
    x = amplitude * np.sin(OMEGA * t) + noise * np.random.default_rng(1).normal(size=len(t))
    resisting = force(amplitude * OMEGA * np.cos(OMEGA * t), OMEGA * t)
    signals = {"measured_displacement": ("time", x), "measured_force": ("time", -resisting)}
    return xr.Dataset(signals, {"time": t})


def viscous(v, phase):
    return 40e3 * v


def lagging(v, phase):
    """Maxwell: amplitude and phase of a damper with a spring in series, at 30 degrees of lag."""
    return 8000.0 * np.cos(phase - np.radians(30))


def test_velocity_is_smoothed_without_a_phase_shift():
    run = recording(viscous, noise=5e-6)
    v = smooth_velocity(run).values
    exact = 0.01 * OMEGA * np.cos(OMEGA * run.time.values)
    raw = np.gradient(run.measured_displacement.values, DT)
    inside = slice(30, -30)
    assert np.std((v - exact)[inside]) < 0.3 * np.std((raw - exact)[inside])
    shift = np.angle(np.vdot(np.exp(1j * OMEGA * run.time.values[inside]), v[inside]))
    assert shift == pytest.approx(
        np.angle(np.vdot(np.exp(1j * OMEGA * run.time.values[inside]), exact[inside])), abs=1e-3
    )


def test_a_viscous_damper_has_its_damping_and_no_hysteresis():
    found = characteristic(recording(viscous), F0)
    assert found.speed == pytest.approx(0.01 * OMEGA, rel=1e-3)
    assert found.half_stroke == pytest.approx(0.01, rel=1e-3)
    assert found.damping == pytest.approx(40e3, rel=2e-3)
    assert found.energy == pytest.approx(np.pi * 40e3 * OMEGA * 0.01**2, rel=2e-3)
    assert found.hysteresis < 0.01 * found.peak
    assert found.repeatability < 5e-3


def test_a_lagging_force_opens_the_loop_anticlockwise():
    found = characteristic(recording(lagging), F0)
    assert found.sense == "anticlockwise"
    assert found.hysteresis == pytest.approx(8000 * np.sin(np.radians(30)), rel=0.01)
    leading = characteristic(recording(lambda v, p: 8000 * np.cos(p + 0.5)), F0)
    assert leading.sense == "clockwise"


def test_harmonics_are_amplitudes_of_the_force():
    found = characteristic(
        recording(lambda v, p: 5e3 * np.cos(p) + 700 * np.cos(4 * p) + 300 * np.cos(6 * p)), F0
    )
    assert found.harmonics[0] == pytest.approx(5e3, rel=5e-3)
    assert found.harmonics[3] == pytest.approx(700, rel=0.02)
    assert found.harmonics[5] == pytest.approx(300, rel=0.03)


def test_dampers_outside_the_tolerance_are_listed_with_the_difference():
    one = recording(lagging)
    near = recording(lambda v, p: 1.02 * lagging(v, p))
    far = recording(lambda v, p: 8000 * np.cos(p - np.radians(20)))
    alike = match_dampers({"A": one, "B": near}, F0)
    assert alike.matched
    assert alike.spread["pull"] == pytest.approx(0.02 / 1.01, rel=0.02)
    unequal = match_dampers({"A": one, "C": far}, F0)
    assert not unequal.matched
    text = str(unequal)
    assert "hysteresis differs by" in text
    assert "not matched" in text
    assert unequal.spread["pull"] < 0.01  # the peaks, all that is specified, do not tell


def test_undetermined_results_are_reported():
    run = recording(viscous, duration=0.5)
    with pytest.raises(AnalysisError, match="3 cycles at 3.5 Hz need 880 samples and the recording has 500"):
        characteristic(run, F0)
    with pytest.raises(ParameterError, match="frame 20, order 4"):
        smooth_velocity(run, frame=20)
    with pytest.raises(ParameterError, match="got 1 dampers"):
        match_dampers({"A": run}, F0)


def test_smoothing_leaves_the_noise_of_the_least_squares_polynomial():
    """A quartic fitted to 21 samples, here by its normal equations: each sample's share in the slope at the middle."""
    k = np.arange(-10, 11)
    share = np.linalg.pinv(np.vander(k, 5, increasing=True))[1] / DT
    run = recording(lambda v, p: 0 * v, amplitude=0.0, noise=5e-6)
    v, x = smooth_velocity(run).values, run.measured_displacement.values
    np.testing.assert_allclose(v[10:-10], np.convolve(x, share[::-1], "valid"), rtol=0, atol=1e-9)
    assert np.std(v[10:-10]) == pytest.approx(5e-6 * np.sqrt(np.sum(share**2)), rel=0.05)


@pytest.mark.parametrize(("lag", "sense"), [(0.004, "anticlockwise"), (-0.004, "clockwise")])
def test_the_direction_of_a_loop_is_determined_down_to_a_quarter_of_a_degree(lag, sense):
    assert characteristic(recording(lambda v, p: 8000.0 * np.cos(p - lag)), F0).sense == sense
