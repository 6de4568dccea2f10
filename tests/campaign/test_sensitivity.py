"""Sobol indices and elementary effects of functions whose answers are known."""

import numpy as np
import pytest

from dovetail.campaign.axes import VariedParameter
from dovetail.campaign.plan import Campaign
from dovetail.campaign.sensitivity import morris, sobol
from dovetail.core.errors import AnalysisError

PARAMETERS = tuple(VariedParameter(name, (name,), low=-np.pi, high=np.pi) for name in ("x1", "x2", "x3"))


def campaign(kind, count):
    return Campaign("model", "a:b", PARAMETERS, design_kind=kind, point_count=count, seed=4)


def ishigami(p):
    return np.sin(p["x1"]) + 7 * np.sin(p["x2"]) ** 2 + 0.1 * p["x3"] ** 4 * np.sin(p["x1"])


def test_indices_of_the_ishigami_function():
    # closed form for a = 7, b = 0.1 [Ishigami and Homma]; 1024 x 5 points leave a per cent or two
    plan = campaign("saltelli", 1024)
    found = {row.name: row for row in sobol(plan, ishigami(plan.points()))}
    for name, first, total in (("x1", 0.3139, 0.5576), ("x2", 0.4424, 0.4424), ("x3", 0.0, 0.2437)):
        assert found[name].first == pytest.approx(first, abs=0.04)
        assert found[name].total == pytest.approx(total, abs=0.04)
        low, high = found[name].total_interval
        assert low < found[name].total < high


def test_effects_of_a_plane_are_its_slopes_over_the_range():
    plan = campaign("morris", 6)
    p = plan.points()
    found = {row.name: row for row in morris(plan, 3 * p["x1"] - p["x2"])}
    assert found["x1"].mean == pytest.approx(3 * 2 * np.pi)
    assert found["x2"].mean == pytest.approx(-2 * np.pi)
    assert found["x3"].size == pytest.approx(0, abs=1e-12)
    assert found["x1"].spread == pytest.approx(0, abs=1e-10)
    assert morris(plan, 3 * p["x1"] - p["x2"])[0].name == "x1"


def test_texts_among_the_parameters_do_not_mix_up_the_design():
    parameters = (*PARAMETERS[:1], VariedParameter("law", ("law",), ("a", "b")))
    plan = Campaign("model", "a:b", parameters, design_kind="morris", point_count=4)
    p = plan.points()
    assert not np.array_equal(plan.design_order(), np.arange(12))
    found = {row.name: row for row in morris(plan, p["x1"] + 5.0 * (p["law"] == "b"))}
    assert found["x1"].mean == pytest.approx(2 * np.pi)
    assert found["law"].size == pytest.approx(5 / (2 / 3))


def test_infinite_values_are_analysed_by_their_ranks():
    plan = campaign("saltelli", 256)
    p = plan.points()
    values = np.where(p["x1"] > 1.0, np.inf, p["x1"] + 0.1 * p["x2"] * p["x3"])  # such as a delay margin
    found = sobol(plan, values)
    assert found[0].name == "x1"
    assert found[0].first == pytest.approx(1.0, abs=0.1)
    assert found[1].total < 0.1
    steps = campaign("morris", 8)
    p = steps.points()
    assert morris(steps, np.where(p["x2"] > 0, np.inf, p["x2"]))[0].name == "x2"


def test_an_undefined_index_is_reported():
    plan = campaign("saltelli", 8)
    with pytest.raises(AnalysisError, match="equal at all points"):
        sobol(plan, np.ones(40))
    with pytest.raises(AnalysisError, match="1 of 40 points"):
        sobol(plan, np.r_[np.nan, np.ones(39)])
    with pytest.raises(AnalysisError, match='needs "morris"'):
        morris(plan, np.ones(40))
    with pytest.raises(AnalysisError, match="power of two"):
        sobol(campaign("saltelli", 6), np.arange(30.0))
