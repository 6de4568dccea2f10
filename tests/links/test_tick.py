"""The tick's rules, the same for the Python and the native version, on a clock that the test moves."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

from dovetail.links import tick
from dovetail.links.native import NativeTick, available
from dovetail.links.rig_protocol import Rejection, RigState
from dovetail.links.tick import NOTES, PythonTick, Quantity, SystemTimer, TickSettings, system_time
from dovetail.testing import Outcome

TICK, SESSION, KEY = 1_000_000, 0xABCDEF, bytes(range(16))
needs_compiler = pytest.mark.skipif(bool(available()), reason="no C++ compiler")
VERSIONS = [PythonTick, pytest.param(NativeTick, marks=needs_compiler)]


@pytest.fixture(params=VERSIONS, ids=["python", "native"])
def make(request, fake):
    """A tick of either version with its clock and its scripted rig."""

    def open_(key=None, **settings):
        bench = fake(key)
        fields = {"session": SESSION, "axes": 1, "count": 2, "tick": TICK, "link_timeout": 5, "key": key}
        bench.tick = request.param(TickSettings(**{**fields, **settings}), bench.near, bench.clock)
        return bench

    return open_


def go(bench, count, state=RigState.ACTIVE, first=1):
    """Ticks with commands first, first + 1, ... [cm]; readings and notes."""
    done = [bench.tick.step(state, np.array([0.01 * (first + i)])) for i in range(count)]
    notes = [dict(zip(NOTES, note, strict=True)) for _, note in done]
    return np.array([reading for reading, _ in done]), notes


@pytest.mark.parametrize("key", [None, KEY])
def test_every_tick_sends_the_command_and_returns_its_answer(make, key):
    bench = make(key)
    readings, notes = go(bench, 10)
    expected = 0.01 * np.arange(1, 11)
    np.testing.assert_array_equal(readings, np.stack([expected, -100 * expected], axis=1))
    assert [value for _, value in bench.rig.commands] == expected.tolist()
    assert all(note["code"] == 0 and note["measurement_age"] == 0 for note in notes)
    counts = bench.tick.counts()
    assert (counts.sent, counts.received, counts.lost, counts.overruns) == (10, 10, 0, 0)


def test_deadlines_are_absolute_and_do_not_drift(make):
    bench = make()
    go(bench, 50)
    assert np.all(np.diff(bench.clock.slept) == TICK)


def test_times_are_noted(make):
    bench = make()
    go(bench, 1)
    bench.clock.time += 200_000  # the loop computes for 0.2 ms
    bench.clock.stall[2] = 30_000  # and wakes up 30 microseconds late
    _, (note,) = go(bench, 1)
    assert note["compute_time"] == pytest.approx(201e-6, abs=2e-6)  # the fake clock ticks when read
    assert note["tick_lateness"] == pytest.approx(31e-6, abs=2e-6)
    assert 0 < note["exchange_time"] < 20e-6


def test_counted_overruns_keep_the_schedule(make):
    bench = make(overrun="count")
    bench.clock.stall[3] = 5 * TICK
    _, notes = go(bench, 12)
    assert np.all(np.diff(bench.clock.slept) == TICK)
    assert bench.tick.counts().overruns == 5  # late by 5, 4, ... ticks, until within half a tick
    assert notes[2]["tick_lateness"] == pytest.approx(5e-3, abs=1e-4)
    assert notes[-1]["code"] == 0
    assert abs(notes[-1]["tick_lateness"]) < 1e-4


def test_held_overruns_move_the_schedule_by_whole_ticks(make):
    bench = make(overrun="hold")
    bench.clock.stall[3] = 5 * TICK + TICK // 4
    _, notes = go(bench, 6)
    counts = bench.tick.counts()
    assert (counts.overruns, counts.held) == (1, 5)
    assert np.diff(bench.clock.slept).tolist() == [TICK, TICK, 6 * TICK, TICK, TICK]
    assert notes[-1]["held"] == 5


def test_a_stopping_overrun_sends_no_command_but_the_safe_state(make):
    bench = make(overrun="stop")
    bench.clock.stall[3] = TICK
    _, notes = go(bench, 4)
    assert [note["code"] for note in notes] == [0, 0, Outcome.DEADLINE.code, Outcome.DEADLINE.code]
    assert [state for state, _ in bench.rig.commands] == [1, 1, RigState.SAFE, RigState.SAFE]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_command_that_is_not_finite_is_never_followed(make, value):
    bench = make()
    go(bench, 1)
    _, note = bench.tick.step(RigState.ACTIVE, np.array([value]))
    assert note[NOTES.index("code")] == Outcome.NOT_FINITE.code
    assert bench.rig.commands[-1][0] == RigState.SAFE


def test_a_lost_answer_repeats_the_reading_and_counts(make):
    bench = make()
    bench.rig.script[3] = lambda rig, datagram, answer: []
    readings, notes = go(bench, 4)
    assert readings[:, 0].tolist() == pytest.approx([0.01, 0.02, 0.02, 0.04])
    assert [note["measurement_age"] for note in notes] == [0, 0, 1, 0]
    assert bench.tick.counts().lost == 1
    assert notes[-1]["code"] == 0


def test_silence_of_the_link_timeout_loses_the_link_and_informs_the_rig(make):
    bench = make(link_timeout=5)
    for number in range(3, 40):
        bench.rig.script[number] = lambda rig, datagram, answer: []
    _, notes = go(bench, 8)
    codes = [note["code"] for note in notes]
    assert codes == [0] * 6 + [Outcome.LINK_LOST.code] * 2  # two answered, then the fifth silent one
    states = [state for state, _ in bench.rig.commands]
    assert states[:7] == [1] * 7
    assert set(states[7:]) == {RigState.SAFE}


def test_a_closed_far_end_is_silence_too(make, wires):
    bench = make(link_timeout=3)
    go(bench, 1)
    wires[1].close()
    bench.clock.on_attend = lambda: False
    _, notes = go(bench, 3)
    assert notes[-1]["code"] == Outcome.LINK_LOST.code


@pytest.mark.parametrize(
    ("name", "spoil", "reason"),
    [
        ("duplicated", lambda rig, d, a: [a, a], None),
        ("corrupted", lambda rig, d, a: [a[:60] + b"\x01" + a[61:], a], Rejection.TAG),
        ("forged", lambda rig, d, a: [rig.packed(d, [9.0, 9.0])[:-16] + bytes(16), a], Rejection.TAG),
        ("another session", lambda rig, d, a: [rig.packed(d, session=5), a], Rejection.SESSION),
        ("another version", lambda rig, d, a: [a[:4] + b"\x03" + a[5:], a], Rejection.VERSION),
        ("cut short", lambda rig, d, a: [a[:-1], b"", a], Rejection.LENGTH),
        ("too long", lambda rig, d, a: [a + bytes(3), a], Rejection.LENGTH),
        ("a command", lambda rig, d, a: [rig.packed(d, kind=1), a], Rejection.KIND),
        ("from the future", lambda rig, d, a: [rig.packed(d, sequence=99), a], Rejection.SEQUENCE),
    ],
)
def test_datagrams_that_are_not_the_answer_are_dropped(make, name, spoil, reason):
    bench = make(KEY)
    bench.rig.script[2] = spoil
    readings, notes = go(bench, 3)
    assert readings[:, 0].tolist() == pytest.approx([0.01, 0.02, 0.03])
    assert notes[-1]["code"] == 0
    rejected = bench.tick.counts().rejected
    assert set(rejected) == ({reason} if reason else {Rejection.SEQUENCE})  # the copy comes a tick late


def test_reordered_answers_do_not_replace_newer_measurements(make):
    bench = make()
    kept = []
    bench.rig.script[2] = lambda rig, d, a: kept.append(a) or []
    bench.rig.script[3] = lambda rig, d, a: [a]
    bench.rig.script[4] = lambda rig, d, a: [kept[0], a]
    readings, _ = go(bench, 4)
    assert readings[:, 0].tolist() == pytest.approx([0.01, 0.01, 0.03, 0.04])
    assert bench.tick.counts().rejected == {Rejection.SEQUENCE: 1}


def test_a_late_answer_is_used(make):
    bench = make()
    kept = []
    bench.rig.script[2] = lambda rig, d, a: kept.append(a) or []
    bench.rig.script[3] = lambda rig, d, a: kept
    readings, notes = go(bench, 3)
    assert readings[-1, 0] == pytest.approx(0.02)
    assert notes[-1]["measurement_age"] == 1


def test_the_wrong_key_is_silence(make, wires):
    bench = make(KEY, link_timeout=3)
    bench.rig.script = {n: lambda r, d, a: [a[:-16] + bytes(16)] for n in range(1, 9)}
    _, notes = go(bench, 3)
    assert notes[-1]["code"] == Outcome.LINK_LOST.code
    assert bench.tick.counts().rejected[Rejection.TAG] >= 3


def test_a_rig_in_its_safe_state_ends_the_run(make):
    bench = make()
    bench.rig.script[3] = lambda rig, d, a: [rig.packed(d, state=RigState.SAFE, flags=8)]
    _, notes = go(bench, 4)
    assert [note["code"] for note in notes] == [0, 0, Outcome.RIG_STOPPED.code, Outcome.RIG_STOPPED.code]
    assert notes[-2]["flags"] == 8
    assert bench.tick.rig_state == RigState.SAFE
    assert {state for state, _ in bench.rig.commands[3:]} == {RigState.SAFE}


@pytest.mark.parametrize("reason", [Outcome.NOT_FINITE, Outcome.FORCE])  # the first code, and another
def test_a_limit_stop_reaches_the_rig_in_the_same_tick(make, reason):
    bench = make()
    go(bench, 2)
    bench.tick.settle(0)
    before = len(bench.clock.slept)
    bench.tick.settle(reason.code)
    bench.tick.settle(Outcome.GROWTH_RATE.code)  # what comes after the first changes nothing
    bench.rig.answer()
    assert [state for state, _ in bench.rig.commands] == [1, 1, RigState.SAFE]
    assert len(bench.clock.slept) == before
    _, notes = go(bench, 1)
    assert notes[0]["code"] == reason.code


def test_an_operator_stop_ends_the_run_and_the_rig_returns_to_rest(make):
    bench = make()
    go(bench, 2)
    bench.tick.stop = True
    _, notes = go(bench, 3, first=3)
    assert {note["code"] for note in notes} == {Outcome.INTERRUPTED.code}
    assert [state for state, _ in bench.rig.commands] == [RigState.ACTIVE] * 5


def test_after_a_stop_a_rig_that_fails_still_goes_to_its_safe_state(make):
    bench = make(link_timeout=2)
    bench.tick.stop = True
    go(bench, 1)
    bench.rig.script = {n: lambda r, d, a: [] for n in range(2, 9)}
    _, notes = go(bench, 3)
    assert notes[-1]["code"] == Outcome.INTERRUPTED.code  # the first reason is kept
    assert bench.rig.commands[-1][0] == RigState.SAFE


def test_while_the_operator_holds_the_test_time_stops(make):
    bench = make()
    go(bench, 2)
    bench.tick.hold = True
    seen = []

    def release(rig, datagram, answer):
        seen.append(datagram.state)
        if len(seen) == 4:
            bench.tick.hold = False
        return [answer]

    bench.rig.script = {n: release for n in range(3, 7)}
    readings, notes = go(bench, 1, first=3)
    assert seen == [RigState.HOLD] * 4
    assert notes[0]["held"] == 4
    assert bench.rig.commands[-1] == (RigState.ACTIVE, 0.03)
    assert readings[0, 0] == 0.03
    assert np.all(np.diff(bench.clock.slept) == TICK)


@pytest.mark.parametrize("value", [np.nan, -np.inf])
def test_a_reading_that_is_not_finite_is_passed_on_for_the_supervisor_to_see(make, value):
    bench = make()
    bench.rig.script[1] = lambda rig, d, a: [rig.packed(d, [value, 0.0])]
    readings, _ = go(bench, 1)
    np.testing.assert_array_equal(readings[0], [value, 0.0])


@pytest.mark.parametrize(("wait", "waited"), [(0, 0.7e-3), (200_000, 0.2e-3)])
def test_the_wait_for_an_answer_is_70_percent_of_a_tick_or_as_set(make, wait, waited):
    bench = make(wait=wait)
    bench.rig.script[1] = lambda rig, datagram, answer: []
    _, (note,) = go(bench, 1)
    assert note["exchange_time"] == pytest.approx(waited, abs=2e-5)


@pytest.mark.parametrize(
    ("grace", "late", "overruns"), [(0, 0.45, 0), (0, 0.55, 1), (200_000, 0.15, 0), (200_000, 0.25, 1)]
)
def test_lateness_counts_above_half_a_tick_or_as_set(make, grace, late, overruns):
    bench = make(grace=grace)
    bench.clock.stall[2] = round(late * TICK)
    go(bench, 4)
    assert bench.tick.counts().overruns == overruns


@pytest.mark.parametrize("lost", [0, 2, 9])
def test_at_rest_the_rig_is_informed_up_to_five_times_until_it_answers(make, lost):
    bench = make()
    go(bench, 2)
    bench.rig.script = {n: lambda r, d, a: [] for n in range(3, 3 + lost)}
    bench.tick.settle(-1)
    bench.rig.answer()
    released = [(RigState.READY, 0.0)] * min(lost + 1, 5)
    assert bench.rig.commands[2:] == released + [(RigState.SAFE, 0.0)] * (lost == 9)
    assert bench.tick.code == (Outcome.LINK_LOST.code if lost == 9 else 0)


def test_a_rig_that_is_safe_when_it_is_released_has_stopped(make):
    bench = make()
    go(bench, 2)
    bench.rig.script[3] = lambda rig, d, a: [rig.packed(d, state=RigState.SAFE, flags=32)]
    bench.tick.settle(-1)
    assert (bench.tick.code, bench.tick.rig_flags) == (Outcome.RIG_STOPPED.code, 32)


def test_a_rig_in_its_safe_state_does_not_receive_ready(make):
    bench = make()
    go(bench, 1)
    bench.tick.settle(Outcome.FORCE.code)
    bench.tick.settle(-1)
    bench.rig.answer()
    assert [state for state, _ in bench.rig.commands] == [RigState.ACTIVE, RigState.SAFE]


def test_a_link_that_is_lost_while_the_rig_is_held_ends_the_hold(make):
    bench = make(link_timeout=3)
    go(bench, 1)
    bench.tick.hold = True
    bench.rig.script = {n: lambda r, d, a: [] for n in range(2, 30)}
    _, notes = go(bench, 1)
    assert notes[0]["code"] == Outcome.LINK_LOST.code
    states = [state for state, _ in bench.rig.commands]
    assert states[:4] == [RigState.ACTIVE] + [RigState.HOLD] * 3
    assert set(states[4:]) == {RigState.SAFE}


def test_a_stop_ends_a_hold(make):
    bench = make()
    bench.tick.hold = True
    bench.tick.stop = True
    _, notes = go(bench, 1)
    assert notes[0]["code"] == Outcome.INTERRUPTED.code
    assert [state for state, _ in bench.rig.commands] == [RigState.ACTIVE]


def test_a_stop_does_not_hide_why_the_rig_stopped(make):
    bench = make()
    bench.rig.script[2] = lambda rig, d, a: [rig.packed(d, state=RigState.SAFE)]
    go(bench, 2)
    bench.tick.stop = True
    _, notes = go(bench, 2)
    assert {note["code"] for note in notes} == {Outcome.RIG_STOPPED.code}


def test_a_link_with_occasional_answers_is_not_lost(make):
    """The silence is counted anew from each answer."""
    bench = make(link_timeout=3)
    bench.rig.script = {n: lambda r, d, a: [] for n in range(1, 40) if n % 3}
    _, notes = go(bench, 30)
    assert {note["code"] for note in notes} == {0}
    assert max(note["measurement_age"] for note in notes) == 2
    assert bench.tick.counts().lost == 20


def test_sequence_numbers_continue_and_older_answers_are_dropped(make):
    """As after the approach: an answer to a command of before is none to this one."""
    bench = make(sequence=40)
    sent = []

    def old_and_new(rig, datagram, answer):
        sent.append(datagram.sequence)
        return [rig.packed(datagram, [9.0, 9.0], sequence=40), answer]

    bench.rig.script[1] = old_and_new
    readings, _ = go(bench, 1)
    assert sent == [41]
    assert readings[0].tolist() == pytest.approx([0.01, -1.0])


def test_lateness_of_a_rig_that_is_safe_already_is_not_counted(make):
    bench = make(overrun="stop")
    go(bench, 1)
    bench.tick.settle(Outcome.FORCE.code)
    bench.clock.stall[2] = 3 * TICK
    _, notes = go(bench, 1)
    assert (notes[0]["code"], bench.tick.counts().overruns) == (Outcome.FORCE.code, 0)


def test_a_reading_that_is_too_old_loses_the_link_although_answers_arrive(make):
    """A rig that answers every second command, in order: each answer is older than the one before."""
    bench = make(link_timeout=5)
    answers = []

    def slow(rig, datagram, answer):
        answers.append(answer)
        return [answers.pop(0)] if len(rig.commands) % 2 else []

    bench.rig.script = {n: slow for n in range(1, 100)}
    _, notes = go(bench, 20)
    ages = [int(note["measurement_age"]) for note in notes]
    codes = [int(note["code"]) for note in notes]
    first = codes.index(Outcome.LINK_LOST.code)
    assert max(ages[:first]) == 4
    assert bench.tick.exceeded == (Quantity.MEASUREMENT_AGE, 5.0, 5.0)
    assert bench.tick.counts().received > 4  # answers arrived until then


@pytest.mark.parametrize(("limit", "is_lost"), [(0.7, False), (0.6, True)])
def test_the_fraction_of_unanswered_commands_is_limited(make, limit, is_lost):
    bench = make(link_timeout=5, unanswered_fraction=limit)
    bench.rig.script = {n: lambda r, d, a: [] for n in range(1, 600) if n % 3}
    _, notes = go(bench, 500)
    assert int(notes[-1]["code"]) == (Outcome.LINK_LOST.code if is_lost else 0)
    quantity, value, bound = bench.tick.exceeded
    assert quantity == (Quantity.UNANSWERED_FRACTION if is_lost else Quantity.NONE)
    if is_lost:
        assert (bound, value) == (limit, pytest.approx(2 / 3, abs=0.08))


def test_after_a_stall_no_two_commands_are_closer_than_half_a_tick(make):
    bench = make()  # the default holds the test time
    sent = []
    for number, stall in ((5, 70.4), (9, 1.6), (13, 0.6)):
        bench.clock.stall[number] = round(stall * TICK)
    bench.rig.script = {n: lambda rig, d, a: sent.append(bench.clock.time) or [a] for n in range(1, 31)}
    _, notes = go(bench, 30)
    assert min(np.diff(sent)) > 0.49 * TICK
    assert notes[-1]["held"] == 70 + 2 + 1
    assert notes[-1]["code"] == 0
    assert bench.tick.counts().max_lateness == pytest.approx(70.4 * TICK, abs=TICK / 100)


@pytest.mark.parametrize("overrun", ["count", "hold"])
def test_commands_after_a_stall_are_checked_by_their_send_time(make, overrun):
    """10 m/s under a limit of 15 m/s: sent at once, the commands of 70 ticks would move the rig at 700 m/s."""
    bench = make(overrun=overrun, velocity=15.0)
    bench.clock.stall[5] = 70 * TICK
    _, notes = go(bench, 90)
    assert int(notes[-1]["code"]) == (Outcome.VELOCITY.code if overrun == "count" else 0)
    active = [value for state, value in bench.rig.commands if state == RigState.ACTIVE]
    if overrun == "count":
        quantity, value, limit = bench.tick.exceeded
        assert (quantity, limit) == (Quantity.VELOCITY, 15.0)
        assert 15.0 < value < 25.0
        assert active[-1] <= 0.05 + 2.5 * 15.0 * 1e-3  # by the limit, in two and a half ticks
    else:
        assert len(active) == 90


@pytest.mark.parametrize("late", np.linspace(0.0, 0.49, 8))
def test_accepted_lateness_does_not_count_as_velocity(make, late):
    rng = np.random.default_rng(3)
    bench = make(velocity=10.0 * (1 + 1e-9))
    for number in range(1, 200):
        bench.clock.stall[number] = round(rng.choice([0.0, late]) * TICK)
    _, notes = go(bench, 200)
    assert notes[-1]["code"] == 0


@pytest.mark.parametrize(("limit", "code"), [(9_999.0, Outcome.ACCELERATION.code), (10_001.0, 0)])
def test_motion_after_a_stall_is_checked_by_its_acceleration(make, limit, code):
    """The rig stood still and is sent 1 cm further in a tick of 1 ms: 10,000 m/s^2."""
    bench = make(acceleration=limit)
    bench.clock.stall[5] = 3 * TICK
    _, notes = go(bench, 8)
    assert [int(note["code"]) for note in notes] == [0] * 4 + [code] * 4
    if code:
        assert bench.tick.exceeded == (Quantity.ACCELERATION, pytest.approx(1e4), limit)
        assert {state for state, _ in bench.rig.commands[4:]} == {RigState.SAFE}


@pytest.mark.parametrize(("clock", "now"), [(7, 7_000), (None, 1)])
def test_the_clock_includes_suspension_of_the_machine(monkeypatch, clock, now):
    """Linux: the clock that includes suspensions; elsewhere the monotonic one."""
    assert getattr(time, "CLOCK_BOOTTIME", None) == tick.CLOCK
    times = SimpleNamespace(clock_gettime_ns=lambda clock: 1_000 * clock, monotonic_ns=lambda: 1)
    monkeypatch.setattr(tick, "time", times)
    monkeypatch.setattr(tick, "CLOCK", clock)
    assert system_time() == SystemTimer().now() == now


@needs_compiler
def test_the_native_tick_reads_the_clock_that_includes_suspensions(wires):
    """The clock of a command; the clocks differ on a machine that was suspended, or in a time namespace."""
    settings = TickSettings(session=SESSION, axes=1, count=2, tick=TICK, link_timeout=5)
    before = system_time()
    NativeTick(settings, wires[0]).step(RigState.READY, np.zeros(1))
    clock = int.from_bytes(wires[1].recv(4096)[24:32], "little")
    assert before <= clock <= system_time()
