"""Compensators one after the other."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.compensation import (
    AdaptiveForwardPrediction,
    Cascade,
    ForwardPrediction,
    PhaseAdvance,
    SecondOrderInverse,
)
from dovetail.core.errors import ParameterError


def test_each_part_filters_the_command_before_it(bench):
    signal = bench.sine(4.5, duration=0.5)
    inverse, prediction = SecondOrderInverse.from_omega(235.4, 0.684), ForwardPrediction(3.6e-3)
    first = bench.open_loop(inverse, signal, 0.0)["command"]
    again = dict(signal, displacement=np.asarray(first))
    signal_again = bench.sine(4.5, duration=0.5)
    signal_again.update(again)
    both = bench.open_loop(Cascade((inverse, prediction)), signal, 0.0)["command"]
    assert np.array_equal(both, bench.open_loop(prediction, signal_again, 0.0)["command"])


def test_the_response_is_the_product():
    parts = (SecondOrderInverse.from_omega(235.4, 0.684), ForwardPrediction(3.6e-3))
    w = jnp.array([10.0, 50.0])
    product = parts[0].response(w, 1e-3) * parts[1].response(w, 1e-3)
    assert np.asarray(Cascade(parts).response(w, 1e-3)) == pytest.approx(np.asarray(product))


def test_a_part_that_uses_more_than_the_displacement_must_come_first():
    with pytest.raises(ParameterError, match=r"SecondOrderInverse uses more than the displacement"):
        Cascade((ForwardPrediction(1e-3), SecondOrderInverse.from_omega(235.4, 0.684)))
    with pytest.raises(ParameterError, match=r"PhaseAdvance uses more"):
        Cascade((ForwardPrediction(1e-3), PhaseAdvance(1.5, 40.0, compensator=AdaptiveForwardPrediction())))


def test_start_up_of_every_part_is_over_when_running():
    chain = Cascade((ForwardPrediction(1e-3, order=1, window=2), ForwardPrediction(1e-3, order=1, window=3)))
    counts = [state["sample_count"] for state in chain.state_after_startup(chain.init())]
    assert counts == [2, 3]
