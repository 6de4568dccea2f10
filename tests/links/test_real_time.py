"""The run mode against served rigs. Whether the machine is busy or not, the outcome is the same."""

import _thread
import dataclasses
import signal
import threading
import time

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import LinkError
from dovetail.links import Operator, RealTimeSettings, RigState, SafeStateReason
from dovetail.links.native import available, origin
from dovetail.links.ring import RingReader
from dovetail.studies.registry import find_test
from dovetail.testing import Outcome
from dovetail.testing.operator import LIVE, OUTCOME_FILE
from dovetail.testing.recorder import largest_of

PATIENT = {"priority": 0, "lock": False, "wait": 20.0, "grace": 1e6}  # see conftest
needs_compiler = pytest.mark.skipif(bool(available()), reason="no C++ compiler")
BOTH = pytest.mark.parametrize("native", [pytest.param(True, marks=needs_compiler), False])


def go(test, server, native=None, grace=PATIENT["grace"], **options):
    real_time = RealTimeSettings(native=native, **{**PATIENT, "grace": grace})
    return test.run_realtime(str(server.address), real_time=real_time, **options)


def ended(server):
    """The last session, once the server has seen its end."""
    for _ in range(1000):
        if server.last_session is not None:
            return server.last_session
        time.sleep(0.01)
    raise AssertionError("the session never ended")


@BOTH
def test_a_run_against_the_served_rig_repeats_the_rehearsal(make_cs1, served, native):
    test = make_cs1()
    run = go(test, served(test), native)
    rehearsed = test.rehearse()
    assert run.outcome is Outcome.FINISHED
    assert run.mode == "realtime"
    # the same operations in programs compiled apart: equal to rounding
    for name in ("displacement", "command", "measured_displacement", "measured_force", "feedback_force"):
        np.testing.assert_allclose(run.data[name], rehearsed.data[name], rtol=1e-9, atol=1e-12)
    assert run.data.attrs["tick"] == (f"native, {origin()}" if native else "python")
    assert run.data.attrs["datagrams_lost"] == 0
    assert float(run.data.exchange_time[1:].min()) > 0


@BOTH
def test_every_tenth_tick_is_recorded_and_the_peaks_of_all(make_cs1, served, native):
    test = make_cs1(limits={"displacement": 0.004})
    whole, thin = test.rehearse(), dataclasses.replace(test, record_every=10)
    run = go(thin, served(thin), native)
    rehearsed = thin.rehearse()
    assert run.data.sizes["time"] == rehearsed.data.sizes["time"] == (whole.data.sizes["time"] - 1) // 10 + 1
    for name in ("displacement", "command", "measured_displacement", "measured_force", "feedback_force"):
        np.testing.assert_allclose(
            run.data[name], whole.data[name][::10][: run.data.sizes["time"]], atol=1e-12
        )
        assert largest_of(run.data, [name]) == pytest.approx(float(abs(whole.data[name]).max()), rel=1e-9)
    strayed = float(abs(whole.data.displacement - whole.data.measured_displacement).max())
    assert largest_of(run.data, ["tracking_error"]) == pytest.approx(strayed, rel=1e-9)
    assert run.trip.value == pytest.approx(whole.trip.value, rel=1e-14)
    assert run.trip.time == whole.trip.time


@pytest.mark.slow
def test_two_axes_under_a_key(served):
    test = dv.load(find_test("substructuring/cs2"), {"duration": 0.05, "limits.link_timeout": 4000})
    key = bytes(range(16))
    run = go(test, served(test, key=key), key=key)
    assert run.outcome is Outcome.FINISHED
    assert run.data.displacement.dims == ("time", "axis")
    np.testing.assert_allclose(run.data.displacement, test.rehearse().data.displacement, atol=1e-12)


@BOTH
def test_a_limit_stops_the_run_in_that_tick_and_sends_the_rig_to_its_safe_state(make_cs1, served, native):
    test = make_cs1(limits={"displacement": 0.004})
    server = served(test)
    run = go(test, server, native)
    rehearsed = test.rehearse()
    assert run.outcome is Outcome.DISPLACEMENT
    assert run.data.sizes == rehearsed.data.sizes
    # a rehearsal computes its sines several at a time: the last digit may differ
    assert dataclasses.replace(run.trip, value=0.0) == dataclasses.replace(rehearsed.trip, value=0.0)
    assert run.trip.value == pytest.approx(rehearsed.trip.value, rel=1e-14)
    assert ended(server).flags & (SafeStateReason.REQUESTED | SafeStateReason.DISPLACEMENT)
    assert float(run.return_recording["rig_state"].values[-1]) == RigState.SAFE
    assert run.return_recording.attrs["ended_at"] == pytest.approx(float(run.data.time[-1]))
    assert run.return_recording.last_time > run.recording.last_time
    assert run.return_recording.time.values[0] < run.recording.last_time


def test_the_samples_around_a_stop_are_saved_and_read_back(make_cs1, served, tmp_path):
    test = make_cs1(limits={"force": 1.0})
    run = go(test, served(test))
    assert run.outcome is Outcome.FORCE
    run.save(tmp_path / "stopped")
    again = dv.testing.read_run(tmp_path / "stopped")
    assert again.return_recording.to_dataset().equals(run.return_recording.to_dataset())
    assert again.outcome is Outcome.FORCE


def wait_for(server, condition, timeout=30.0):
    """Until the session is so; in vain after `timeout` [s]."""
    end = time.monotonic() + timeout
    while time.monotonic() < end and not (server.session is not None and condition(server.session)):
        time.sleep(0.005)


class Held(threading.Thread):
    """Presses the operator's buttons while a run goes on."""

    def __init__(self, press):
        super().__init__(daemon=True)
        self.press = press
        self.start()

    def run(self):
        self.press()


@BOTH
def test_an_operator_stop_keeps_the_recording_and_returns_the_rig_to_rest(make_cs1, served, native):
    test = make_cs1(duration=60.0)
    server, operator = served(test), Operator()

    def press():
        wait_for(server, lambda session: session.tick_count > 200)
        operator.stop()

    Held(press)
    run = go(test, server, native, operator=operator)
    assert run.outcome is Outcome.INTERRUPTED
    assert 100 < run.data.sizes["time"] < 60_000
    assert np.all(np.isfinite(run.data.displacement))
    assert ended(server).flags == SafeStateReason.ENDED  # led to rest by the loop, not by its own safe state
    assert float(run.return_recording["command"].values[-1]) == pytest.approx(0.0, abs=1e-12)


@BOTH
def test_a_stop_before_the_first_tick_leaves_the_rig_at_rest_and_shows_its_outcome(
    make_cs1, served, native, tmp_path
):
    test = make_cs1(duration=0.5)
    (tmp_path / LIVE).mkdir()
    server, operator = served(test), Operator(tmp_path)
    operator.stop("Ada")
    run = go(test, server, native, operator=operator)
    assert run.outcome is Outcome.INTERRUPTED
    assert run.data.sizes["time"] <= 2
    assert "INTERRUPTED" in (tmp_path / LIVE / OUTCOME_FILE).read_text("utf-8")  # during the return to rest


@BOTH
def test_a_running_loop_can_be_watched_from_outside(make_cs1, served, native, tmp_path):
    test, seen = make_cs1(duration=0.5), []
    server = served(test)

    def watch():
        wait_for(server, lambda session: session.tick_count > 200)
        with RingReader(tmp_path / "loop") as window:
            seen.append(window.latest(20))

    watcher = Held(watch)
    run = go(test, server, native, window=tmp_path / "loop")
    watcher.join(30)
    assert seen[0]["time"].size > 0
    at = np.round(seen[0]["time"] * test.rate).astype(int)
    np.testing.assert_array_equal(seen[0]["displacement"], run.data.displacement[at])
    kept = RingReader(tmp_path / "loop").latest(10**6)  # the file outlives the run, whatever became of it
    np.testing.assert_array_equal(kept["measured_force"], run.data.measured_force[1:])


@pytest.fixture
def interruptible():
    """Interrupts are heard: a shell's background job ignores them, and its children inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_stop_like_the_operator(make_cs1, served, interruptible, number):
    test = make_cs1(duration=60.0)
    server, before = served(test), signal.getsignal(number)

    def press():
        wait_for(server, lambda session: session.tick_count > 200)
        for _ in range(3):  # an impatient operator
            _thread.interrupt_main(number)

    Held(press)
    run = go(test, server)
    assert run.outcome is Outcome.INTERRUPTED
    assert run.data.sizes["time"] > 100
    assert ended(server).is_at_rest
    assert signal.getsignal(number) is before


def test_an_error_beside_the_loop_is_raised_after_the_return_to_rest(make_cs1, served):
    test = make_cs1(duration=60.0)
    server = served(test)

    def progress(share, text):
        if server.session.tick_count > 200:
            raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        go(test, server, progress=progress)
    assert ended(server).is_at_rest
    assert server.last_session.flags == SafeStateReason.ENDED  # led to rest by the loop


def test_hold_stops_the_rig_and_resume_continues(make_cs1, served):
    test = make_cs1(duration=1.0)
    server, operator, seen = served(test), Operator(), []

    def press():
        wait_for(server, lambda session: session.tick_count > 100)
        operator.hold()
        wait_for(server, lambda session: session.state == RigState.HOLD)
        seen.append(server.session.state)
        operator.hold(False)

    Held(press)
    run = go(test, server, operator=operator)
    assert run.outcome is Outcome.FINISHED
    assert seen == [RigState.HOLD]
    assert run.data.attrs["ticks_held"] > 0
    assert run.data.sizes["time"] == 1001  # no tick of the test was lost


def test_a_stopping_overrun_ends_the_run(make_cs1, served):
    brief = {"overrun": "stop", "approach_time": 1e-4, "return_time": 1e-4}
    test = make_cs1(limits=brief, rate=1e6, duration=1e-2)  # no machine exchanges that fast
    run = go(test, served(test), grace=0.0)
    assert run.outcome is Outcome.DEADLINE
    assert run.trip.signal == "tick_lateness"


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("tcp://localhost:1", "the form udp://HOST:PORT"),
        ("udp://localhost:99999", "the form udp://HOST:PORT"),
        ("udp://127.0.0.1:9", "no rig answers"),
        ("udp://no.such.host.invalid:7001", 'no host "no.such.host.invalid"'),
        ("udp://192.0.2.1:7001", "is not this machine: give both sides the same key file"),
    ],
)
def test_an_address_without_a_rig_is_reported_at_once(make_cs1, url, text):
    with pytest.raises(LinkError, match=text):
        make_cs1().run_realtime(url)


def test_a_rig_of_another_rate_or_another_key_refuses(make_cs1, served):
    server = served(make_cs1(rate=500.0))
    with pytest.raises(LinkError, match="the rig refused: .* 500 Hz, .* 1000 Hz"):
        make_cs1().run_realtime(str(server.address))
    with pytest.raises(LinkError, match="the other side uses a key|the other side has no key"):
        make_cs1(rate=500.0).run_realtime(str(server.address), key=bytes(16))
    assert server.session is None


class Recorder:
    """A plant that reaches every command, and records it."""

    axes = 1
    signals = (("measured_displacement", 1), ("measured_force", 1))

    def __init__(self):
        self.commands = []

    def reset(self):
        return np.zeros(2)

    def step(self, command):
        self.commands.append(float(command[0]))
        return np.array([command[0], -100.0 * command[0]])


@pytest.mark.parametrize(("approach", "back"), [(0.08, 0.02), (0.02, 0.08)])
def test_approach_and_return_take_their_times_and_the_rig_never_jumps(make_cs1, served, approach, back):
    """At 1 kHz from rest to a start at 4 mm; in the test itself the mass moves slowly."""
    test = make_cs1(duration=0.03, limits={"approach_time": approach, "return_time": back})
    start = 0.004
    numerical = dataclasses.replace(test.numerical, m=1e6, z0=start)
    plant = Recorder()
    run = go(dataclasses.replace(test, numerical=numerical), served(test, plant))
    assert run.outcome is Outcome.FINISHED
    commands = np.array(plant.commands)
    ticks = round(approach * test.rate)
    assert commands[ticks - 1] == pytest.approx(start)
    # a minimum jerk moves at most 15/8 as fast as a constant speed
    assert np.abs(np.diff(commands[: ticks + 20], prepend=0.0)).max() < 1.01 * 15 / 8 * start / ticks
    # the message that ends the session leads to rest a rig that is there already
    last = ticks + 30 + round(back * test.rate) - 1
    assert abs(commands[last - 1]) > 0.0
    assert np.abs(commands[last:]).max() < 1e-12 * start
