"""One family of winds: over a deck, and what a stream carries."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import (
    Dryden,
    GriddedWake,
    GustyWind,
    SteadyWind,
    StillAir,
    VortexPair,
    WindFields,
    WindTable,
)
from dovetail.air.wind import from_compass
from dovetail.core.errors import ParameterError
from dovetail.core.random import assign_keys


def test_a_wind_from_ahead_blows_aft_and_from_starboard_to_port():
    np.testing.assert_allclose(from_compass(jnp.asarray(10.0), 0.0), [-10.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(from_compass(jnp.asarray(10.0), np.pi / 2), [0.0, 10.0, 0.0], atol=1e-12)


def test_a_table_is_interpolated_and_has_an_end():
    table = WindTable(times=[0.0, 1.0, 1.5, 3.0], wind=[[0, 0, 0], [0, 0, 0], [0, 3, 0], [0, 3, 0]])
    np.testing.assert_allclose(table.velocity(1.25, jnp.zeros((3, 2))), [[0, 0], [1.5, 1.5], [0, 0]])
    assert table.valid_until == 3.0
    assert WindFields((SteadyWind(), table)).valid_until == 3.0
    with pytest.raises(ParameterError, match="three velocity components for each"):
        WindTable(times=[0.0, 1.0], wind=[[0, 0], [0, 0]])
    with pytest.raises(ParameterError, match="increasing times"):
        WindTable(times=[0.0, 0.0], wind=[[0, 0, 0], [0, 0, 0]])


def test_gusts_are_carried_along_the_wind_and_have_their_size():
    field = assign_keys(GustyWind(wind=(-10.0, 5.0, 0.0)), jax.random.key(3))
    along = np.array([-10.0, 5.0, 0.0]) / np.hypot(10, 5)
    # what is here now was upwind before
    velocity = jax.jit(lambda t, r: field.velocity(t, r))
    here = velocity(7.0, jnp.zeros(3))
    before = velocity(5.0, jnp.asarray(-along * np.hypot(10, 5) * 2.0))
    np.testing.assert_allclose(here, before, rtol=1e-9)
    t = jnp.linspace(0.0, 4000.0, 2001)
    gust = np.asarray(jax.jit(jax.vmap(lambda t: field.velocity(t, jnp.zeros(3))))(t)) - np.array(
        [-10.0, 5.0, 0.0]
    )
    np.testing.assert_allclose(gust.std(0), 1.0, rtol=0.15)  # 1 m/s, less what lies outside the band


def test_a_gridded_wake_scales_with_the_wind_and_adds_up(tmp_path):
    x = np.linspace(-10, 10, 3)
    X, _, Z = np.meshgrid(x, x, x, indexing="ij")
    field = np.stack([-1.0 - 0.01 * Z, 0.02 * X, 0 * X])
    np.savez(tmp_path / "wake.npz", x=x, y=x, z=x, velocity=field)
    wake = GriddedWake(file=str(tmp_path / "wake.npz"), scale=20.0)
    r = jnp.array([[5.0, 1.0, 2.0], [-3.0, 0.0, 0.0]]).T
    expected = 20.0 * np.array([[-1.02, 0.1, 0.0], [-1.0, -0.06, 0.0]]).T
    np.testing.assert_allclose(wake.velocity(0.0, r), expected, rtol=1e-12)
    both = WindFields((wake, SteadyWind(wind=(0.0, 0.0, 1.0))))
    np.testing.assert_allclose(both.velocity(0.0, r), expected + np.array([[0], [0], [1.0]]), rtol=1e-12)
    assert np.isnan(wake.velocity(0.0, jnp.array([50.0, 0.0, 0.0]))).all()
    both.check_without_stream("here")
    with pytest.raises(ParameterError, match="the rope can reach -30 to 0 m"):
        both.check_cover(30.0)


@pytest.mark.parametrize("field", [Dryden(), VortexPair(), WindFields((SteadyWind(), Dryden()))])
def test_gusts_without_a_mean_stream_are_rejected(field):
    with pytest.raises(ParameterError, match=r"deck: '(dryden|vortex-pair)' requires a stream .* gusty-wind"):
        field.check_without_stream("deck")


def test_still_air_has_zero_velocity_everywhere():
    np.testing.assert_array_equal(StillAir().velocity(0.0, jnp.ones((3, 4))), np.zeros((3, 4)))
    StillAir().check_without_stream("deck")
    StillAir().check_cover(1e9)
