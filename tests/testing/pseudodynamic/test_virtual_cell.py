"""The virtual cell: its own clock, a specimen that lives in it, its rest, and what it refuses."""

from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.specimens import StandardLinearSolid
from dovetail.testing.pseudodynamic import MoveRequest, PseudodynamicSettings, VirtualCell
from dovetail.testing.pseudodynamic import virtual_cell as module
from dovetail.testing.pseudodynamic.run import virtual_cell
from dovetail.testing.pseudodynamic.virtual_cell import TICKS_PER_CALL, rig_at_rest
from dovetail.transfer.robot import MotionType, SafetyLimits, TripCode


def rig(specimen=None, actuator=None, shape=(), **parts):
    specimen = specimen or dv.specimens.Spring(k=1000.0)
    return dv.Rig(actuator or dv.transfer.Delay(0.02), specimen, **parts).with_sample_time(4e-3, shape)


def cell(home=0.0, specimen=None, **options):
    home = jnp.asarray(home)
    return VirtualCell(*rig_at_rest(rig(specimen, shape=home.shape), home), home, **options)


def test_the_cell_moves_and_measures_at_rest():
    bench = cell()
    assert bench.begin("a") is None
    reply = bench.move(MoveRequest(1, np.array(0.01), 0.2, 0.1))
    assert reply.ok
    assert (float(reply.position), float(reply.force)) == pytest.approx((0.01, -10.0), rel=1e-12)
    assert reply.clock == pytest.approx(0.3)


def test_the_cell_starts_at_the_initial_pose_of_the_test():
    bench = cell(home=[0.5, 0.2])
    bench.begin("a")
    assert np.asarray(bench.read().position).tolist() == [0.5, 0.2]
    # were it at zero before, the spring would have seen a motion of half a metre in a tick
    reply = bench.move(MoveRequest(1, np.array([0.501, 0.2]), 0.004, 0.0))
    assert reply.position == pytest.approx([0.5, 0.2], abs=1e-12)  # 20 ms late


def test_a_repeated_request_is_answered_without_a_second_move():
    bench = cell()
    bench.begin("a")
    move = MoveRequest(1, np.array(0.01), 0.2, 0.1)
    first, clock = bench.move(move), bench.clock
    assert bench.move(move) is first
    assert bench.clock == clock
    assert bench.begin("a") is first


@pytest.mark.parametrize(
    "move",
    [
        MoveRequest(1, np.array(0.02), 0.2, 0.1),  # the same number, another place
        MoveRequest(3, np.array(0.02), 0.2, 0.1),  # one left out
        MoveRequest(2, np.array(0.02), 0.2, 0.1, MotionType.JOINT),  # it has no joints
    ],
)
def test_a_request_out_of_order_is_rejected_without_effect(move):
    bench = cell()
    bench.begin("a")
    bench.move(MoveRequest(1, np.array(0.01), 0.2, 0.1))
    assert bench.move(move).trip is TripCode.REFUSED
    assert bench.move(MoveRequest(2, np.array(0.02), 0.2, 0.1)).ok


def test_a_target_that_is_not_finite_is_rejected():
    bench = cell()
    bench.begin("a")
    assert bench.move(MoveRequest(1, np.array(np.nan), 0.2, 0.1)).trip is TripCode.NOT_FINITE
    assert bench.move(MoveRequest(1, np.array(0.1), np.inf, 0.1)).trip is TripCode.NOT_FINITE


def test_a_force_beyond_the_limit_stops_it_in_mid_move():
    bench = cell(safety=SafetyLimits(force=5.0))
    bench.begin("a")
    reply = bench.move(MoveRequest(1, np.array(0.02), 1.0, 1.0))
    assert reply.trip is TripCode.FORCE
    assert reply.value == pytest.approx(5.0, rel=0.05)  # within a tick of 4 ms
    assert reply.clock < 0.5  # the force is 20 N at the end; a quarter of the way is done in 0.3 s
    assert bench.move(MoveRequest(1, np.array(0.0), 1.0, 1.0)).trip is TripCode.REFUSED


def test_a_move_that_does_not_reach_its_target_reports_it():
    bench = cell(position_tolerance=1e-4)
    bench.begin("a")
    reply = bench.move(MoveRequest(1, np.array(0.01), 0.02, 0.0))  # 20 ms late and no time to settle
    assert reply.trip is TripCode.NOT_SETTLED
    assert reply.value > reply.limit == 1e-4


def test_an_emergency_stop_holds_until_the_next_run():
    bench = cell()
    bench.begin("a")
    bench.halt()
    assert bench.move(MoveRequest(1, np.array(0.01), 0.2, 0.1)).trip is TripCode.EMERGENCY
    bench.begin("b")
    assert bench.move(MoveRequest(1, np.array(0.01), 0.2, 0.1)).ok


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_halt_at_the_very_beginning_of_a_move_is_not_lost(monkeypatch, when):
    bench = cell()
    bench.begin("a")
    enter = bench.supervisor.enter

    def halted(kind):
        if when == "before":
            bench.halt()
        trip = enter(kind)
        if when == "after":
            bench.halt()
        return trip

    monkeypatch.setattr(bench.supervisor, "enter", halted)
    assert bench.move(MoveRequest(1, np.array(0.01), 0.2, 0.1)).trip is TripCode.EMERGENCY
    assert bench.clock == 0.0


def test_a_specimen_relaxes_while_the_cell_rests():
    r"""Held at x, the force falls from (k + k_r) x to k x with the specimen's time constant."""
    spring = StandardLinearSolid(k=1000.0, relaxing_fraction=0.2, tau=2.0)
    forces = []
    for rest in (0.1, 4.0, 20.0):
        bench = cell(specimen=spring)
        bench.begin("a")
        forces.append(float(bench.move(MoveRequest(1, np.array(0.01), 0.02, rest)).force))
    # fully relaxed to 10 N less a fifth; the move itself takes 20 ms and is 20 ms late
    held = np.array([0.1, 4.0, 20.0]) - 0.02
    expected = -10.0 * (0.8 + 0.2 * np.exp(-held / 2.0))
    assert forces == pytest.approx(expected, rel=0.01)


def test_noise_is_averaged_over_the_end_of_the_rest():
    test = dv.Test(
        numerical=dv.mechanics.Oscillator(m=1.0, c=0.0, k=1.0),
        rig=dv.Rig(
            dv.transfer.Series(()), dv.specimens.Spring(k=1000.0), sensor=dv.transfer.WhiteNoise(std=1.0)
        ),
        duration=0.01,
        pseudodynamic=PseudodynamicSettings(averaging_time=1.6),
    )
    bench = virtual_cell(test)
    bench.begin("a")
    forces = [float(bench.move(MoveRequest(i, np.array(0.0), 0.4, 1.6)).force) for i in range(1, 31)]
    # 400 readings of 1 N: 0.05 N; thirty of them tell it to a third
    assert 0.03 < np.std(forces) < 0.07


@pytest.mark.parametrize("computing_time", [0.0, 0.03, 10.0])  # [s] of all ticks between two checks
def test_a_paced_move_waits_for_what_its_computation_leaves_of_its_time(monkeypatch, computing_time):
    """Half a second per second of the cell: after n ticks of 4 ms the wall clock shows n 2 ms, or more."""
    bench, now, times = cell(pace=0.5), [100.0], []

    def tick():
        now[0] += computing_time
        return now[0]

    def wait(seconds):
        now[0] += seconds
        times.append(now[0] - computing_time)

    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=tick))
    monkeypatch.setattr(bench.halt_event, "wait", wait)
    bench.begin("a")
    bench.move(MoveRequest(1, np.array(0.01), 0.1, 0.1))
    ticks = TICKS_PER_CALL * np.arange(1, 50 // TICKS_PER_CALL + 1)
    computed = computing_time * np.arange(1, len(ticks) + 1)
    assert np.array(times) - 100.0 == pytest.approx(np.maximum(0.5 * 4e-3 * ticks, computed))


def test_another_run_begins_at_rest_with_an_untouched_specimen():
    bench = cell(specimen=StandardLinearSolid(k=1000.0, relaxing_fraction=0.2, tau=2.0))
    bench.begin("a")
    first = bench.move(MoveRequest(1, np.array(0.01), 0.02, 1.0))
    assert bench.begin("b") is None
    assert bench.clock == 0.0
    assert np.array_equal(bench.move(MoveRequest(1, np.array(0.01), 0.02, 1.0)).force, first.force)


def test_preparation_causes_no_motion_and_changes_no_answer():
    plain, prepared = cell(), cell()
    prepared.prepare()
    assert prepared.clock == 0.0
    replies = []
    for bench in (plain, prepared):
        bench.begin("a")
        replies.append(bench.move(MoveRequest(1, np.array(0.01), 0.2, 0.1)))
    assert float(replies[0].force) == float(replies[1].force)
    assert replies[0].clock == replies[1].clock
