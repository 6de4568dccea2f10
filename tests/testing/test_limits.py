"""Limits of a test: their faults by axis and mode, and where the guide says that they are monitored."""

import dataclasses
import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

from dovetail.cli.run import check_test
from dovetail.core.errors import ParameterError, TestFileError
from dovetail.core.parameter import declared_parameters
from dovetail.testing import Limits, Rehearse, Simulate, all_modes
from dovetail.testing.limits import (
    MONITORED_LIMITS,
    default_frozen_ticks,
    faults,
    rotary_axes,
    with_frozen_sensor_limit,
)


def test_a_limit_of_zero_is_rejected():
    with pytest.raises(ParameterError, match=r"Limits\.force: got 0; must be above 0 N"):
        Limits(force=0.0)


def test_rotary_axes_are_given_by_names_or_by_the_substructure(make_cs1):
    named = dataclasses.replace(make_cs1(), axes=("x", "yaw"))
    assert rotary_axes(named) == (False, True)


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"torque": 5.0}, "limits.torque   there is no rotary axis"),
        ({"force": [1.0, 2.0]}, "limits.force   has 2 values; give one number, as there is one axis"),
        ({"power": [1.0]}, "limits.power   has 1 values; give one number"),
    ],
)
@pytest.mark.parametrize("mode", ["rehearse", "reference", "pseudodynamic"])
def test_a_limit_that_cannot_be_monitored_is_rejected_in_every_mode(make_cs1, limits, sentence, mode):
    test = make_cs1(limits=Limits(**limits))
    with pytest.raises(TestFileError, match=re.escape(sentence)):
        test.run_pseudodynamic() if mode == "pseudodynamic" else getattr(test, mode)()


@pytest.mark.parametrize(
    "limit", ["growth_rate", "torque", "tracking_error", "power", "interface_energy", "frozen_sensor"]
)
def test_a_simulation_rejects_limits_that_need_a_rig(limit):
    found = faults(Limits(**{limit: 1.0}), ("x",), (), 1, Simulate)
    assert [str(fault.path) for fault in found] == [f"limits.{limit}"]
    assert "cannot be monitored" in found[0].text


SIX = ("x", "y", "z", "roll", "pitch", "yaw")

TURNS = (False,) * 3 + (True,) * 3


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        (
            {"force": [1.0, 2.0, 3.0]},
            "has 3 values; give one number, or one for each of the 6 axes: x, y, z,",
        ),
        (
            {"displacement": [[1.0] * 6] * 2},
            "has 12 values; give one number, or one for each of the 6 axes",
        ),
        (
            {"force": [9.0, 9.0, 9.0, np.inf, 5.0, 5.0]},
            "rotary axes: pitch, yaw; give inf for these, and use limits.torque",
        ),
        (
            {"torque": [5.0] * 6},
            "linear axes: x, y, z; give inf for these, and use limits.force",
        ),
    ],
)
def test_a_limit_on_unsuitable_axes_is_reported_with_them(limits, sentence):
    found = faults(Limits(**limits), SIX, TURNS, 6, Rehearse)
    assert [fault.path for fault in found] == [f"limits.{name}" for name in limits]
    assert sentence in found[0].text


def test_limits_may_be_given_per_axis():
    inf = np.inf
    limits = Limits(force=[9.0, 9.0, inf, inf, inf, inf], torque=[inf] * 3 + [5.0] * 3, velocity=[1.0] * 6)
    assert faults(limits, SIX, TURNS, 6, all_modes()["pseudodynamic"]) == []
    assert faults(Limits(force=9.0, torque=5.0), SIX, TURNS, 6, all_modes()["realtime"]) == []


def test_rig_limits_are_rejected_without_a_rig():
    found = faults(Limits(link_timeout=3, approach_time=2.0), (), (), 1, Simulate)
    assert [fault.path for fault in found] == ["limits.link_timeout", "limits.approach_time"]
    assert faults(Limits(), (), (), 1, Simulate) == []


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("limits.forces=3", 'limits.forces   unknown key; did you mean "force"?'),
        ("limits.zzz=3", "limits.zzz   unknown key; known: acceleration, approach_time,"),
        ("limits.force=0", "limits.force   got 0; must be above 0 N"),
        ("limits.displacement=[1, 2]", "limits.displacement   has 2 values; give one number"),
        ('limits.torque="5 N m"', "limits.torque   there is no rotary axis"),
    ],
)
def test_the_check_command_reports_faults_of_limits(setting, sentence):
    with pytest.raises(TestFileError, match=re.escape(sentence)):
        check_test("substructuring/cs1", [setting])


def test_every_check_has_a_limit_and_an_outcome():
    assert (
        len({check.limit for check in MONITORED_LIMITS})
        == len({check.outcome for check in MONITORED_LIMITS})
        == len(MONITORED_LIMITS)
    )
    assert {check.limit for check in MONITORED_LIMITS} <= set(declared_parameters(Limits))


def test_the_guide_lists_every_limit_with_its_place_of_monitoring(monkeypatch):
    pytest.importorskip("docutils")
    for folder in (Path(__file__).parents[2] / "docs", Path(__file__).parents[2] / "docs" / "_ext"):
        monkeypatch.syspath_prepend(str(folder))
    place = Path(__file__).parents[2] / "docs" / "_ext" / "project_tables.py"
    spec = importlib.util.spec_from_file_location("project_tables", place)
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    header, *rows = tables._monitored()
    assert [row[0] for row in rows] == [check.limit for check in MONITORED_LIMITS]
    column = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    assert column["torque"]["pseudodynamic"] == "after the move"
    assert column["velocity"]["pseudodynamic"] == "before the move"
    assert column["interface_energy"]["realtime: approach and return"] == "no: the loop is open in this phase"
    assert {name for name, row in column.items() if row["simulation"] == "yes"} == set(
        ("displacement", "velocity", "acceleration", "force")
    )


@pytest.mark.parametrize(("delay", "ticks"), [(9e-3, 100), (0.05, 250)])
def test_a_sensor_may_be_constant_for_five_rig_delays(make_cs1, delay, ticks):
    """At 1000 ticks a second, but not for less than 0.1 s; in a pseudo-dynamic test, for ten moves."""
    test = make_cs1(delay=delay)
    assert default_frozen_ticks(test) == ticks
    assert float(with_frozen_sensor_limit(test, Rehearse()).limits.frozen_sensor) == ticks
    moves = with_frozen_sensor_limit(test, all_modes()["pseudodynamic"]())
    assert float(moves.limits.frozen_sensor) == 10
    chosen = make_cs1(limits=Limits(frozen_sensor=7.0))
    assert with_frozen_sensor_limit(chosen, Rehearse()) is chosen
