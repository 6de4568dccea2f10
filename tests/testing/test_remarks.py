"""Remarks on a test file that is right."""

import numpy as np
import pytest

from dovetail.testing import parse
from dovetail.testing.remarks import remarks

TABLE = {
    "rate": "60000 rpm",
    "duration": "0.1 s",
    "numerical": {"kind": "oscillator", "m": "2.2 kg", "c": 15, "k": "2.25 kN/m"},
    "rig": {
        "actuator": {
            "kind": "series",
            "parts": [{"kind": "second-order-lag", "omega": "16 Hz", "damping": 0.7}],
        },
        "specimen": {"kind": "spring", "k": 2250},
    },
    "excitation": {"kind": "sine", "amplitude": "12 mm", "frequency": "6 rad/s", "phase": "90 deg"},
    "limits": {"frozen_sensor": 50},
    "tunable": {"excitation.frequency": {"min": "3 rad/s", "max": "2 Hz"}},
}


def test_angle_conversions_are_remarked_with_their_path():
    test = parse(TABLE)
    assert test.rate == pytest.approx(1000.0)
    assert float(test.rig.actuator.parts[0].omega) == pytest.approx(32 * np.pi)
    assert float(test.tunable["excitation.frequency"].min) == pytest.approx(1.5 / np.pi)
    assert remarks(test, TABLE) == [
        'rig.actuator.parts[0].omega: "16 Hz" is 100.531 rad/s: a cycle is 2 pi rad',
        'excitation.frequency: "6 rad/s" is 0.95493 Hz: a cycle is 2 pi rad',
        'tunable."excitation.frequency".min: "3 rad/s" is 0.477465 Hz: a cycle is 2 pi rad',
    ]


def test_unchanged_values_have_no_remark():
    plain = {
        **TABLE,
        "rig": {"actuator": {"kind": "gain", "gain": 1}, "specimen": {"kind": "spring", "k": "2 kN/m"}},
        "tunable": {},
    }
    plain["excitation"] = {"kind": "sine", "amplitude": "12 mm", "frequency": "3 Hz"}
    assert remarks(parse(plain), plain) == []


def test_the_default_frozen_sensor_time_is_remarked():
    table = {key: value for key, value in TABLE.items() if key != "limits"}
    *_, last = remarks(parse(table), table)
    # the lag is 2 damping / omega = 13.9 ms late, five times that is below a tenth of a second
    assert last.startswith("limits.frozen_sensor: ")
    for value in ("100 ticks (100 ms; rig delay 13.9 ms)", "10 moves"):
        assert value in last
