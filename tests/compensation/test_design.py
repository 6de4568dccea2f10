"""Design of a polynomial predictor."""

import numpy as np
import pytest

from dovetail.compensation import predictor_weights
from dovetail.compensation.design import (
    check_predictor,
    design_predictor,
    max_horizon,
    noise_gain,
    prediction_error,
    predictor_frequency,
    window_range,
)
from dovetail.core.errors import AnalysisError, ParameterError

DT = 1e-3  # [s]

# longest horizon [samples], N = 8, n = 20, tabulated in steps of 0.25
FREQUENCIES = (5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 57.0)  # [Hz]
REACH = {
    0.01: (70.0, 30.75, 11.5, 5.5, 2.75, 1.25, 0.75),
    0.05: (85.75, 38.5, 15.25, 7.75, 4.25, 2.5, 1.5),
    0.10: (93.25, 42.25, 17.0, 9.0, 5.0, 3.0, 2.0),
}
WINDOWS = (9, 20, 40, 60, 80, 100)
REACH_BY_WINDOW = {
    5.0: (98.5, 93.25, 84.0, 75.25, 67.25, 59.5),
    10.0: (47.25, 42.25, 33.75, 26.25, 19.75, 14.25),
}


@pytest.mark.parametrize("tolerance", REACH)
def test_the_reach_by_frequency_is_the_tabulated_one(tolerance):
    found = [max_horizon(8, 20, f, DT, tolerance=tolerance) for f in FREQUENCIES]
    assert np.floor(np.array(found) * 4) / 4 == pytest.approx(REACH[tolerance], abs=1e-12)


@pytest.mark.parametrize("frequency", REACH_BY_WINDOW)
def test_the_reach_by_window_is_the_tabulated_one(frequency):
    found = [max_horizon(8, n, frequency, DT, tolerance=0.1) for n in WINDOWS]
    assert np.floor(np.array(found) * 4) / 4 == pytest.approx(REACH_BY_WINDOW[frequency], abs=1e-12)


@pytest.mark.parametrize(("frequency", "slope"), [(5.0, -0.47), (10.0, -0.44)])
def test_the_reach_falls_almost_linearly_with_the_window(frequency, slope):
    windows = np.arange(9, 41)
    reach = [max_horizon(8, n, frequency, DT, tolerance=0.1) for n in windows]
    assert np.polyfit(windows, reach, 1)[0] == pytest.approx(slope, abs=0.01)


def test_the_predictor_frequency_is_the_published_one():
    # published 57 Hz, its criterion not; 1.5 % at one sample
    assert predictor_frequency(8, 20, DT) == pytest.approx(57.0, rel=0.01)
    assert prediction_error(8, 20, 1.0, 57.0, DT) == pytest.approx(0.015, abs=5e-4)


def test_the_reach_is_about_inverse_to_the_frequency():
    low, high = (max_horizon(8, 9, f, DT) for f in (5.0, 10.0))
    assert low / high == pytest.approx(2.0, rel=0.05)


def printed(text):
    """A printed percentage as a fraction, with half a unit of its last digit as tolerance."""
    return pytest.approx(float(text) / 100, abs=0.5e-2 * 10.0 ** -len(text.partition(".")[2]))


@pytest.mark.parametrize(
    ("horizon", "errors"), [(18.0, ("10.6", "0.028", "0.001")), (30.0, ("68", "0.84", "0.05"))]
)
def test_a_ten_hertz_sine_is_predicted_with_the_tabulated_error(horizon, errors):
    for order, error in zip((4, 8, 10), errors, strict=True):
        assert float(prediction_error(order, 20, horizon, 10.0, DT)) == printed(error)


@pytest.mark.parametrize(
    ("order", "window", "errors"),
    [(2, 10, ("0.28", "5.2", "10")), (4, 10, ("0.001", "0.12", "0.36")), (4, 16, ("0.002", "0.28", "0.85"))],
)
def test_the_error_at_9_4_samples_is_the_tabulated_one(order, window, errors):
    for frequency, error in zip((3.0, 8.0, 10.0), errors, strict=True):
        assert float(prediction_error(order, window, 9.4, frequency, DT)) == printed(error)


@pytest.mark.parametrize(("order", "window"), [(4, 10), (1, 2)])
def test_the_noise_gain_is_the_norm_of_the_weights(order, window):
    horizons = np.array([0.0, 9.4])
    direct = np.linalg.norm(np.asarray(predictor_weights(order, window, horizons)), axis=0)
    assert noise_gain(order, window, horizons) == pytest.approx(direct, rel=1e-10)


def test_a_constant_is_predicted_without_error():
    assert prediction_error(4, 10, np.array([0.0, 50.0]), 0.0, DT) == pytest.approx(0.0, abs=1e-7)


def test_strong_smoothing_leaves_no_usable_frequency():
    assert max_horizon(2, 60, 40.0, DT) == 0.0


def test_the_guideline_is_from_order_plus_one_to_four_times_the_order():
    assert window_range(4) == (5, 16)
    assert window_range(0) == (1, 1)


class TestDesign:
    def test_the_seven_steps_are_recorded(self):
        design = design_predictor(dt=DT, frequency=5.0, delay=9.4e-3)
        assert [d.subject for d in design.decisions] == [
            "sample time",
            "test frequency",
            "horizon",
            "order",
            "window",
            "coherence",
            "verdict",
        ]
        assert [d.step for d in design.decisions] == [1, 2, 3, 4, 5, 6, 7]
        assert design.remarks == ()
        assert "3. horizon: 9.4 samples (delay of 9.4 ms)" in str(design)

    def test_the_designed_predictor_meets_its_requirements(self):
        design = design_predictor(dt=DT, frequency=8.0, delay=9.4e-3, tolerance=0.01)
        compensator = design.compensator()
        w = 2 * np.pi * 12.0
        wanted = np.exp(1j * w * 9.4e-3)
        assert abs(complex(compensator.response(w, DT)) / wanted - 1.0) <= 0.01

    def test_a_lower_order_or_a_longer_window_would_not_have_done(self):
        design = design_predictor(dt=DT, frequency=8.0, delay=9.4e-3, tolerance=0.01)
        shortest, longest = window_range(design.order - 1)
        lower = [prediction_error(design.order - 1, n, 9.4, 12.0, DT) for n in range(shortest, longest + 1)]
        assert min(lower) > 0.01
        assert design.window == window_range(design.order)[1] or (
            prediction_error(design.order, design.window + 1, 9.4, 12.0, DT) > 0.01
        )

    def test_the_noise_limit_is_met(self):
        design = design_predictor(dt=DT, frequency=3.0, delay=9.4e-3, max_noise_gain=20.0)
        assert noise_gain(design.order, design.window, 9.4) <= 20.0

    def test_a_horizon_out_of_reach_is_explained(self):
        with pytest.raises(
            AnalysisError, match=r"no order up to 8 predicts 40 samples at 30 Hz.*invert a model"
        ):
            design_predictor(dt=DT, frequency=20.0, delay=0.04)

    def test_an_impossible_noise_limit_is_explained(self):
        with pytest.raises(AnalysisError, match=r"noise gain of at most 0.1"):
            design_predictor(dt=DT, frequency=3.0, delay=9.4e-3, max_noise_gain=0.1)

    def test_a_tick_longer_than_the_sample_time_is_noted(self):
        design = design_predictor(dt=DT, frequency=3.0, delay=5e-3, compute_time=1.2e-3)
        assert "a tick takes 1.2 ms, longer than the sample time of 1 ms" in design.remarks[0]
        assert design.decisions[-1].choice == "see the notes"

    def test_a_frequency_of_zero_is_rejected(self):
        with pytest.raises(ParameterError, match="frequency = 0 Hz"):
            design_predictor(dt=DT, frequency=0.0, delay=9.4e-3)


class TestRemarks:
    case = dict(delay=9.4e-3, frequency=5.0, dt=DT)

    def test_the_general_purpose_design_needs_no_requirements(self):
        assert check_predictor(4, 10, **self.case) == ()

    def test_a_horizon_beyond_the_usable_range_is_noted(self):
        (remark,) = check_predictor(8, 20, delay=0.05, frequency=10.0, dt=DT)
        assert "horizon of 50 samples is beyond the usable range" in remark
        assert "reaches 42.3" in remark

    def test_a_window_longer_than_the_recording_is_noted(self):
        (remark,) = check_predictor(4, 10, **self.case, recording=8)
        assert remark.startswith("the window of 10 samples is longer than the recording of 8")

    def test_a_window_against_the_guideline_is_noted(self):
        (remark,) = check_predictor(2, 10, delay=1e-3, frequency=3.0, dt=DT)
        assert "a window of 10 samples is outside the recommended 3 to 8" in remark

    def test_a_frequency_above_the_predictors_is_noted(self):
        remarks = check_predictor(8, 20, delay=1e-3, frequency=80.0, dt=DT)
        assert any("above the predictor frequency, 57" in remark for remark in remarks)
