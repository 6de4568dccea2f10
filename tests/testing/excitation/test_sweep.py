import jax
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.testing.excitation import Sweep

SWEEPS = [
    Sweep(0.5, 1.0, 15.0, 6.0),
    Sweep(0.5, 1.0, 15.0, 6.0, direction="up-down"),
    Sweep(0.5, 1.0, 15.0, 6.0, sweep_law="logarithmic"),
    Sweep(0.5, 1.0, 15.0, 6.0, sweep_law="logarithmic", direction="up-down"),
    Sweep(0.5, 15.0, 1.0, 6.0, sweep_law="logarithmic"),
]


@pytest.mark.parametrize("sweep", SWEEPS)
def test_the_phase_is_the_integral_of_the_frequency(sweep):
    end = 12.0 if sweep.direction == "up-down" else 6.0
    t = np.linspace(0.0, end, 24_001)  # a corner at 6 s falls on a sample
    f = np.asarray(jax.vmap(sweep.frequency)(t))
    cycles = np.r_[0.0, np.cumsum((f[1:] + f[:-1]) / 2) * (t[1] - t[0])]
    # trapezium rule: f'' dt^2/12 over the time, at most 4 Hz/s^2 x 12 s x (5e-4 s)^2/12 = 1e-6 cycles
    np.testing.assert_allclose(jax.vmap(sweep)(t), 0.5 * np.sin(2 * np.pi * cycles), atol=1e-5)


def test_the_frequency_sweeps_up_and_down():
    linear, logarithmic = SWEEPS[1], SWEEPS[3]
    np.testing.assert_allclose([linear.frequency(t) for t in (0.0, 3.0, 6.0, 9.0, 12.0)], [1, 8, 15, 8, 1])
    middle = np.sqrt(15.0)
    np.testing.assert_allclose(
        [logarithmic.frequency(t) for t in (0.0, 3.0, 6.0, 9.0)], [1, middle, 15, middle]
    )


@pytest.mark.parametrize("sweep", SWEEPS)
def test_the_rate_at_the_corners_is_that_beside_them(sweep):
    """At the start and, there and back, at the turn: a sample that falls on them must not feel half the rate."""
    corners = [0.0, 6.0] if sweep.direction == "up-down" else [0.0]
    for t in corners:
        assert float(sweep.rate(t)) == pytest.approx(float(sweep.rate(t + 1e-9)), rel=1e-6)


def test_it_is_silent_outside():
    assert SWEEPS[0](-0.1) == 0.0
    assert SWEEPS[0](6.1) == 0.0
    assert SWEEPS[1](6.1) != 0.0
    assert SWEEPS[1](12.1) == 0.0


def test_faults_are_reported():
    with pytest.raises(ParameterError, match=r"Sweep.start_frequency: got 0.0"):
        Sweep(0.5, 0.0, 15.0, 6.0, sweep_law="logarithmic")
    with pytest.raises(ParameterError, match=r"Sweep.end_frequency: equals start_frequency"):
        Sweep(0.5, 3.0, 3.0, 6.0, sweep_law="logarithmic")
    with pytest.raises(ParameterError, match=r'Sweep.direction: got "down"; one of up, up-down'):
        Sweep(0.5, 1.0, 3.0, 6.0, direction="down")
