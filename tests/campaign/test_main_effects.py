import numpy as np
import pytest
import xarray as xr

from dovetail.campaign import (
    DesignSpace,
    DesignVariable,
    key_parameters,
    main_effects,
    one_at_a_time,
    saturation_point,
)
from dovetail.core.errors import AnalysisError

SPACE = DesignSpace(
    (
        DesignVariable("strong", 1.0, (0.0, 1.0, 2.0)),
        DesignVariable("weak", 1.0, (0.0, 1.0, 2.0)),
        DesignVariable("bent", 1.0, (0.0, 1.0, 2.0)),
    )
)


def measure(points):
    return {"y": np.array([10 * p["strong"] - 0.1 * p["weak"] + (p["bent"] - 1) ** 2 for p in points])}


def test_the_strongest_effect_comes_first_with_its_trend():
    ranking = main_effects(one_at_a_time(SPACE, measure), "y")
    assert [row.name for row in ranking] == ["strong", "bent", "weak"]
    assert [row.monotone for row in ranking] == [1, 0, -1]
    assert ranking[0].span == pytest.approx(20.0)
    assert sum(row.fraction for row in ranking) == pytest.approx(1.0)
    assert key_parameters(ranking) == ["strong"]


def test_the_saturation_point_is_where_the_other_parameter_loses_its_influence():
    delay, step = np.array([1.0, 2.0, 4.0, 8.0]), np.array([0.1, 1.0])
    values = delay[:, None] + np.where(delay[:, None] < 4, 1.0, 0.01) * step[None, :]
    table = xr.DataArray(values, {"delay": delay, "step": step}, ("delay", "step"))
    assert saturation_point(table, "delay", "step") == 2.0
    assert saturation_point(table.sel(delay=[4.0, 8.0]), "delay", "step") is None


def test_failed_points_are_not_ranked():
    tables = {"x": xr.Dataset({"y": ("x", [1.0, np.nan])}, {"x": [0, 1]})}
    with pytest.raises(AnalysisError, match="y over x: some points failed"):
        main_effects(tables, "y")
