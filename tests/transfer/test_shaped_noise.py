import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.signal

from dovetail.core.random import assign_keys
from dovetail.transfer import ShapedNoise


def record(part, dt, count, key=3):
    part = assign_keys(part.with_sample_time(dt), jax.random.key(key))

    def step(x, _):
        return part.step(0.0, dt, x, jnp.zeros(()))

    return np.asarray(jax.jit(lambda: jax.lax.scan(step, part.init(), None, length=count)[1])())


@pytest.mark.parametrize("dt", [1e-5, 1.3333e-4, 1e-3])
def test_deviation_and_mean_do_not_depend_on_the_step(dt):
    y = record(ShapedNoise(1.5, 2 * np.pi * 1000.0, bias=0.6), dt, 200_000)
    # at the finest step some 4000 independent values: 1.1 % on the deviation, 0.024 N on the mean, at 3 sigma
    assert np.std(y) == pytest.approx(1.5, rel=0.04)
    assert np.mean(y) == pytest.approx(0.6, abs=0.08)


def test_the_spectrum_is_that_of_the_instrument():
    w, dt = 2 * np.pi * 1000.0, 1e-5
    part = ShapedNoise(1.5, w)
    f, density = scipy.signal.welch(record(part, dt, 400_000), 1 / dt, nperseg=4096)
    s = 2j * np.pi * f
    shape = 2 * float(part.density) / np.abs(1 + 2 * 0.707 * s / w + (s / w) ** 2) ** 2  # one-sided
    low = (f > 50) & (f < 3000)
    assert np.mean(density[low] / shape[low]) == pytest.approx(1.0, abs=0.03)


def test_densities_of_the_testbed_are_as_published():
    # Bondoky 2020, sec. 8.2.4: 1.0428e-11 mm^2/Hz and 0.001 N^2/Hz
    assert float(ShapedNoise(0.73e-3, 2 * np.pi * 23e3).density) == pytest.approx(1.0428e-11, rel=2e-3)
    assert float(ShapedNoise(1.5, 2 * np.pi * 1e3).density) == pytest.approx(1.0e-3, rel=0.02)


def test_the_same_key_gives_the_same_noise():
    part = ShapedNoise(1.5, 6283.0)
    np.testing.assert_array_equal(record(part, 1e-5, 10), record(part, 1e-5, 10))
