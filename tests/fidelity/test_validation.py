import numpy as np
import pytest

from dovetail.core.errors import AnalysisError
from dovetail.fidelity.validation import Validation, validate, validation_from_percent


def test_published_arithmetic_of_one_impact():
    # scenario 4 at a restitution of 0.9: Bondoky 2020, tables 8.4 and C.1
    force = Validation(823.81, 1325.62, 1506.37)
    assert force.model_error_percent == pytest.approx(60.91, abs=0.01)
    assert force.hardware_error_percent == pytest.approx(82.85, abs=0.01)
    assert force.contact_model_error_percent == pytest.approx(13.64, abs=0.01)
    assert force.fidelity == pytest.approx(73.52, abs=0.01)


def test_areas_are_relative_to_the_reference():
    area = validation_from_percent(54.36, 152.15)
    assert area.fidelity == pytest.approx(35.73, abs=0.01)
    assert area.contact_model_error_percent == pytest.approx(63.35, abs=0.02)


def test_many_at_once():
    found = validate({"force": (np.array([1.0, 2.0]), np.array([2.0, 3.0]), np.array([3.0, 4.0]))})
    np.testing.assert_allclose(found["force"].fidelity, [50.0, 50.0])


def test_a_missing_value_is_reported():
    with pytest.raises(AnalysisError, match="depth: .*not finite"):
        validate({"depth": (1.0, np.nan, 2.0)})
