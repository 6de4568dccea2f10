"""A run and its dataset."""

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import UnknownNameError
from dovetail.report.simulation import simulation_page
from dovetail.testing.run import recording_of


def test_a_run_reads_as_a_line(make_cs1):
    run = make_cs1(duration=0.5, title="CS1").rehearse()
    assert str(run) == "CS1: rehearse, 0.5 of 0.5 s. Finished: the run reached its end time."


def test_a_signal_that_is_not_in_the_table_is_rejected(make_cs1):
    with pytest.raises(UnknownNameError, match='no signal "mystery"'):
        recording_of(make_cs1(), np.arange(3.0), {"mystery": np.arange(3.0)}, {})


def test_axes_are_numbered_when_they_have_no_names():
    test = dv.Test(
        numerical=dv.mechanics.Oscillator(m=[1.0, 1.0], c=1.0, k=1.0),
        rig=dv.Rig(dv.transfer.Delay(0.0), dv.specimens.Spring(k=1.0)),
    )
    data = recording_of(test, np.arange(3.0), {"feedback_force": np.zeros((3, 2))}, {"mode": "x"})
    assert list(data.axis.values) == ["1", "2"]
    assert data["feedback_force"].dims == ("time", "axis")


@pytest.mark.parametrize("kinds", [(True, True), (False, True)])
def test_rotary_axes_have_angles_and_moments(kinds, monkeypatch):
    test = dv.Test(
        numerical=dv.mechanics.Oscillator(m=[1.0, 1.0], c=1.0, k=1.0),
        rig=dv.Rig(dv.transfer.Delay(0.0), dv.specimens.Spring(k=1.0)),
    )
    monkeypatch.setattr(type(test), "rotary_axes", property(lambda self: kinds))
    data = recording_of(
        test, np.arange(3.0), {"displacement": np.zeros((3, 2)), "feedback_force": np.zeros((3, 2))}, {}
    )
    units = [[("rad" if rotary else "m"), ("N m" if rotary else "N")] for rotary in kinds]
    for i, name in enumerate(("displacement", "feedback_force")):
        about = data[name].attrs
        assert list(about.get("axis_units", [about["units"]] * 2)) == [unit[i] for unit in units]


def test_a_finished_run_whose_energy_does_not_close_says_where_and_when():
    """A rope of three links that swings, at 4 Hz."""
    rope = dv.air.TowedRope(chain=dv.mechanics.chain.LinkChain(n=3, length=10.0, mass=3.0), airflow="off")
    run = dv.Test(rope, axes=("x", "y", "z"), rate=4.0, duration=1.0).simulate()
    assert run.outcome.completed
    assert not run.energy_balance.closes
    assert "numerical (towed-rope), from 0.25 s on" in str(run)
    page = simulation_page(run)
    assert page.verdict.tone == "bad"
    assert [tile.tone for tile in page.tiles] == ["bad", "plain", "bad"]
    assert "energy does not close" in page.tiles[0].answer
    assert "0.25 s" in page.tiles[2].text
