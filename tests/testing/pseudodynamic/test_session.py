"""What ends a creep run, and how it goes on without repeating a step."""

import dataclasses
import threading

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import LinkError, OutputError, ParameterError
from dovetail.testing import MoveReply, Operator
from dovetail.testing.operator import LIVE, send_request
from dovetail.testing.pseudodynamic.run import virtual_cell
from dovetail.testing.tunable_history import constant_stretches
from dovetail.transfer.robot import TRIP_MESSAGES, SafetyLimits, TripCode


def z(run):
    return run.data.displacement.values


def test_a_limit_of_the_test_ends_it(make_creep):
    test = dataclasses.replace(make_creep(), limits=dv.Limits(force=0.5))
    run = test.run_pseudodynamic()
    assert run.outcome is dv.Outcome.FORCE
    assert abs(run.trip.value) > 0.5
    assert run.trip.limit == 0.5
    stopped = dataclasses.replace(make_creep(), limits=dv.Limits(displacement=1e-4)).run_pseudodynamic()
    assert stopped.outcome is dv.Outcome.DISPLACEMENT
    assert abs(float(stopped.data.displacement[-1])) > 1e-4 > abs(float(stopped.data.displacement[-2]))


class Sent:
    """A cell that remembers where it was sent."""

    def __init__(self, inner):
        self.inner, self.targets = inner, []

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def move(self, move):
        self.targets.append(move.target)
        return self.inner.move(move)


@pytest.mark.parametrize("scheme", ["stepwise", "classical"])
def test_a_demand_beyond_a_limit_is_not_sent_to_the_cell(make_creep, scheme):
    test = dataclasses.replace(make_creep(scheme=scheme), limits=dv.Limits(displacement=1e-4))
    cell = Sent(virtual_cell(test))
    run = test.run_pseudodynamic(cell)
    assert run.outcome is dv.Outcome.DISPLACEMENT
    assert run.trip.value == abs(float(run.data.displacement[-1])) > 1e-4
    assert max(abs(float(target)) for target in cell.targets) <= 1e-4
    assert run.data.attrs["moves"] == len(cell.targets) == run.data.sizes["time"] - 1


@pytest.mark.parametrize("scheme", ["stepwise", "classical"])
@pytest.mark.parametrize(
    "limit", ["velocity", "acceleration", "force", "power", "tracking_error", "frozen_sensor"]
)
def test_every_limit_stops_a_pseudodynamic_test(make_creep, limit, scheme):
    """At half of what a test without limits reaches; a cell that does not read what it did strays and is stuck."""
    test = make_creep(scheme=scheme)
    free = test.run_pseudodynamic().data
    z, v, force = (free[name].values for name in ("displacement", "velocity", "measured_force"))
    most = {
        "velocity": v,
        "acceleration": free.acceleration.values,
        "force": force,
        "power": force * v,
        "tracking_error": z,
        "frozen_sensor": 4.0,
    }[limit]
    limits = dv.Limits(**{"frozen_sensor": np.inf, limit: 0.5 * float(np.max(np.abs(most)))})
    cell = virtual_cell(test)
    if limit in ("tracking_error", "frozen_sensor"):
        cell = Deaf(cell)
    run = dataclasses.replace(test, limits=limits).run_pseudodynamic(cell)
    assert run.outcome is dv.Outcome[limit.upper()]
    assert run.trip.limit < run.trip.value


class Deaf(Sent):
    """A cell whose sensors always show the same."""

    def move(self, move):
        return dataclasses.replace(super().move(move), position=np.zeros(()), force=np.zeros(()))


def test_a_signal_can_end_the_test(make_creep):
    test = dataclasses.replace(make_creep(stop_signal="specimen_force"), excitation=dv.Sine(-0.005, 3.0))
    run = test.run_pseudodynamic()
    assert run.outcome is dv.Outcome.LATCHED
    assert run.outcome.completed
    assert float(run.data.specimen_force[-1]) > 0.5 > float(run.data.specimen_force[-2])
    assert "specimen force at" in run.data.attrs["remark"]


def test_a_signal_of_one_of_two_axes_ends_the_test(make_creep):
    test = make_creep(stop_signal="specimen_force")
    rig = dataclasses.replace(test.rig, specimen=dv.specimens.Spring(k=[0.0, 2250.0]))
    numerical = dv.mechanics.Oscillator(m=[2.2, 2.2], c=[15.0, 15.0], k=[2250.0, 2250.0])
    both = dataclasses.replace(test, numerical=numerical, rig=rig, excitation=dv.Sine(-0.005, 3.0))
    run = both.run_pseudodynamic()
    assert run.outcome is dv.Outcome.LATCHED
    assert not np.any(run.data.specimen_force.values[:, 0])


class Unsteady:
    """A cell that fails at a given move, in a given way."""

    def __init__(self, inner, at, how):
        self.inner, self.at, self.how, self.asked = inner, at, how, []

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def move(self, move):
        self.asked.append(move.number)
        if move.number == self.at:
            how, self.at = self.how, -1
            if how == "after":
                self.inner.move(move)
            if how == "interrupt":
                raise KeyboardInterrupt
            raise LinkError("the line is dead")
        return self.inner.move(move)


@pytest.mark.parametrize(
    ("how", "outcome"),
    [
        ("before", dv.Outcome.LINK_LOST),
        ("after", dv.Outcome.LINK_LOST),
        ("interrupt", dv.Outcome.INTERRUPTED),
    ],
)
def test_an_interrupted_run_continues_without_repeating_a_step(make_creep, run, tmp_path, how, outcome):
    test = make_creep()
    cell = Unsteady(virtual_cell(test), 12, how)
    first = test.run_pseudodynamic(cell, folder=tmp_path)
    assert first.outcome is outcome
    assert first.data.attrs["moves"] == 11
    assert np.array_equal(z(first), z(run)[: first.data.sizes["time"]])
    cell.asked.clear()
    second = test.run_pseudodynamic(cell, folder=tmp_path, resume=True)
    assert second.outcome is dv.Outcome.FINISHED
    # the answer to a move that was made is fetched, not made again
    assert cell.asked == list(range(13 if how == "after" else 12, 31))
    assert np.array_equal(z(second), z(run))


class Scripted(Operator):
    """Operator who stiffens the structure at 4 ms."""

    def update(self, now, stop_only=False):
        super().update(now, stop_only)
        if not stop_only and now >= 4e-3 and self.values["numerical.k"] < 4000.0:
            self.set_tunable("numerical.k", 4000.0)


def test_a_resumed_run_repeats_the_changes_of_the_operator(make_creep, run, tmp_path):
    tunable = {"numerical.k": dv.testing.Tunable(min=2000.0, max=5000.0, ramp_time=5e-3)}
    test = dataclasses.replace(make_creep(), tunable=tunable)
    whole = test.run_pseudodynamic(operator=Scripted())
    assert np.abs(z(whole) - z(run)).max() > 1e-5  # the change has an effect
    cell = Unsteady(virtual_cell(test), 12, "before")
    test.run_pseudodynamic(cell, folder=tmp_path, operator=Scripted())
    resumed = test.run_pseudodynamic(cell, folder=tmp_path, resume=True)  # with an operator who does nothing
    np.testing.assert_array_equal(z(resumed), z(whole))
    values = whole.data["tunable_values"].values[:, 0]
    np.testing.assert_array_equal(resumed.data["tunable_values"].values[:, 0], values)
    assert np.all(values[whole.data.time.values <= 4e-3] == 2250.0)
    assert values[-1] == 4000.0
    before, after = constant_stretches(whole)
    assert (before.values, after.values) == ({"numerical.k": 2250.0}, {"numerical.k": 4000.0})


class Slow:
    """A cell whose 12th move lasts until it is halted; the operator stops the run in it, after a request to hold."""

    def __init__(self, inner, folder):
        self.inner, self.folder, self.halted = inner, folder, threading.Event()

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def move(self, move):
        if move.number != 12 or self.halted.is_set():
            return self.inner.move(move)
        send_request(self.folder, "hold", "Ada")
        send_request(self.folder, "stop", "Ben")
        assert self.halted.wait(300.0)
        return MoveReply(12, np.zeros(1), np.zeros(1), 0.0, TripCode.EMERGENCY)

    def halt(self):
        self.halted.set()


def test_a_stop_halts_the_cell_in_its_move_and_the_run_can_be_resumed(make_creep, run, tmp_path):
    test = make_creep()
    (tmp_path / LIVE).mkdir()
    cell, operator = Slow(virtual_cell(test), tmp_path), Operator(tmp_path)
    stopped = test.run_pseudodynamic(cell, folder=tmp_path, operator=operator)
    assert stopped.outcome is dv.Outcome.INTERRUPTED
    assert stopped.data.attrs["moves"] == 11
    assert [event.action for event in operator.events] == ["stop"]  # not held in the middle of a move
    resumed = test.run_pseudodynamic(cell, folder=tmp_path, resume=True)
    assert np.array_equal(z(resumed), z(run))


def test_a_simulated_cell_continues_from_its_state_file(make_creep, run, tmp_path):
    test = make_creep()
    cell = Unsteady(virtual_cell(test, state_file=tmp_path / "cell.npy"), 12, "before")
    test.run_pseudodynamic(cell, folder=tmp_path)
    resumed = test.run_pseudodynamic(folder=tmp_path, resume=True)  # a new cell, which finds the file
    assert np.array_equal(z(resumed), z(run))
    assert resumed.data.attrs["moves_resumed"] == 11


def test_a_cell_without_the_run_is_not_moved(make_creep, tmp_path):
    test = make_creep()
    test.run_pseudodynamic(Unsteady(virtual_cell(test), 12, "before"), folder=tmp_path)
    with pytest.raises(LinkError, match="no record of the run"):
        test.run_pseudodynamic(virtual_cell(test), folder=tmp_path, resume=True)


def test_another_test_cannot_be_resumed(make_creep, tmp_path):
    test = make_creep()
    test.run_pseudodynamic(Unsteady(virtual_cell(test), 3, "before"), folder=tmp_path)
    with pytest.raises(OutputError, match="belongs to another test"):
        make_creep(contact_step=2e-3).run_pseudodynamic(folder=tmp_path, resume=True)
    with pytest.raises(OutputError, match="exists"):
        test.run_pseudodynamic(folder=tmp_path)
    with pytest.raises(ParameterError, match="needs the folder"):
        test.run_pseudodynamic(resume=True)


def test_a_trip_of_the_cell_ends_the_run_with_its_reason(make_creep):
    test = make_creep()
    run = test.run_pseudodynamic(virtual_cell(test, safety=SafetyLimits(force=0.5)))
    assert run.outcome is dv.Outcome.RIG_STOPPED
    assert (run.trip.signal, run.trip.limit) == ("contact_force", 0.5)
    assert run.trip.value == pytest.approx(0.5, rel=0.2)
    assert run.data.attrs["remark"] == TRIP_MESSAGES[TripCode.FORCE]


def test_a_cell_with_other_axes_is_rejected(make_creep):
    test = make_creep()
    cell = virtual_cell(test)
    cell.axes = 6
    with pytest.raises(LinkError, match=r"6 axes, the test 1"):
        test.run_pseudodynamic(cell)


def test_progress_is_reported(make_creep):
    told = []
    make_creep().run_pseudodynamic(progress=lambda share, text: told.append((share, text)))
    assert told[-1][0] == 1.0
    assert "30 moves" in told[-1][1]
