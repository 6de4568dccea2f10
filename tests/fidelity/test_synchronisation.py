import math

import numpy as np
import pytest

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.fidelity import fraction_outside_delay_band, outside_delay_band, overlay, synchronisation_loop


def test_a_delay_runs_anticlockwise_and_a_lead_clockwise(make):
    assert synchronisation_loop(make.delayed_sine(delay=5e-3)).direction == "late"
    assert synchronisation_loop(make.delayed_sine(delay=-5e-3)).direction == "early"
    assert synchronisation_loop(make.delayed_sine(delay=0.0, gain=0.7)).direction == "in phase"


def test_the_opening_of_a_sine_is_the_sine_of_its_phase_lag(make):
    found = synchronisation_loop(make.delayed_sine(frequency=3.0, delay=6.77e-3, gain=0.9))
    assert found.opening == pytest.approx(math.sin(2 * math.pi * 3.0 * 6.77e-3), rel=1e-4)  # chords of 1 ms


def test_the_area_is_that_of_the_ellipse_times_the_cycles(make):
    found = synchronisation_loop(
        make.delayed_sine(frequency=3.0, delay=6.77e-3, amplitude=0.01, duration=2.0)
    )
    ellipse = math.pi * 0.01**2 * math.sin(2 * math.pi * 3.0 * 6.77e-3)
    assert found.area == pytest.approx(6 * ellipse, rel=1e-3)  # the last sample period is not closed


def test_noise_does_not_turn_a_loop(make):
    assert synchronisation_loop(make.delayed_sine(delay=3e-3, noise=5e-4)).direction == "late"


def test_an_offset_does_not_open_a_line(make):
    assert synchronisation_loop(make.delayed_sine(offset=5e-3)).direction == "in phase"


def test_each_axis_has_its_own_direction(make):
    late, early = make.delayed_sine(delay=5e-3), make.delayed_sine(delay=-5e-3)
    pairs = {n: np.stack([late[n], early[n]], axis=1) for n in ("displacement", "measured_displacement")}
    assert synchronisation_loop(make.recording(late.time.values, **pairs)).direction == ("late", "early")


def test_the_overlay_is_the_delayed_demand_against_the_demand(make):
    run = make.delayed_sine(delay=2e-3)
    band = overlay(run, 6.77e-3)
    t = band.time.values
    assert t[0] >= 6.77e-3
    late = 0.01 * np.sin(2 * math.pi * 3.0 * (t - 6.77e-3))
    # linear interpolation between samples: A (w dt)^2 / 8
    np.testing.assert_allclose(band.delayed_demand, late, atol=0.01 * (2 * math.pi * 3e-3) ** 2 / 8)


def test_the_overlay_crosses_zero_demand_at_the_known_height(make):
    run = make.delayed_sine()
    band = overlay(run, 6.77e-3)
    at_zero = np.abs(band.delayed_demand.values[np.abs(band.demand.values) < 1e-9])
    np.testing.assert_allclose(at_zero, 0.01 * math.sin(2 * math.pi * 3 * 6.77e-3), rtol=1e-3)


@pytest.mark.parametrize("delay", [0.0, 3e-3, -3e-3, 6.7e-3])
def test_a_smaller_delay_or_lead_stays_inside(make, delay):
    assert fraction_outside_delay_band(make.delayed_sine(delay=delay), 6.77e-3) == 0.0


def test_a_larger_delay_is_outside_but_near_the_tips(make):
    assert fraction_outside_delay_band(make.delayed_sine(delay=9.4e-3), 6.77e-3) > 0.9


def test_an_overshoot_is_outside_only_at_turning_points(make):
    run = make.delayed_sine(gain=1.02)
    out = outside_delay_band(run, 6.77e-3)
    assert 0 < float(out.mean()) < 0.3
    assert float(abs(run.displacement.sel(time=out.time)).where(out).min()) > 0.95 * 0.01


@pytest.mark.parametrize("delay", [0.0, -1e-3, math.inf, math.nan])
def test_an_overlay_needs_a_finite_positive_delay(make, delay):
    with pytest.raises(ParameterError, match="finite delay above 0 s"):
        overlay(make.delayed_sine(), delay)


def test_a_delay_longer_than_the_record_is_rejected(make):
    with pytest.raises(AnalysisError, match=r"length of the record"):
        overlay(make.delayed_sine(duration=1.0), 2.0)
    with pytest.raises(AnalysisError, match="too short for a band"):
        outside_delay_band(make.delayed_sine(duration=1.0), 0.7)


def test_an_offset_does_not_change_the_result(make):
    """Of a record that does not end where it began, too."""
    run = make.delayed_sine(delay=5e-3, duration=0.79)
    here = synchronisation_loop(run)
    there = synchronisation_loop(
        run.assign(
            displacement=run.displacement + 0.05, measured_displacement=run.measured_displacement - 0.03
        )
    )
    assert there.opening == pytest.approx(here.opening, rel=1e-9)
    assert there.area == pytest.approx(here.area, rel=1e-9)


def test_the_fraction_outside_is_one_number_or_one_per_axis(make):
    inside, late = make.delayed_sine(delay=3e-3), make.delayed_sine(delay=9.4e-3)
    alone = fraction_outside_delay_band(late, 6.77e-3)
    assert type(alone) is float
    pairs = {n: np.stack([inside[n], late[n]], axis=1) for n in ("displacement", "measured_displacement")}
    both = fraction_outside_delay_band(make.recording(late.time.values, **pairs), 6.77e-3)
    np.testing.assert_array_equal(both, [0.0, alone])


def test_a_delay_as_long_as_the_record_is_rejected(make):
    run = make.delayed_sine(duration=1.0)
    whole = float(run.time[-1] - run.time[0])
    with pytest.raises(AnalysisError, match="length of the record"):
        overlay(run, whole)
    assert overlay(run, 0.99 * whole).sizes["time"] > 0
