"""Dryden gusts: intensity, spectrum, repeatability."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import Dryden
from dovetail.air.turbulence import spectrum
from dovetail.air.wind import FreeStream
from dovetail.core.errors import ParameterError
from dovetail.core.random import assign_keys


def met_by(gust, t, x, speed=170.0):
    """Gusts (3, n) at distances x (n,) downstream."""
    x = jnp.asarray(x)
    return gust.velocity(t, jnp.stack([x, 0 * x, 0 * x]), FreeStream(speed, 0.7))


def test_the_variance_is_the_intensity_squared():
    # the spectra integrate to sigma^2
    omega = np.geomspace(1e-6, 100.0, 200_000)
    phi = np.asarray(jax.jit(spectrum)(omega, np.full((3, 1), 2.0), np.full((3, 1), 300.0)))
    np.testing.assert_allclose(np.trapezoid(phi, omega), 4.0, rtol=2e-3)
    gust = assign_keys(Dryden(intensity=2.0, scale=300.0, wave_count=200), jax.random.key(3))
    t = np.linspace(0.0, 20_000.0, 40_000)
    met = jax.jit(lambda t: met_by(gust, 0.0, -170.0 * t))
    field = np.concatenate([np.asarray(met(part)) for part in np.split(t, 8)], axis=1)
    np.testing.assert_allclose(field.std(axis=1), 2.0, rtol=0.06)


def test_gusts_depend_on_the_seed_only():
    a, b = (assign_keys(Dryden(), jax.random.key(k)) for k in (1, 2))
    x = jnp.array([0.0, 100.0])
    np.testing.assert_array_equal(met_by(a, 3.0, x), met_by(a, 3.0, x))
    assert not np.allclose(met_by(a, 3.0, x), met_by(b, 3.0, x))


def test_the_field_is_frozen_and_blows_past():
    gust = assign_keys(Dryden(), jax.random.key(1))
    np.testing.assert_allclose(
        met_by(gust, 0.0, jnp.array([10.0])), met_by(gust, 1.0, jnp.array([-160.0])), atol=1e-9
    )


def test_a_missing_random_key_is_reported():
    with pytest.raises(ParameterError, match="assign_keys"):
        met_by(Dryden(), 0.0, jnp.zeros(1))


def test_the_realised_deviation_is_the_intensity_at_any_scale():
    """Gusts at 20,000 places far apart: their deviation is known to one per cent."""
    rng = np.random.default_rng(8)
    places = jnp.asarray(rng.uniform(0, 1e8, 20_000))
    for scale in (5.0, 20.0, 120.0, 1500.0):
        sigma = rng.uniform(0.3, 4.0, 3)
        gust = assign_keys(Dryden(intensity=sigma, scale=scale), jax.random.key(int(scale)))
        np.testing.assert_allclose(np.asarray(met_by(gust, 0.0, places)).std(axis=1), sigma, rtol=0.03)


def test_a_record_has_the_spectrum_of_dryden_octave_by_octave():
    """Gusts met at 170 m/s against the printed formulas: along, and across with its zero."""
    sigma, scale, speed, dt = 2.0, 300.0, 170.0, 0.05
    gust = assign_keys(Dryden(intensity=sigma, scale=scale, wave_count=400), jax.random.key(5))
    t = dt * np.arange(2**16)
    met = jax.jit(lambda t: met_by(gust, 0.0, -speed * t, speed))
    field = np.concatenate([np.asarray(met(part)) for part in np.split(t, 16)], axis=1)
    omega = 2 * np.pi * np.fft.rfftfreq(t.size, dt) / speed  # [rad/m]
    density = 2 * np.abs(np.fft.rfft(field, axis=1)) ** 2 / t.size**2  # variance a line
    x = scale * omega
    along = sigma**2 * 2 * scale / np.pi / (1 + x**2)
    across = sigma**2 * scale / np.pi * (1 + 3 * x**2) / (1 + x**2) ** 2
    step = omega[1]
    for edge in 2.0 ** np.arange(-1, 4):
        band = (x > edge) & (x <= 2 * edge)
        for row, formula in zip(density, (along, across, across), strict=True):
            assert row[band].sum() == pytest.approx(np.sum(formula[band]) * step, rel=0.25), edge


@pytest.mark.parametrize("scale", [5.0, 50.0, 533.0])
def test_the_energy_of_a_band_is_that_of_the_formula(scale):
    """Energy of the gusts between 0.3 and 3 radians per scale, against the integral of the spectra."""
    gust = assign_keys(Dryden(intensity=1.0, scale=scale, wave_count=400), jax.random.key(2))
    length = 1200.0 * scale
    x = np.arange(0.0, length, 0.2 * scale)
    field = np.asarray(met_by(gust, 0.0, jnp.asarray(x)))
    omega = 2 * np.pi * np.fft.rfftfreq(len(x), 0.2 * scale)
    energy = 2 * np.abs(np.fft.rfft(field * np.hanning(len(x)) * np.sqrt(8 / 3), axis=1) / len(x)) ** 2
    inside = (omega > 0.3 / scale) & (omega < 3.0 / scale)
    fine = np.linspace(0.3, 3.0, 2001) / scale
    phi = np.asarray(spectrum(fine, np.ones((3, 1)), np.full((3, 1), scale)))
    np.testing.assert_allclose(energy[:, inside].sum(axis=1), np.trapezoid(phi, fine), rtol=0.2)
