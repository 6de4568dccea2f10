"""The vortex pair and the gridded wake."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import GriddedWake, VortexPair
from dovetail.air.wind import FreeStream
from dovetail.core.errors import OutputError, ParameterError


def at(wake, *places):
    return np.asarray(wake.velocity(0.0, jnp.array(places, float).T, FreeStream(170.0, 0.7)))


def test_downwash_between_the_vortices_is_that_of_the_pair():
    wake = VortexPair()
    gamma = float(wake.circulation(170.0, 0.7))
    assert gamma == pytest.approx(414, rel=3e-3)  # [m^2/s]
    spacing = np.pi / 4 * 63.45
    expected = 2 * gamma / (2 * np.pi) * (spacing / 2) / ((spacing / 2) ** 2 + 9)
    down = at(wake, [-100.0, 0.0, 0.0])[:, 0]
    np.testing.assert_allclose(down, [0.0, 0.0, -expected], atol=1e-9)
    assert expected == pytest.approx(5.3, abs=0.1)  # [m/s]


def test_it_is_symmetric_and_ends_at_its_depth():
    wake = VortexPair(deficit=0.1)
    right, left = at(wake, [-50.0, -15.0, -20.0])[:, 0], at(wake, [-50.0, 15.0, -20.0])[:, 0]
    np.testing.assert_allclose(right, left * [1, -1, 1], atol=1e-12)
    assert right[0] > 0
    np.testing.assert_allclose(at(wake, [-50.0, 3.0, -50.0], [-50.0, 0.0, -80.0]), 0.0, atol=1e-12)


@pytest.fixture
def grid(tmp_path):
    x, y, z = np.linspace(-100, 0, 3), np.linspace(-100, 100, 5), np.linspace(-100, 0, 5)
    X, Y, Z = np.meshgrid(x, y, z, indexing="ij")
    velocity = np.stack([0.1 * X, 0.2 * Y, 0.3 * Z])
    file = tmp_path / "wake.npz"
    np.savez(file, x=x, y=y, z=z, velocity=np.stack([velocity, 3 * velocity]), attack=[0.0, 0.2])
    return GriddedWake(file=str(file), angle_of_attack=0.1)


def test_a_gridded_field_is_linear_in_position_and_angle_of_attack(grid):
    np.testing.assert_allclose(
        at(grid, [-33.0, 71.0, -12.0])[:, 0], 2 * np.array([-3.3, 14.2, -3.6]), rtol=1e-9
    )


def test_outside_the_grid_the_wake_is_nan_and_a_long_rope_is_rejected(grid):
    assert np.isnan(at(grid, [-33.0, 101.0, 0.0])).all()
    grid.check_cover(100.0)
    with pytest.raises(ParameterError, match="covers -100 to 0 m, but the rope can reach"):
        grid.check_cover(250.0)


def test_a_missing_file_and_a_file_without_velocity_are_reported(tmp_path):
    with pytest.raises(OutputError, match="cannot read the wake grid"):
        at(GriddedWake(file=str(tmp_path / "none.npz")), [0.0, 0.0, 0.0])
    np.savez(tmp_path / "half.npz", x=[0.0, 1.0])
    with pytest.raises(ParameterError, match="y, z, velocity missing"):
        at(GriddedWake(file=str(tmp_path / "half.npz")), [0.0, 0.0, 0.0])
