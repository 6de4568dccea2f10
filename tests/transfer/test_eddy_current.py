import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.transfer import EddyCurrentSensor
from dovetail.transfer.eddy_current import calibrate, laser_displacement


def settled(part, u, steps=40):
    part = part.with_sample_time(1e-5)
    x = part.init()
    for _ in range(steps):
        x, y = part.step(0.0, 1e-5, x, np.asarray(u))
    return float(y)


def test_an_exact_table_returns_the_displacement():
    for u in (0.0, 0.05e-3, 0.2e-3):
        assert settled(EddyCurrentSensor(), u) == pytest.approx(u, abs=1e-9)


def test_at_rest_it_reads_zero_from_the_start():
    part = EddyCurrentSensor().with_sample_time(1e-5)
    _, y = part.step(0.0, 1e-5, part.init(), np.zeros(()))
    assert float(y) == pytest.approx(0.0, abs=1e-12)


def test_a_table_from_a_stair_test_reads_to_a_fraction_of_a_micrometre():
    sensor = EddyCurrentSensor()
    rng = np.random.default_rng(2)
    levels = np.repeat(np.r_[np.linspace(0, 0.3e-3, 31), np.linspace(0.3e-3, 0, 31)], 200)
    voltage = np.interp(levels, sensor.displacement, sensor.voltage) + 0.02 * rng.standard_normal(len(levels))
    reference = levels + 0.3e-6 * rng.standard_normal(len(levels))
    table_voltage, table_displacement = calibrate(voltage, reference, 31)
    calibrated = EddyCurrentSensor(table_voltage=table_voltage, table_displacement=table_displacement)
    # stairs of 10 um on a curved characteristic: chords err by 0.1 um, averages by 0.02 V/sqrt(400)
    for u in (0.03e-3, 0.155e-3, 0.25e-3):
        assert settled(calibrated, u) == pytest.approx(u, abs=0.3e-6)


def test_laser_conversion():
    assert float(laser_displacement(1.0)) == pytest.approx(0.25e-3)


def test_a_table_that_does_not_rise_is_rejected():
    with pytest.raises(
        ParameterError, match="EddyCurrentSensor.table_voltage: expected a strictly increasing list"
    ):
        EddyCurrentSensor(table_voltage=[0.0, 1.0, 0.5], table_displacement=[0.0, 1e-4, 2e-4])


def test_records_of_different_length_are_rejected():
    with pytest.raises(ParameterError, match=r"got records of \(3,\) and \(4,\)"):
        calibrate(np.zeros(3), np.zeros(4), 2)
