"""`dovetail run` on a file that asks for a map."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

from dovetail import testing
from dovetail.cli.charting import run_chart
from dovetail.studies.registry import find_test


@pytest.mark.slow
def test_a_map_is_computed_saved_and_told(tmp_path, capsys):
    file = testing.load(find_test("docking/map"))
    chart = dataclasses.replace(
        file.chart, pitch=jnp.radians(jnp.array([-7.5, 7.5])), height=jnp.array([0.075]), duration=5.0
    )
    assert run_chart(dataclasses.replace(file, chart=chart), "map", tmp_path / "out") == 0
    told = capsys.readouterr().out
    assert "1 of 2 dock (o), 0 leave (.), 1 were still in the drogue" in told
    assert "worst that dock: +75 mm with +7.5 deg" in told
    with xr.open_dataset(tmp_path / "out" / "result.nc", engine="h5netcdf") as data:
        np.testing.assert_array_equal(data.ending, [[0, 1]])
    again = testing.load(tmp_path / "out" / "test.toml")
    np.testing.assert_allclose(again.chart.height, [0.075])
