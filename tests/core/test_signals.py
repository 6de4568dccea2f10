"""One table of signals."""

import tomllib
from importlib import resources

import pytest

from dovetail.core import signals
from dovetail.core.errors import ParameterError, UnknownNameError
from dovetail.core.units import to_si


def test_every_built_in_signal_has_a_unit_that_can_be_read():
    for known in signals.known().values():
        for unit in known.unit.split(", "):  # of a wrench: that of its forces, that of its moments
            assert to_si(f"1 {unit}" if unit != "1" else 1.0, unit) == pytest.approx(1.0)
        assert known.label
        assert known.symbol


def test_a_room_keeps_its_own_signals_and_all_are_one_table():
    table = signals.known()
    assert {"measured_force", "prediction_horizon", "identified_delay", "tension", "inflow"} <= set(table)
    own = tomllib.loads(resources.files("dovetail.core").joinpath("signals.toml").read_text("utf-8"))
    assert "measured_force" in own
    assert not {"drogue_position", "lag_angle", "tension", "rotor_force"} & set(own)


def test_an_unknown_signal_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match='no signal "displacment"; did you mean "displacement"'):
        signals.signal("displacment")


def test_a_user_declares_a_signal_once():
    new = signals.declare("valve_opening", symbol="y_v", unit="m", label="opening of the valve")
    assert signals.signal("valve_opening") == new
    assert signals.declare("valve_opening", symbol="y_v", unit="m", label="opening of the valve") == new
    with pytest.raises(ParameterError, match="already declared"):
        signals.declare("valve_opening", symbol="y_v", unit="mm", label="opening of the valve")


def test_axis_label_carries_the_unit():
    assert signals.signal("force").axis_label.endswith("[N]")
