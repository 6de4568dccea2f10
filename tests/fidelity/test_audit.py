"""A run's own books: the largest residuals, and nothing said where nothing was recorded."""

import numpy as np
import pytest
import xarray as xr

from dovetail.fidelity import audit


@pytest.fixture
def recorded():
    n = 10
    measured = np.zeros((n, 6))
    measured[:, 1] = 2e-5
    return xr.Dataset(
        {
            "energy_residual": ("time", np.linspace(0, -3e-6, n)),
            "kinetic_energy": ("time", np.linspace(0, 30.0, n)),
            "momentum_residual": (("time", "a"), np.full((n, 3), 1e-7)),
            "command": (("time", "axis"), np.zeros((n, 6))),
            "measured_displacement": (("time", "axis"), measured),
            "contact_gate": ("time", np.ones(n)),
        },
        {"time": np.arange(n) * 0.1},
    )


def test_the_largest_residuals_are_reported(recorded):
    found = audit(recorded)
    assert found.energy == pytest.approx(3e-6)
    assert found.energy_fraction == pytest.approx(1e-7)
    assert found.momentum == pytest.approx(np.sqrt(3) * 1e-7)
    assert found.translation == pytest.approx(2e-5)
    rows = dict(found.rows())
    assert rows["energy residual"] == "3 µJ"
    assert rows["energy residual, relative"] == "< 0.001 %"
    assert "20 um" in rows["largest pose error of the robot"]


def test_quantities_that_were_not_recorded_are_omitted(recorded):
    found = audit(recorded[["command"]])
    assert found.rows() == []
    assert len(audit(recorded[["energy_residual"]]).rows()) == 1
