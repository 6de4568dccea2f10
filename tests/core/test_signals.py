"""Table of signals."""

import tomllib
from importlib import resources

import pytest

from dovetail.core import signals
from dovetail.core.errors import ParameterError, UnknownNameError
from dovetail.core.units import to_si


def test_every_built_in_signal_has_a_valid_unit():
    for signal in signals.all_signals().values():
        for unit in signal.unit.split(", "):  # wrench: units of force and moment
            assert to_si(f"1 {unit}" if unit != "1" else 1.0, unit) == pytest.approx(1.0)
        assert signal.label
        assert signal.symbol


def test_packages_declare_signals_of_one_common_table():
    table = signals.all_signals()
    assert {"measured_force", "prediction_horizon", "identified_delay", "tension", "induced_velocity"} <= set(
        table
    )
    core = tomllib.loads(resources.files("dovetail.core").joinpath("signals.toml").read_text("utf-8"))
    assert "measured_force" in core
    assert not {"drogue_position", "lag_angle", "tension", "rotor_force"} & set(core)


def test_an_unknown_signal_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match='no signal "displacment"; did you mean "displacement"'):
        signals.signal("displacment")


def test_a_signal_cannot_be_declared_differently():
    new = signals.declare("valve_opening", symbol="y_v", unit="m", label="opening of the valve")
    assert signals.signal("valve_opening") == new
    assert signals.declare("valve_opening", symbol="y_v", unit="m", label="opening of the valve") == new
    with pytest.raises(ParameterError, match="already declared"):
        signals.declare("valve_opening", symbol="y_v", unit="mm", label="opening of the valve")


def test_the_axis_label_has_the_unit():
    assert signals.signal("feedback_force").axis_label.endswith("[N]")
