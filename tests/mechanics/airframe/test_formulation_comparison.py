import numpy as np
import pytest

from dovetail.mechanics.airframe import FormulationComparison


@pytest.mark.slow
def test_the_report_states_the_moment_lost_by_the_published_hinge(make):
    chart = FormulationComparison(system=make(2, initial_pose=[0.0, 0.55, 0.0]), offsets=(0.0, 0.3))
    data = chart.compute()
    np.testing.assert_allclose(data.force_left, 0.0, atol=1e-5)  # either form carries the weight
    np.testing.assert_allclose(data.moment_left.sel(form="consistent"), 0.0, atol=1e-5)
    np.testing.assert_allclose(data.moment_left.sel(offset=0.0), 0.0, atol=1e-5)
    lost = data.moment_left.sel(form="published", offset=0.3)
    assert abs(float(lost)) > 5.0
    # independent computations of both forms for this geometry, to 0.02 N
    np.testing.assert_allclose(data["load"].sel(offset=0.3, form="published"), [7.11, 485.73], atol=0.02)
    np.testing.assert_allclose(data["load"].sel(offset=0.3, form="consistent"), [45.27, 447.57], atol=0.02)
    text = chart.summary(data)
    assert "38.16 N" in text
    assert "consistent: largest moment residual" in text
