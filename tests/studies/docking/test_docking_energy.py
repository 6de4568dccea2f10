"""Generated energy over delay and restitution: the published run is one point; the border is read right."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

from dovetail import testing
from dovetail.studies.docking.docking_energy import neutral_delays
from dovetail.studies.registry import find_test


def made_up(rows):
    coordinates = {"restitution": [0.7, 0.8, 0.9], "delay": [1e-3, 2e-3]}
    return xr.Dataset({"first_restitution": (("restitution", "delay"), rows)}, coordinates)


def test_the_border_is_at_restitution_one():
    found = neutral_delays(made_up([[0.8, 0.9], [0.9, 1.1], [1.2, 1.3]]))
    assert found[0.7] == np.inf
    assert found[0.8] == pytest.approx(1.5e-3)
    assert found[0.9] == 1e-3  # at the first delay already


@pytest.mark.slow
def test_the_published_run_is_a_point_of_the_map_and_energy_grows_with_delay():
    file = testing.load(find_test("docking/energy-map"))
    parameter_map = dataclasses.replace(
        file.map,
        delay=jnp.array([0.4e-3, 1e-3]),
        restitution=jnp.array([0.8, 1.0]),
        sensor_delay=jnp.asarray(2e-4 * np.pi),  # 40,000 rad/s, as the other code
    )
    data = parameter_map.compute()
    assert float(data.energy_ratio[0, 1]) == pytest.approx(3.39, abs=0.03)
    assert np.all(np.diff(data.energy_ratio, axis=1) > 0)
    assert np.all(np.diff(data.first_restitution, axis=1) > 0)
    assert 0.4e-3 < neutral_delays(data)[0.8] < 1e-3
    assert "restitution 0.8: the first impact gains energy above" in parameter_map.summary(data)
