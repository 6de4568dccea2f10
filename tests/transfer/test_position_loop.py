import numpy as np
import pytest

from dovetail.transfer import Gain, PositionLoop, SecondOrderLag
from dovetail.transfer.identification import simulate
from dovetail.transfer.transfer_function import TransferFunction

INTEGRAL = TransferFunction([500.0], [1.0, 0.0])  # [1/s]


def test_integral_action_brings_the_position_to_the_demand():
    loop = PositionLoop(controller=INTEGRAL, plant=SecondOrderLag(20000.0, 0.7))
    y = np.asarray(simulate(loop, np.full(2000, 1e-4), 1e-5))
    assert y[-1] == pytest.approx(1e-4, rel=1e-3)
    # the integrator's own lag, 2 ms
    assert y[200] == pytest.approx(1e-4 * (1 - np.exp(-1)), rel=0.02)


def test_stroke_and_drive_are_limited():
    loop = PositionLoop(controller=INTEGRAL, plant=Gain(1.0), min_position=0.0, max_position=5e-5)
    assert np.asarray(simulate(loop, np.full(3000, 1e-4), 1e-5))[-1] == pytest.approx(5e-5, rel=1e-3)
    starved = PositionLoop(controller=INTEGRAL, plant=Gain(1.0), max_drive=3e-5)
    assert np.asarray(simulate(starved, np.full(3000, 1e-4), 1e-5)).max() == pytest.approx(3e-5)


def test_the_offset_is_subtracted_from_the_motion():
    loop = PositionLoop(controller=INTEGRAL, plant=Gain(1.0), offset=2e-5)
    assert np.asarray(simulate(loop, np.zeros(3000), 1e-5))[-1] == pytest.approx(0.0, abs=1e-9)


def test_its_linear_part_is_the_closed_loop():
    loop = PositionLoop(controller=INTEGRAL, plant=Gain(1.0))
    assert float(loop.linear().low_frequency_delay) == pytest.approx(1 / 500.0)
