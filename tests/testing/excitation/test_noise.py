import jax
import numpy as np
import pytest
import scipy.signal
import scipy.stats

from dovetail.core.errors import ParameterError
from dovetail.core.random import assign_keys
from dovetail.testing.excitation import PerAxis, WhiteNoiseExcitation

rate, duration = 64.0, 400.0  # [Hz], [s]
t = np.arange(0.0, duration, 1 / rate)
noise = assign_keys(WhiteNoiseExcitation(0.5, 2.0, 10.0, sine_count=200), jax.random.key(3))
signal = np.asarray(jax.vmap(noise)(t))


def test_its_mean_square_is_its_variance():
    # lines 0.04 Hz apart on average beat over 25 s; those nearer leave a few per cent in 400 s
    assert signal.std() == pytest.approx(0.5, rel=0.03)


def test_the_power_is_flat_inside_the_band():
    f, density = scipy.signal.welch(signal, rate, nperseg=256)
    inside = (f > 2.5) & (f < 9.5)
    width = f[1] - f[0]
    assert density[inside].sum() * width > 0.8 * 0.25
    assert density[(f < 1.0) | (f > 11.0)].sum() * width < 1e-3 * 0.25  # leakage of the window
    # 0.25 Hz hold six lines or so, each bin over four of them: the scatter of a level is below a half
    assert np.all(np.abs(density[inside] / (0.25 / 8.0) - 1) < 0.6)
    assert density[inside].mean() == pytest.approx(0.25 / 8.0, rel=0.05)


def test_it_is_gaussian():
    independent = signal[:: int(rate)]  # one per second, eight times the correlation time
    assert scipy.stats.kstest(independent / 0.5, "norm").pvalue > 1e-3


def test_the_function_depends_on_the_seed():
    part = WhiteNoiseExcitation(0.5, 2.0, 10.0)
    one, two, other = (assign_keys(part, jax.random.key(s))(1.234) for s in (1, 1, 2))
    assert one == two
    assert one != other


def test_each_axis_has_independent_noise():
    pair = PerAxis((WhiteNoiseExcitation(0.5, 2.0, 10.0), WhiteNoiseExcitation(0.5, 2.0, 10.0)))
    pair = assign_keys(pair, jax.random.key(0)).with_sample_time(1e-3, (2,))
    values = np.asarray(jax.vmap(pair)(t))
    assert (
        abs(np.corrcoef(values.T)[0, 1]) < 0.1
    )  # 400 s x 8 Hz x 2: 0.0125 deviation if white, few lines more


def test_faults_are_reported():
    with pytest.raises(ParameterError, match=r"WhiteNoiseExcitation.max_frequency: got 2.0 Hz"):
        WhiteNoiseExcitation(0.5, 3.0, 2.0)
    with pytest.raises(ParameterError, match=r"WhiteNoiseExcitation.key: is empty"):
        WhiteNoiseExcitation(0.5, 3.0, 5.0)(0.0)
