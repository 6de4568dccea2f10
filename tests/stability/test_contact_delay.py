import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.stability.contact_delay import (
    LIMIT,
    damper_work,
    damping_bounds,
    max_stable_delay,
    penetration,
    spring_work,
    work_by_quadrature,
)


@pytest.mark.parametrize("delay", [0.0, 3e-3, 20e-3, 0.12])
def test_work_of_a_delayed_spring_and_damper_equals_the_table(delay):
    sine = {"amplitude": 0.02, "omega": 31.0, "delay": delay}
    assert work_by_quadrature(k=2000.0, c=0.0, **sine) == pytest.approx(
        spring_work(k=2000.0, **sine), abs=1e-9
    )
    assert work_by_quadrature(k=0.0, c=15.0, **sine) == pytest.approx(damper_work(c=15.0, **sine), abs=1e-9)


def test_without_delay_a_spring_does_no_work():
    assert spring_work(k=1e4, amplitude=0.1, omega=50.0, delay=0.0) == 0.0


@pytest.mark.parametrize(
    ("m", "k", "delay", "lower", "upper"),
    [
        (1.0, 1000.0, 0.010, 10.367, 152.7),
        (10.0, 1000.0, 0.020, 20.277, 777.0),
        (6.5, 5000.0, 0.020, 114.77, 455.1),
        (17.91, 2500.0, 0.020, 51.0, 1385.0),
        (17.91, 50000.0, 0.011, 643.9, 2240.0),
    ],
)
def test_bounds_of_the_published_pairs(m, k, delay, lower, upper):
    found = damping_bounds(m=m, k=k, delay=delay)
    assert found.lower == pytest.approx(lower, rel=1e-3)
    assert found.upper == pytest.approx(upper, rel=1e-3)


@pytest.mark.parametrize(("m", "k", "delay"), [(6.5, 1e4, 0.020), (17.91, 5e4, 0.020), (17.91, 5e4, 0.120)])
def test_beyond_the_limit_no_damping_helps(m, k, delay):
    assert np.isnan(damping_bounds(m=m, k=k, delay=delay).lower)


def test_the_limit_is_where_both_bounds_meet():
    assert pytest.approx(0.7415, abs=1e-4) == LIMIT
    near = damping_bounds(m=1.0, k=1.0, delay=LIMIT * (1 - 1e-7))
    assert near.upper / near.lower == pytest.approx(1.0, abs=2e-3)


def test_a_loop_in_time_grows_below_the_bound_and_decays_above():
    """m = 1, k = 1000, delay 10 ms: bound 10.367; by small steps with a memory of the delay."""

    def growth(c):
        h, n = 1e-5, 1000
        x, v = np.zeros(200_001 + n), 0.0
        x[: n + 1] = 1e-3
        rates = np.zeros_like(x)
        for i in range(n, n + 200_000):
            late = -1000 * x[i - n] - c * rates[i - n]
            v += h * late
            x[i + 1] = x[i] + h * v
            rates[i + 1] = v
        return np.abs(x[-30_000:]).max() / np.abs(x[60_000:90_000]).max()

    assert growth(10.0) > 1.1
    assert growth(10.6) < 0.95


def test_largest_delay_for_a_damping_lies_on_its_bound():
    delay = max_stable_delay(m=17.91, k=2500.0, c=51.0)
    assert delay == pytest.approx(0.020, rel=2e-3)
    assert max_stable_delay(m=17.91, k=5e4) == pytest.approx(0.014, rel=5e-3)
    assert max_stable_delay(m=17.91, k=2500.0) == pytest.approx(0.063, rel=5e-3)
    assert max_stable_delay(m=1.0, k=1.0, c=0.0) == 0.0


def test_penetration_before_a_robot_reacts():
    assert penetration(speed=1.5, cycle=4e-3, latency=20e-3) == pytest.approx((6e-3, 30e-3))


def test_nonsense_is_rejected():
    with pytest.raises(ParameterError, match="positive"):
        damping_bounds(m=0.0, k=1.0, delay=0.1)
