import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ConnectionFault
from dovetail.core.kinds import find
from dovetail.core.random import assign_keys
from dovetail.testing.excitation import (
    Excitation,
    FadeIn,
    PerAxis,
    Pulse,
    Sine,
    Step,
    SumOfSines,
    Sweep,
    Table,
    WhiteNoiseExcitation,
    Zero,
)

SMOOTH = {
    "sine": Sine(0.5, 3.0, 0.2, 0.1),
    "sum of sines": SumOfSines([0.5, 0.2], [3.0, 7.0], [0.1, 0.2]),
    "linear sweep": Sweep(0.5, 1.0, 15.0, 2.0),
    "logarithmic sweep": Sweep(0.5, 1.0, 15.0, 2.0, sweep_law="logarithmic", direction="up-down"),
    "smooth step": Step(0.5, 0.3, rise_time=0.9),
    "pulse": Pulse(0.5, 2.0),
    "table": Table([0.0, 0.5, 0.8, 2.0], [0.0, 1.0, -1.0, 0.5], "cubic"),
    "noise": assign_keys(WhiteNoiseExcitation(0.5, 1.0, 9.0), jax.random.key(0)),
    "fade-in": FadeIn(Sine(0.5, 3.0), 1.5),
    "zero": Zero(),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_the_rate_is_the_derivative(name):
    excitation = SMOOTH[name]
    h = 1e-6  # [s] rounding eps/h = 2e-10; third derivative of at most (2 pi 15)^3 h^2 = 1e-6
    for t in (0.4, 0.9, 1.3):
        difference = (excitation(t + h) - excitation(t - h)) / (2 * h)
        np.testing.assert_allclose(excitation.rate(t), difference, atol=2e-6)


@pytest.mark.parametrize("name", SMOOTH)
def test_it_may_be_compiled_and_evaluated_at_many_times(name):
    times = jnp.linspace(0.0, 2.0, 7)
    many = jax.jit(jax.vmap(SMOOTH[name]))(times)
    one_by_one = [SMOOTH[name](t) for t in times]
    np.testing.assert_allclose(many, one_by_one, atol=1e-12)


@pytest.mark.parametrize("name", SMOOTH)
def test_one_value_serves_every_axis(name):
    sized = SMOOTH[name].with_sample_time(1e-3, (3,))
    assert sized(0.4).shape == (3,)
    assert sized.rate(0.4).shape == (3,)
    np.testing.assert_allclose(sized(0.4), SMOOTH[name](0.4))


def test_parameters_may_differ_per_axis():
    sized = Sine([1.0, 2.0], 3.0).with_sample_time(1e-3, (2,))
    np.testing.assert_allclose(sized(0.1), np.array([1.0, 2.0]) * np.sin(2 * np.pi * 0.3))


def test_the_end_is_that_of_the_first_to_end():
    table = Table([0.0, 1.0, 2.5], [0.0, 1.0, 0.0])
    assert Sine(1.0, 1.0).valid_until == math.inf
    assert table.valid_until == 2.5
    assert FadeIn(table, 1.0).valid_until == 2.5
    assert PerAxis((Sine(1.0, 1.0), table)).valid_until == 2.5


def test_a_wrong_shape_is_reported():
    with pytest.raises(ConnectionFault, match=r"Sine: .* shape \(2,\), .* shape \(3,\)"):
        Sine([1.0, 2.0], 3.0).with_sample_time(1e-3, (3,))


@pytest.mark.parametrize(
    "name",
    [
        "sine", "sum-of-sines", "sweep", "step", "pulse", "table", "white-noise-excitation", "zero",
        "per-axis", "fade-in",
    ],
)  # fmt: skip
def test_test_files_can_name_it(name):
    assert issubclass(find(name), Excitation)
