"""Irregular seas: seeded, Gaussian, with the spectrum that was asked for."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad

from dovetail.core.errors import ParameterError
from dovetail.core.random import assign_keys
from dovetail.sea import BoxShip, Bretschneider, Jonswap, Seaway, estimate_spectrum, find_waves

T = np.arange(0.0, 7200.0, 0.5)  # [s] two hours


def sea(seed=1, **fields):
    fields = {"spectrum": Jonswap(height=3.0, period=9.0), "wave_count": 512} | fields
    return assign_keys(Seaway(**fields), jax.random.key(seed))


elevations = eqx.filter_jit(lambda sea, t: jax.vmap(sea.elevation)(t))
components = eqx.filter_jit(lambda sea: sea.components())


@pytest.fixture(scope="module")
def record():
    return np.asarray(elevations(sea(), T))


def test_the_significant_height_is_that_of_the_spectrum(record):
    assert 4 * record.std() == pytest.approx(3.0, rel=0.03)  # 512 waves, two hours
    # of single waves: Rayleigh's 4.004 is for a narrow band; 3.8 of the deviation is what seas have
    assert find_waves(T, record).significant == pytest.approx(3.0, rel=0.08)


def test_the_mean_period_between_crossings_is_that_of_the_moments(record):
    omega, a, _, _ = map(np.asarray, components(sea()))
    m0, m2 = (float(np.sum(0.5 * a**2 * omega**n)) for n in (0, 2))
    assert find_waves(T, record).mean_period == pytest.approx(2 * np.pi * np.sqrt(m0 / m2), rel=0.03)


@pytest.mark.slow
def test_heights_of_a_narrow_band_follow_rayleigh():
    narrow = sea(
        spectrum=Jonswap(height=3.0, period=9.0, enhancement=20.0),
        min_frequency_ratio=0.7,
        max_frequency_ratio=1.7,
    )
    t = np.arange(0.0, 4 * 7200.0, 0.5)
    found = find_waves(t, np.concatenate([np.asarray(elevations(narrow, part)) for part in np.split(t, 4)]))
    # waves of a narrow band come in groups: about a third of them are independent
    assert found.rayleigh_distance() < 1.63 / np.sqrt(len(found.heights) / 3)  # 1 % of Kolmogorov


def test_elevation_is_gaussian(record):
    z = record / record.std()
    assert abs(np.mean(z**3)) < 0.1
    assert np.mean(z**4) == pytest.approx(3.0, abs=0.25)


def test_the_spectrum_of_the_record_equals_its_target(record):
    omega, density = estimate_spectrum(T, record, 32)
    band = (omega > 0.5) & (omega < 1.2)
    true = np.asarray(Jonswap(height=3.0, period=9.0).density(omega[band]))
    assert np.sum(density[band]) == pytest.approx(np.sum(true), rel=0.05)
    assert np.corrcoef(density[band], true)[0, 1] > 0.95


def test_the_ship_moves_by_the_spectrum_of_its_response():
    ship = sea(response=BoxShip(), heading=2.0, speed=8.0)
    spread, deviation = eqx.filter_jit(lambda ship, t: (jax.vmap(ship.pose)(t).std(0), ship.deviation()))(
        ship, T
    )
    np.testing.assert_allclose(spread[:5], deviation[:5], rtol=0.05)
    assert deviation[5] == 0


def test_a_seed_is_one_sea_and_parameters_batch_over_it():
    one, again, other = (float(elevations(sea(seed), T[154:155])[0]) for seed in (1, 1, 2))
    assert one == again != other

    def heave(height):
        ship = eqx.tree_at(lambda s: s.spectrum.height, sea(1), height)
        return ship.pose(31.0)[2]

    one, two = jax.jit(jax.vmap(heave))(jnp.array([1.0, 2.0]))
    assert float(two) == pytest.approx(2 * float(one), rel=1e-12)


def test_spread_waves_have_the_same_height_and_mean_direction():
    spread = sea(spreading=2.0, heading=1.0)
    _, a, beta, _ = components(spread)
    assert np.std(np.asarray(beta)) == pytest.approx(np.sqrt(np.pi**2 / 12 - 0.5), rel=0.15)  # of cos^2
    np.testing.assert_allclose(np.mean(np.asarray(beta)), 1.0, atol=0.1)
    np.testing.assert_array_equal(a, components(sea())[1])


def test_a_seaway_needs_a_seed():
    with pytest.raises(ParameterError, match="assign_keys"):
        Seaway(spectrum=Bretschneider(height=1.0, period=8.0)).pose(0.0)


def test_height_and_period_are_those_of_the_spectrum_for_random_seas():
    """Judged by the integral of the printed formula; the height is exact, the period cut at 16 times the peak."""
    rng = np.random.default_rng(8)
    moments = jax.jit(lambda s, n: jnp.sum(0.5 * s.components()[1] ** 2 * s.components()[0] ** n))
    ratios = []
    for i in range(24):
        H, T, gamma = rng.uniform(0.5, 12), rng.uniform(4, 18), rng.uniform(1, 6)
        made = sea(i, spectrum=Jonswap(height=H, period=T, enhancement=gamma), wave_count=256)
        m0, m2 = (float(moments(made, n)) for n in (0, 2))
        assert 4 * np.sqrt(m0) == pytest.approx(H, rel=1e-9)

        def shape(x, gamma=gamma):
            peaked = np.exp(-0.5 * ((x - 1) / (0.07 if x <= 1 else 0.09)) ** 2)
            return x**-5.0 * np.exp(-1.25 * x**-4.0) * gamma**peaked

        whole = [quad(lambda x, n=n: x**n * shape(x), 0.1, np.inf, limit=500)[0] for n in (0, 2)]
        ratios.append(2 * np.pi * np.sqrt(m0 / m2) / (T * np.sqrt(whole[0] / whole[1])))
    assert np.mean(ratios) == pytest.approx(1.0025, abs=0.002)
    assert np.std(ratios) < 0.01


def test_spread_waves_are_distributed_as_the_power_of_a_cosine_and_lean_to_neither_side():
    shares = jnp.linspace(0.0, 1.0, 101)
    aside = eqx.filter_jit(lambda sea: sea._spreading_angles(shares))
    for power in (0.5, 2.0, 7.3, 30.0):
        angles = np.asarray(aside(sea(spreading=power)))[1:-1]
        np.testing.assert_allclose(angles, -angles[::-1], atol=1e-9)
        whole = quad(lambda a, n=power: np.cos(a) ** n, -np.pi / 2, np.pi / 2)[0]
        below = [quad(lambda a, n=power: np.cos(a) ** n, -np.pi / 2, b)[0] / whole for b in angles]
        np.testing.assert_allclose(below, shares[1:-1], atol=1e-3)


def test_a_raft_heaves_rolls_and_pitches_with_the_surface_under_it():
    raft = sea(2, wave_count=16, spreading=4.0, speed=6.0, heading=2.0)

    @jax.jit
    @jax.vmap
    def both(t):
        height, slope = jax.value_and_grad(lambda p: raft.surface(t, p[:1], p[1:])[0])(jnp.zeros(2))
        return jnp.stack([height, slope[1], -slope[0]]), raft.pose(t)[2:5]

    found, posed = both(jnp.linspace(0.0, 60.0, 50))
    np.testing.assert_allclose(found, posed, atol=1e-12 * float(jnp.abs(posed).max()) + 1e-12)


def test_waves_that_a_grid_cannot_resolve_are_omitted():
    here = jnp.zeros(1)
    height = eqx.filter_jit(lambda sea, shortest: sea.surface(3.0, here, here, min_wavelength=shortest)[0])
    assert float(height(sea(), jnp.asarray(1e9))) == 0.0
    everything = float(elevations(sea(), np.array([3.0]))[0])
    assert float(height(sea(), jnp.asarray(1e-9))) == pytest.approx(everything, rel=1e-12)
