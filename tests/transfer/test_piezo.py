import numpy as np
import pytest

from dovetail.transfer import PiezoActuator
from dovetail.transfer.identification import simulate
from dovetail.transfer.piezo import AMPLIFIER, STACK

DT = 1 / 75e3


@pytest.fixture(scope="module")
def steps():
    """Answer to a step of 0.1 mm at 75 kHz, 2 ms after the start, with and without prefilter."""
    u = np.where(np.arange(1200) < 300, 0.0, 1e-4)
    return {name: np.asarray(simulate(PiezoActuator(prefilter=name), u, DT)) for name in ("none", "model")}


def test_the_sampled_loop_is_stable_and_without_error_at_rest(steps):
    for y in steps.values():
        assert y[-1] == pytest.approx(1e-4, abs=1e-7)  # the hysteresis is controlled away


def test_the_prefilter_increases_the_bandwidth(steps):
    rise = {name: np.argmax(y[300:] > 0.63e-4) * DT for name, y in steps.items()}
    # published model: 1.2 ms with PID alone; the step itself clips the drive, so it is not faster than that
    assert rise["none"] == pytest.approx(1.2e-3, rel=0.05)
    assert rise["model"] < rise["none"] / 3


def test_full_drive_is_the_published_stroke():
    assert abs(complex((AMPLIFIER * STACK)(0j))) == pytest.approx(0.316, rel=1e-2)  # [mm]


def test_the_stroke_is_not_exceeded():
    y = np.asarray(simulate(PiezoActuator(prefilter="none"), np.full(1500, 1e-3), DT))
    assert y[-1] == pytest.approx(239e-6 - 20e-6, abs=1e-6)


def test_it_describes_itself_for_an_analysis():
    delay = float(PiezoActuator(prefilter="tuned").linear().low_frequency_delay)
    assert delay == pytest.approx(0.51e-3, rel=0.02)


@pytest.mark.parametrize("width", [0.0, 0.1, 0.15])
def test_the_uncontrolled_stack_has_its_hysteresis(width):
    """Driven slowly without its controller, over the full drive; at half drive the ways are furthest apart."""
    drive = np.concatenate([np.linspace(0, 1, 4000), np.linspace(1, 0, 4000)])
    y = np.asarray(simulate(PiezoActuator(hysteresis=width).loop.plant, drive, DT))
    up, down = (
        np.interp(0.5, d, part) for d, part in ((drive[:4000], y[:4000]), (drive[:3999:-1], y[:3999:-1]))
    )
    assert down - up == pytest.approx(width * 0.316e-3, abs=3e-3 * 0.316e-3)
