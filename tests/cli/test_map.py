"""`dovetail run` on a parameter map."""

import dataclasses
from contextlib import contextmanager

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

from dovetail import testing
from dovetail.cli import map
from dovetail.cli.map import run_map
from dovetail.core.parameter_map import ParameterMap
from dovetail.studies.registry import find_test


@pytest.mark.slow
def test_a_map_is_computed_saved_and_reported(tmp_path, capsys):
    file = testing.load(find_test("docking/map"))
    parameter_map = dataclasses.replace(
        file.map, pitch=jnp.radians(jnp.array([-7.5, 7.5])), height=jnp.array([0.075]), duration=5.0
    )
    assert run_map(dataclasses.replace(file, map=parameter_map), "map", tmp_path / "out") == 0
    told = capsys.readouterr().out
    assert "1 of 2 docked (o), 0 separated (.), 1 not finished" in told
    assert "worst cases that dock: +75 mm with +7.5 deg" in told
    with xr.open_dataset(tmp_path / "out" / "result.nc", engine="scipy") as data:
        np.testing.assert_array_equal(data.ending, [[0, 1]])
    again = testing.load(tmp_path / "out" / "test.toml")
    np.testing.assert_allclose(again.map.height, [0.075])


class Slow(ParameterMap):
    """A map that tells how far it is."""

    store: str = eqx.field(default="kept", static=True)
    stops: bool = eqx.field(default=False, static=True)

    def compute(self, progress=None):
        progress(0.5, "1 point")
        if self.stops:
            raise KeyboardInterrupt
        return xr.Dataset({"y": ("x", [1.0, 2.0])}, {"x": [0.0, 1.0]})

    def summary(self, data):
        return "two points"


def test_the_progress_of_a_map_is_shown(tmp_path, monkeypatch):
    told = []

    @contextmanager
    def progress(task_name):
        yield lambda fraction, text: told.append((task_name, fraction, text))

    monkeypatch.setattr(map, "progress", progress)
    assert map._compute(Slow()).y.values.tolist() == [1.0, 2.0]
    assert told == [("computing the map", 0.5, "1 point")]


def test_an_interrupted_map_prints_where_its_results_are(tmp_path, capsys):
    file = testing.MapFile(map=Slow(stops=True), title="slow")
    with pytest.raises(KeyboardInterrupt):
        run_map(file, "slow", tmp_path / "out")
    assert "stored    kept: finished points" in capsys.readouterr().out


class Diverging(ParameterMap):
    """A map with one value that depends on the step."""

    step: float = 1.0

    def refined(self):
        return Diverging(self.step / 2)

    def compute(self):
        return xr.Dataset({"y": ("x", [1.0, 1.0 / self.step])}, {"x": [0.0, 1.0]})

    def summary(self, data):
        return f"{int(data.y.count())} values"


def test_a_value_that_is_not_converged_is_left_out_and_the_exit_code_is_1(tmp_path, capsys):
    file = dataclasses.replace(testing.load(find_test("docking/map")), map=Diverging())
    assert run_map(file, "map", tmp_path / "out", report=False) == 1
    printed = capsys.readouterr().out
    assert "1 values" in printed
    assert "y: 1 of 2" in printed
    with xr.open_dataset(tmp_path / "out" / "result.nc", engine="scipy") as data:
        np.testing.assert_array_equal(data.y, [1.0, np.nan])
