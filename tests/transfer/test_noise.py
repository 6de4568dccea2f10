import jax
import numpy as np
import pytest
import scipy.signal
import scipy.stats

from dovetail.core.errors import ParameterError
from dovetail.core.random import assign_keys
from dovetail.transfer import ColouredNoise, RelativeNoise, Series, WhiteNoise

dt = 1e-3  # [s]
n = 40_000


def noise(drive, part, seed=7, n=n, axes=(), dt=dt):
    return np.asarray(drive(assign_keys(part, jax.random.key(seed)), np.zeros((n, *axes)), dt))


def test_white_noise_is_gaussian_of_its_deviation_and_uncorrelated(drive):
    y = noise(drive, WhiteNoise(0.5))
    assert y.std() == pytest.approx(0.5, rel=4 / np.sqrt(2 * n))  # 4 standard errors
    assert abs(y.mean()) < 4 * 0.5 / np.sqrt(n)
    assert scipy.stats.kstest(y / 0.5, "norm").pvalue > 1e-4
    correlation = [np.corrcoef(y[k:], y[:-k])[0, 1] for k in range(1, 20)]
    assert np.abs(correlation).max() < 4.5 / np.sqrt(n)


def test_the_density_sets_the_deviation(drive):
    part = WhiteNoise.from_density(1e-3, 1 / 4096)
    y = noise(drive, part, dt=1 / 4096)
    _, density = scipy.signal.welch(y, 4096, nperseg=256)
    assert density[5:-5].mean() / 2 == pytest.approx(1e-3, rel=0.03)  # welch's is one-sided; 312 averages


def test_noise_is_bitwise_determined_by_its_seed(drive):
    for part in (WhiteNoise(1.0), ColouredNoise(1.0, 10.0)):
        np.testing.assert_array_equal(noise(drive, part, 1, 50), noise(drive, part, 1, 50))
        assert not np.any(noise(drive, part, 1, 50) == noise(drive, part, 2, 50))


def test_parts_and_axes_are_independent(drive):
    pair = noise(drive, WhiteNoise(1.0), axes=(2,))
    assert abs(np.corrcoef(pair.T)[0, 1]) < 4 / np.sqrt(n)
    both = noise(drive, Series((WhiteNoise(1.0), WhiteNoise(1.0))))
    assert both.var() == pytest.approx(2.0, rel=4 * np.sqrt(2 / n))  # one draw twice would give 4


def test_noise_is_added_to_the_signal(drive):
    part = assign_keys(WhiteNoise(0.3), jax.random.key(0))
    zero, one = (np.asarray(drive(part, np.full(20, u), dt)) for u in (0.0, 1.0))
    np.testing.assert_allclose(one - zero, 1.0, rtol=1e-12)


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_coloured_noise_has_a_spectrum_independent_of_the_step(drive, dt):
    std, corner = 0.5, 8.0  # [1], [Hz]
    runs = noise(drive, ColouredNoise(std, corner), axes=(400,), n=60, dt=dt)
    # stationary from the first sample on, over 400 independent axes: 4.5 standard errors each
    assert runs[0].std() == pytest.approx(std, rel=4.5 / np.sqrt(800))
    assert runs[-1].std() == pytest.approx(std, rel=4.5 / np.sqrt(800))
    lag = round(0.02 / dt)
    expected = np.exp(-2 * np.pi * corner * 0.02)
    measured = np.corrcoef(runs[-1], runs[-1 - lag])[0, 1]
    assert measured == pytest.approx(expected, abs=4.5 * (1 - expected**2) / np.sqrt(400))


def test_the_spectrum_of_coloured_noise_has_halved_at_its_corner(drive):
    std, corner = 1.0, 20.0
    y = noise(drive, ColouredNoise(std, corner), n=100_000)
    f, density = scipy.signal.welch(y, 1 / dt, nperseg=1000)
    expected = 2 * std**2 / (np.pi * corner) / (1 + (f / corner) ** 2)  # one-sided
    ratio = (density / expected)[(f > 2) & (f < 60)]  # above, folding about 500 Hz adds more than 1 %
    assert abs(ratio.mean() - 1) < 0.05  # 59 bins x 199 averages, half of them independent: 1 %
    assert ratio[np.abs(f[(f > 2) & (f < 60)] - corner) < 3].mean() == pytest.approx(1.0, abs=0.15)


def test_a_missing_random_key_is_reported():
    with pytest.raises(
        ParameterError, match=r"WhiteNoise.key: is empty.*assign_keys\(part, jax.random.key\(seed\)\)"
    ):
        WhiteNoise(0.5).with_sample_time(dt).init()
    with pytest.raises(ParameterError, match=r"ColouredNoise.key: is empty"):
        ColouredNoise(0.5, 1.0).with_sample_time(dt).init()


def test_relative_noise_is_proportional_to_the_signal(drive):
    part = assign_keys(RelativeNoise(0.06), jax.random.key(0))
    u = np.tile([1.0, -20.0, 0.0], n // 3)
    error = np.asarray(drive(part, u, dt)) - u
    for i, level in enumerate((1.0, 20.0)):
        assert error[i::3].std() == pytest.approx(0.06 * level, rel=4 / np.sqrt(2 * n / 3))
    np.testing.assert_array_equal(error[2::3], 0.0)
