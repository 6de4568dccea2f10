"""Verdict and errors of each stretch with constant tunable parameters, against runs with these values throughout."""

import dataclasses
import json

import numpy as np
import pytest
from tests.testing.conftest import cs1

from dovetail.core.recording import RecordedSignal
from dovetail.report.judged import Judged, RunView
from dovetail.report.page import PageTable
from dovetail.report.run_page import rehearsal_page
from dovetail.report.stretches import assess_run, moved_stretches, stretches_section
from dovetail.testing import Ramp
from dovetail.testing.operator import Tunable
from dovetail.testing.tunable_history import SIGNAL

PATH, LOW, HIGH = "numerical.c", 5.0, 30.0
EVENTS = json.dumps(
    [
        {
            "wall_time": "12:00",
            "time": 3.0,
            "user": "Ada",
            "action": "set",
            "path": PATH,
            "old": HIGH,
            "new": LOW,
        }
    ]
)


@pytest.fixture(scope="module")
def run():
    """Six seconds in which the operator lowers the damping between 3 and 3.5 s."""
    test = cs1(duration=6.0)
    ramp = {PATH: Ramp(start=3.0, end=3.5, initial=HIGH, final=LOW)}
    moved = dataclasses.replace(test, schedule=ramp).rehearse()
    values = np.interp(moved.recording.time.values, [3.0, 3.5], [HIGH, LOW])[:, None]
    signals = {**moved.recording.signals, SIGNAL: RecordedSignal(values, ("time", "tunable_values_0"))}
    data = dataclasses.replace(moved.recording, signals=signals).with_attrs(operator_events=EVENTS)
    operated = dataclasses.replace(
        test.with_values(**{PATH: HIGH}), tunable={PATH: Tunable(min=1.0, max=40.0)}
    )
    return dataclasses.replace(moved, test=operated, recording=data)


def test_each_stretch_has_the_margin_and_the_errors_of_a_run_with_its_values(run):
    table, _ = stretches_section(Judged(RunView(run, run.reference())))
    assert isinstance(table, PageTable)
    for row, value, part in zip(table.rows, (HIGH, LOW), (slice(0, 3001), slice(3500, 6001)), strict=True):
        test = cs1(duration=6.0).with_values(**{PATH: value})
        assert f"{1e3 * abs(test.stability().margin):.3g} ms" in row[2]
        assert row[2].startswith("Stable" if value == HIGH else "Unstable")
        demand, measured = (run.data[name].values[part] for name in ("displacement", "measured_displacement"))
        reference = run.reference().data["displacement"].values[part]
        tracking = np.sqrt(np.mean((demand - measured) ** 2) / np.mean(reference**2))
        assert float(row[4].removesuffix(" %")) == pytest.approx(100 * tracking, rel=5e-3)
        response = np.sqrt(np.mean((demand - reference) ** 2) / np.mean(reference**2))
        assert float(row[3].removesuffix(" %")) == pytest.approx(100 * response, rel=5e-3)


def test_the_verdict_is_that_of_the_stretch_with_the_smallest_margin(run):
    result, reason = assess_run(run)
    assert reason == ""
    assert result.margin == pytest.approx(cs1(duration=6.0).with_values(**{PATH: LOW}).stability().margin)
    assert result.margin < run.test.stability().margin
    assert "3.5 to 6 s with numerical.c 5 N s/m" in result.remarks[-1]
    page = rehearsal_page(run, run.reference(), result)
    assert "Tunable parameters" in [block.title for block in page.blocks if hasattr(block, "title")]


def test_a_pseudodynamic_test_has_the_moves_of_each_stretch():
    test = dataclasses.replace(cs1(), tunable={PATH: Tunable(min=1.0, max=40.0)})
    t, moves = np.arange(10.0), np.arange(10.0)
    columns = {
        "move_number": moves,
        "command": np.zeros(10),
        "measured_displacement": np.where(t < 5, 1e-3, 2e-3),
    }
    run = test.with_values().rehearse()
    data = dataclasses.replace(
        run.recording,
        signals={name: RecordedSignal(values, ("time",)) for name, values in columns.items()}
        | {SIGNAL: RecordedSignal(np.where(t < 5, HIGH, LOW)[:, None], ("time", "tunable_values_0"))},
        coords={"time": RecordedSignal(t, ("time",))},
    )
    (table,) = moved_stretches(dataclasses.replace(run, recording=data.with_attrs(operator_events=EVENTS)))
    assert [row[1:] for row in table.rows] == [
        ["30 N s/m", "0 to 4", "1 mm"],
        ["5 N s/m", "5 to 9", "2 mm"],
    ]
