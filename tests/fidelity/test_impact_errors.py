import numpy as np
import pytest

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.fidelity.impact_errors import ImpactTrace, impact_errors


def impact(peak, duration, start=0.01, rebound=0.08, step=1e-5):
    t = np.arange(0, 0.04, step)
    inside = (t > start) & (t < start + duration)
    shape = np.where(inside, np.sin(np.pi * (t - start) / duration), -1e-3)
    velocity = np.where(t < start + duration / 2, 0.1, -rebound)
    return ImpactTrace(t, 1e7 * peak * np.maximum(shape, 0), peak * shape, velocity)


IDEAL = impact(1e-4, 0.005)


def test_an_impact_is_like_itself():
    errors = impact_errors(IDEAL, IDEAL)
    assert errors.force.instantaneous == 0.0
    assert errors.force.integral_percent == 0.0
    assert errors.velocity_percent == 0.0


def test_twice_the_penetration_gives_the_expected_impact_errors():
    errors = impact_errors(impact(2e-4, 0.005, rebound=0.12), IDEAL)
    assert errors.force.absolute_percent == pytest.approx(100.0)
    assert errors.force.instantaneous == pytest.approx(1000.0)
    assert errors.force.instantaneous_percent == pytest.approx(100.0)
    assert errors.depth.integral_absolute_percent == pytest.approx(100.0, rel=1e-3)
    assert errors.depth.integral_percent == pytest.approx(100.0, rel=1e-3)
    assert errors.velocity == pytest.approx(-0.04)
    assert errors.velocity_percent == pytest.approx(50.0)
    assert errors.kinetic_energy_percent == pytest.approx(125.0)


def test_a_delayed_impact_has_a_time_error_without_peak_error():
    errors = impact_errors(impact(1e-4, 0.005, start=0.011, step=0.7e-5), IDEAL)
    assert errors.force.absolute_percent == pytest.approx(0.0, abs=0.01)
    assert errors.force.integral_percent > 30
    assert errors.duration == pytest.approx(0.0, abs=2e-5)


def test_a_test_below_the_reference_changes_the_modulus():
    errors = impact_errors(impact(0.5e-4, 0.005), IDEAL)
    assert errors.force.instantaneous <= 0.0 + 1e-9
    assert errors.force.largest_modulus == pytest.approx(500.0)


def test_traces_that_cannot_be_evaluated_are_rejected():
    away = ImpactTrace(IDEAL.time, 0 * IDEAL.time, 0 * IDEAL.time - 1.0, IDEAL.velocity)
    with pytest.raises(AnalysisError, match="no contact"):
        impact_errors(away, IDEAL)
    short = ImpactTrace(*(x[:1200] for x in (IDEAL.time, IDEAL.force, IDEAL.depth, IDEAL.velocity)))
    with pytest.raises(AnalysisError, match="during contact"):
        impact_errors(short, IDEAL)
    with pytest.raises(ParameterError, match="must increase"):
        ImpactTrace([0, 0], [0, 0], [0, 0], [0, 0])
