import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.transfer import TotalDelayLag


@pytest.mark.parametrize(("delay", "kilohertz"), [(1e-3, 0.6366), (1.2e-3, 0.5305)])
def test_bandwidth_of_a_total_delay_is_as_published(delay, kilohertz):
    w = float(TotalDelayLag(delay).lag.omega)
    assert w / (2 * np.pi) == pytest.approx(1e3 * kilohertz, rel=1e-4)  # Bondoky 2020, sec. 5.5.2


def test_its_slow_lag_is_a_third_of_it():
    assert float(TotalDelayLag(1e-3).linear().low_frequency_delay) == pytest.approx(0.35e-3)


def test_a_ramp_is_followed_with_the_total_delay():
    part = TotalDelayLag(1e-3).with_sample_time(1e-5)
    v = 0.1
    ramp = v * 1e-5 * jnp.arange(1, 1001)
    _, y = jax.jit(lambda: jax.lax.scan(lambda x, u: part.step(0.0, 1e-5, x, u), part.init(), ramp))()
    assert float(y[-1]) == pytest.approx(v * (0.01 - 0.35e-3), rel=1e-9)


def test_a_total_delay_of_zero_is_rejected():
    with pytest.raises(ParameterError, match="TotalDelayLag.delay: got 0; must be above 0 s"):
        TotalDelayLag(0.0)
