import numpy as np
import pytest

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.fidelity import amplitude_spectrum, peaks, spectrum_map


def two_lines(make, a=0.01, b=0.003, f=3.0, g=7.116, duration=5.0):
    t = np.arange(round(duration * 1000)) / 1000.0
    return make.recording(t, displacement=0.5 + a * np.sin(2 * np.pi * f * t) + b * np.cos(2 * np.pi * g * t))


def test_a_sine_shows_its_amplitude(make):
    spectrum = amplitude_spectrum(make.delayed_sine(amplitude=0.01, frequency=3.0, duration=5.0))
    assert float(spectrum.sel(frequency=3.0)) == pytest.approx(0.01, rel=1e-6)
    assert spectrum.frequency.attrs["units"] == "Hz"


def test_the_mean_is_removed(make):
    assert float(amplitude_spectrum(two_lines(make))[0]) < 1e-4  # of a mean of 0.5 m


def test_lines_between_the_frequencies_are_placed(make):
    first, second = peaks(amplitude_spectrum(two_lines(make)), count=2)
    assert first.frequency == pytest.approx(3.0, abs=0.005)
    assert second.frequency == pytest.approx(
        7.116, abs=0.01
    )  # the grid is 0.2 Hz; the published figure +-0.2
    assert second.amplitude == pytest.approx(0.003, rel=0.03)  # the parabola's error between bins


def test_the_highest_peaks_come_first_up_to_the_given_count(make):
    found = peaks(amplitude_spectrum(two_lines(make, a=0.001)), count=1)
    assert [round(p.frequency, 1) for p in found] == [7.1]


def test_a_map_shows_a_line_growing_with_the_parameter(make):
    runs = [two_lines(make, b=b) for b in (0.003, 0.001, 0.002)]
    found = spectrum_map(runs, "delay", [7e-3, 5e-3, 6e-3], up_to=10.0)
    assert found.dims == ("delay", "frequency")
    assert found.delay.values.tolist() == [5e-3, 6e-3, 7e-3]
    line = found.sel(frequency=7.116, method="nearest").values
    assert (np.diff(line) > 0).all()
    assert float(found.frequency.max()) <= 10.0


def test_a_shorter_run_joins_the_map(make):
    found = spectrum_map([two_lines(make), two_lines(make, duration=2.0)], "delay", [1.0, 2.0])
    assert float(found.sel(delay=2.0).sel(frequency=3.0)) == pytest.approx(0.01, rel=0.02)


def test_an_empty_spectrum_has_no_peaks(make):
    with pytest.raises(AnalysisError, match="no peaks"):
        peaks(amplitude_spectrum(two_lines(make)) * 0)


def test_peaks_are_of_one_axis(make):
    t = np.arange(100) / 100
    spectrum = amplitude_spectrum(make.recording(t, displacement=np.random.default_rng(1).random((100, 2))))
    with pytest.raises(ParameterError, match=r"isel\(axis=0\)"):
        peaks(spectrum)
    assert peaks(spectrum.isel(axis=0))


def test_a_map_needs_a_value_for_each_run(make):
    with pytest.raises(ParameterError, match="got 2 values for 1 runs"):
        spectrum_map([two_lines(make)], "delay", [1.0, 2.0])
