"""The impact of one point agrees with the analysis tool's batch of it."""

import pytest

from dovetail.studies.docking.campaign_models import impact
from dovetail.studies.docking.design_tool import SPACE, errors


def test_it_is_the_impact_of_the_analysis_tool():
    found = impact(actuator_resolution=1e-6, sensor_resolution=1.0, steps=6000)
    tool = errors([SPACE.point({})])
    for name in ("force_peak_error", "depth_peak_error", "peak_force", "peak_depth"):
        # both step over rounding at other times: a quarter of a per cent of a per cent
        assert float(found[name]) == pytest.approx(float(tool[name][0]), rel=3e-3), name


@pytest.mark.slow
def test_a_stiffer_pair_strikes_harder():
    soft = impact(pair="polyimide on aluminium")["peak_force"]
    assert float(impact(pair="aluminium on aluminium")["peak_force"]) > float(soft)
