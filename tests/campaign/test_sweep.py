import numpy as np
import pytest
import xarray as xr

from dovetail.campaign import DesignSpace, DesignVariable, evaluate_points, full_factorial, one_at_a_time
from dovetail.core.errors import AnalysisError, ParameterError

SPACE = DesignSpace((DesignVariable("a", 1.0, (0.0, 1.0, 2.0)), DesignVariable("b", 10.0, (10.0, 20.0))))
CALLS = []


def total(points):
    CALLS.append(len(points))
    return {"total": np.array([p["a"] + p["b"] for p in points])}


def test_one_at_a_time_is_one_batch_and_a_table_for_each_variable():
    CALLS.clear()
    tables = one_at_a_time(SPACE, total)
    assert CALLS == [5]
    np.testing.assert_array_equal(tables["a"].total, [10, 11, 12])
    np.testing.assert_array_equal(tables["b"].total, [11, 21])


def test_factorial_has_a_dimension_for_each_variable():
    table = full_factorial(SPACE, total)
    assert table.total.dims == ("a", "b")
    assert float(table.total.sel(a=2.0, b=20.0)) == 22.0


def test_points_keep_their_values_as_coordinates():
    table = evaluate_points(SPACE.one_at_a_time(), total)
    np.testing.assert_array_equal(table.a, [1, 0, 2, 1])


def test_a_table_is_stored_and_read_back(tmp_path):
    space = SPACE + DesignSpace((DesignVariable("law", "flores", ("flores", "hertz")),))
    table = evaluate_points(space.full_factorial(), total)
    table.to_netcdf(tmp_path / "table.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "table.nc", engine="h5netcdf") as stored:
        np.testing.assert_array_equal(stored.total, table.total)
        assert list(stored.law.values) == list(table.law.values)


def test_faults_are_reported():
    with pytest.raises(ParameterError, match="expected at least one"):
        evaluate_points([], total)
    with pytest.raises(AnalysisError, match="expected one per point"):
        evaluate_points(SPACE.full_factorial(), lambda points: {"total": np.zeros(2)})
