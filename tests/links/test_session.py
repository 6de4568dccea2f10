"""The rig's side of a session, in Python and native, on a clock that the test moves."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.links.native import NativeSession, available
from dovetail.links.rig_protocol import (
    COMMAND,
    MEASUREMENT,
    Datagram,
    Reader,
    Rejection,
    RigState,
    SafeStateReason,
)
from dovetail.links.session import REST_TIME, Session
from dovetail.testing import Limits, Outcome
from dovetail.testing.limit_monitor import LimitMonitor

needs_compiler = pytest.mark.skipif(bool(available()), reason="no C++ compiler")
KEY, TICK = bytes(range(16)), 1_000_000  # [ns]
REST_TICKS = round(REST_TIME * 1000)


class Echo:
    """A plant that goes where it is told; its force is -100 times that."""

    axes = 1
    signals = (("measured_displacement", 1), ("measured_force", 1))

    def __init__(self):
        self.followed = []
        self.spoil = 0.0

    def reset(self):
        return np.zeros(2)

    def step(self, command):
        self.followed.append(float(command[0]))
        return np.array([command[0], -100 * command[0] + self.spoil])


class Bench:
    """A session, the loop that talks to it, and the time [ns]."""

    def __init__(self, kind, limits=(), link_timeout=5):
        self.plant = Echo()
        self.session = kind(
            self.plant, session=9, rate=1000.0, link_timeout=link_timeout, limits=dict(limits), key=KEY
        )
        self.reader = Reader(MEASUREMENT, 9, 2, KEY)
        self.now, self.sequence = 50 * TICK, 0

    def packed(self, value, state=RigState.ACTIVE):
        self.sequence += 1
        return Datagram(COMMAND, state, 9, self.sequence, self.now, np.array([value])).pack(KEY)

    def tell(self, value, state=RigState.ACTIVE, after=TICK):
        self.now += after
        return self.reader.read(self.session.receive(self.packed(value, state), self.now))

    def wait(self, ticks):
        for _ in range(round(2 * ticks)):
            self.now += TICK // 2
            self.session.wait(self.now)


@pytest.fixture(params=[Session, pytest.param(NativeSession, marks=needs_compiler)], ids=["python", "native"])
def kind(request):
    return request.param


@pytest.fixture
def bench(kind):
    return Bench(kind)


def test_a_command_on_time_is_followed_and_answered_at_once(bench):
    for value in (0.1, 0.2, 0.3):
        answer = bench.tell(value)
        assert answer.values.tolist() == [value, -100 * value]
        assert (answer.state, answer.sequence, answer.echo) == (RigState.ACTIVE, bench.sequence, bench.now)
    assert bench.plant.followed == [0.1, 0.2, 0.3]


@pytest.mark.parametrize("jitter", [0.0, 0.3, 0.45])
def test_jitter_below_half_a_tick_leaves_one_step_per_command(bench, jitter):
    bench.tell(0.0)
    for i in range(20):
        bench.tell(float(i), after=round(TICK * (1 + (jitter if i % 2 else -jitter))))
    assert bench.plant.followed == [0.0, *map(float, range(20))]


def test_nothing_moves_before_the_first_active_command(bench):
    assert bench.tell(0.5, RigState.READY).state == RigState.READY
    bench.wait(100)
    assert bench.plant.followed == []
    assert bench.tell(0.0).state == RigState.ACTIVE  # however long that took


@pytest.mark.parametrize("command", [0.0, 0.5])
def test_a_rig_that_is_set_to_ready_returns_to_rest_without_an_alarm(bench, command):
    bench.tell(0.5)
    bench.tell(command)
    assert bench.tell(0.0, RigState.READY).state == RigState.READY
    assert bench.session.is_at_rest == (command == 0.0)
    bench.wait(REST_TICKS - 2)
    assert bench.session.is_at_rest == (command == 0.0)
    bench.wait(3)
    assert (bench.session.state, bench.session.flags) == (RigState.READY, SafeStateReason(0))
    assert bench.session.is_at_rest
    path = np.array(bench.plant.followed[1:])
    assert np.all(np.diff(path) <= 1e-12)
    assert np.max(np.abs(np.diff(path))) <= command * 1.9 / REST_TICKS
    assert path[-1] == 0.0
    bench.session.go_safe(SafeStateReason.ENDED)  # at rest already: no second path
    bench.wait(REST_TICKS)
    assert set(bench.plant.followed[-REST_TICKS:]) == {0.0}


class Failing(Echo):
    """A plant that raises errors from a step on."""

    def __init__(self, steps, after):
        super().__init__()
        self.steps, self.after, self.count = steps, after, 0

    def step(self, command):
        self.count += 1
        if self.after < self.count <= self.after + self.steps:
            raise RuntimeError("no such driver")
        return super().step(command)


def test_a_plant_that_raises_an_error_is_led_to_rest():
    bench = Bench(Session)
    bench.session.plant = plant = Failing(1, after=2)
    bench.tell(0.1)
    bench.tell(0.2)
    answer = bench.tell(0.3)
    assert (answer.state, answer.flags) == (RigState.SAFE, SafeStateReason.FAILED)
    assert str(bench.session.failure) == "no such driver"
    bench.wait(REST_TICKS + 1)
    assert plant.followed[-1] == 0.0
    assert bench.session.is_at_rest


def test_a_plant_that_does_not_return_to_rest_is_not_at_rest(kind):
    bench = Bench(kind)
    bench.tell(0.5)
    bench.plant.step = lambda command: np.array([0.5, -50.0])
    bench.session.go_safe(SafeStateReason.OPERATOR)
    bench.wait(2 * REST_TICKS)
    assert not bench.session.is_at_rest
    assert bench.session.distance == bench.session.largest_distance == 0.5


@needs_compiler
def test_both_sessions_and_the_limit_monitor_agree():
    """Random limits by axis, random readings: the rig's own watch, in Python and in C++, is the supervisor's."""
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(60):
        limits = {
            name: tuple(rng.choice([0.5, 1.0, np.inf], size=3))
            for name in rng.permutation(["displacement", "force"])[: rng.integers(0, 3)]
        }
        reading = np.round(rng.normal(size=6), 1)  # often just at a limit, which is not beyond it
        reading[rng.integers(0, 6)] = rng.choice([0.5, 1.0, np.nan])
        flags = set()
        for kind in (Session, NativeSession):
            session = kind(Fixed(reading), session=9, rate=1000.0, link_timeout=5, limits=limits, key=KEY)
            command = Datagram(COMMAND, RigState.ACTIVE, 9, 1, 0, np.zeros(3)).pack(KEY)
            session.receive(command, 50 * TICK)
            flags.add(session.flags)
        assert len(flags) == 1
        watch = LimitMonitor(Limits(**{name: np.array(limit) for name, limit in limits.items()}))
        x, force = jnp.asarray(reading[:3]), jnp.asarray(reading[3:])
        zero = jnp.zeros(3)
        motion = {"displacement": x, "velocity": zero, "acceleration": zero}
        read = {"measured_displacement": x, "measured_force": force}
        outcome = Outcome.from_code(int(watch.start({**motion, **read})[0].code))
        flag = flags.pop()
        first = [
            SafeStateReason.NOT_FINITE,
            SafeStateReason.DISPLACEMENT,
            SafeStateReason.FORCE,
            SafeStateReason(0),
        ]
        first = next(one for one in first if (one in flag if one else not flag))
        # the rig notes all reasons; the supervisor, which judges the demand first, the first one
        if outcome is Outcome.DISPLACEMENT:
            assert SafeStateReason.DISPLACEMENT in flag
        else:
            assert (
                outcome
                is {
                    SafeStateReason.NOT_FINITE: Outcome.NOT_FINITE,
                    SafeStateReason.FORCE: Outcome.FORCE,
                    SafeStateReason(0): Outcome.FINISHED,
                }[first]
            )
        seen.add(outcome)
    assert len(seen) == 4


class Fixed:
    """A plant of three axes that always shows the same."""

    axes = 3
    signals = (("measured_displacement", 3), ("measured_force", 3))

    def __init__(self, reading):
        self.reading = reading

    def reset(self):
        return np.zeros(6)

    def step(self, command):
        return self.reading


def test_without_commands_the_rig_continues_by_its_own_clock(bench):
    bench.tell(0.5)
    bench.wait(3)
    assert bench.plant.followed == [0.5] * 3  # the tick that is not over half a tick late is still awaited
    bench.tell(0.7, after=0)
    assert bench.plant.followed == [0.5] * 3 + [0.7]


def test_silence_of_the_link_timeout_returns_the_rig_to_rest(bench):
    bench.tell(0.5)
    bench.wait(5)
    assert bench.session.state == RigState.ACTIVE
    bench.wait(1)
    assert (bench.session.state, bench.session.flags) == (RigState.SAFE, SafeStateReason.LINK_TIMEOUT)
    bench.wait(600)
    path = np.array(bench.plant.followed)
    assert np.all(np.diff(path) <= 1e-12)
    assert path[-1] == 0.0
    answer = bench.tell(0.9)
    assert (answer.state, answer.flags, answer.values[0]) == (
        RigState.SAFE,
        SafeStateReason.LINK_TIMEOUT,
        0.0,
    )


def test_a_held_rig_keeps_its_position(bench):
    bench.tell(0.5)
    assert bench.tell(0.9, RigState.HOLD).state == RigState.HOLD
    assert bench.plant.followed == [0.5, 0.5]
    assert bench.tell(0.6).state == RigState.ACTIVE
    assert bench.plant.followed[-1] == 0.6


@pytest.mark.parametrize(
    ("value", "state", "flag"),
    [
        (0.1, RigState.SAFE, SafeStateReason.REQUESTED),
        (np.nan, RigState.ACTIVE, SafeStateReason.NOT_FINITE),
        (3.0, RigState.ACTIVE, SafeStateReason.DISPLACEMENT),
        (0.95, RigState.ACTIVE, SafeStateReason.FORCE),
    ],
)
def test_each_reason_leads_to_the_safe_state_in_the_same_tick(kind, value, state, flag):
    bench = Bench(kind, {"displacement": 2.0, "force": 90.0})
    bench.tell(0.1)
    answer = bench.tell(value, state)
    assert (answer.state, answer.flags) == (RigState.SAFE, flag)
    assert np.all(np.isfinite(bench.plant.followed))


def test_a_reading_that_is_not_finite_leads_there_too(bench):
    bench.tell(0.1)
    bench.plant.spoil = np.nan
    answer = bench.tell(0.2)
    assert (answer.state, answer.flags) == (RigState.SAFE, SafeStateReason.NOT_FINITE)


def test_forged_replayed_and_reordered_commands_change_nothing_and_get_no_answer(bench):
    bench.tell(0.1)
    old = bench.packed(0.2)
    bench.now += TICK
    bench.session.receive(old, bench.now)
    heard = bench.session.last_command_time
    forged = Datagram(COMMAND, RigState.ACTIVE, 9, 99, 0, np.array([5.0])).pack(bytes(16))
    for data in (old, forged, b"", old[:-1]):
        assert bench.session.receive(data, bench.now + TICK) is None
    assert bench.session.last_command_time == heard  # nor do they keep the rig from noticing silence
    assert set(bench.session.reader.rejected) == {Rejection.SEQUENCE, Rejection.TAG, Rejection.LENGTH}


def test_a_rig_that_cannot_keep_its_clock_goes_to_its_safe_state_and_does_not_catch_up(kind):
    bench = Bench(kind, link_timeout=5)
    bench.tell(0.5)
    answer = bench.tell(0.6, after=1000 * TICK)  # its process was paused; this command waited meanwhile
    assert (answer.state, answer.flags) == (RigState.SAFE, SafeStateReason.LATE)
    assert len(bench.plant.followed) == 1 + 5
    bench.wait(3)
    assert len(bench.plant.followed) <= 1 + 5 + 3


def test_a_rig_that_lost_its_clock_returns_to_rest_from_its_position(bench):
    """After a pause in a long session its clock goes on from the last tick, not from another time."""
    for _ in range(2000):
        bench.tell(0.6)
    answer = bench.tell(0.6, after=1000 * TICK)
    assert (answer.state, answer.flags) == (RigState.SAFE, SafeStateReason.LATE)
    taken = len(bench.plant.followed)
    assert taken == 2000 + 5
    bench.wait(600)
    path = np.array(bench.plant.followed[taken:])
    assert len(path) == pytest.approx(600, abs=1)
    assert np.all(np.diff(path) <= 1e-12)
    assert np.max(np.abs(np.diff(path))) < 0.6 * 1.9 / REST_TICKS  # 15/8 of the mean speed
    assert path[-1] == 0.0


@pytest.mark.parametrize(("pause", "state"), [(5, RigState.ACTIVE), (6, RigState.SAFE)])
def test_a_pause_of_the_agreed_length_is_caught_up_and_a_longer_one_is_not(kind, pause, state):
    bench = Bench(kind, link_timeout=5)
    bench.tell(0.5)
    assert bench.tell(0.6, after=pause * TICK).state == state
    assert len(bench.plant.followed) == 1 + 5


def test_rest_is_reached_within_half_a_second_on_the_smoothest_path(bench):
    bench.tell(0.5)
    bench.tell(0.5, RigState.SAFE)
    bench.wait(500)
    s = np.minimum(np.arange(1, 500) / REST_TICKS, 1.0)
    path = 0.5 * (1 - (10 * s**3 - 15 * s**4 + 6 * s**5))
    np.testing.assert_allclose(bench.plant.followed[1:500], path, atol=1e-12)
    assert path[-1] == 0.0


def test_a_held_rig_goes_to_its_safe_state_when_the_loop_is_silent(bench):
    bench.tell(0.5)
    bench.tell(0.5, RigState.HOLD)
    bench.wait(6)
    assert (bench.session.state, bench.session.flags) == (RigState.SAFE, SafeStateReason.LINK_TIMEOUT)


def test_a_session_returns_the_time_of_its_next_tick(bench):
    """Half a tick after the deadline: until then a command is still awaited."""
    assert bench.session.next_wake is None
    bench.tell(0.5)
    for tick in range(3):
        assert bench.session.next_wake == 51 * TICK + tick * TICK + 3 * TICK // 2
        bench.session.wait(bench.session.next_wake - 1)
        assert bench.session.tick_count == 1 + tick
        bench.session.wait(bench.session.next_wake)
        assert bench.session.tick_count == 2 + tick


def test_a_second_reason_does_not_restart_the_return_to_rest(bench):
    bench.tell(0.5)
    bench.tell(0.5, RigState.SAFE)
    bench.wait(250)
    half = bench.plant.followed[-1]
    bench.session.go_safe(SafeStateReason.OPERATOR)
    bench.wait(1)
    assert bench.session.flags == SafeStateReason.REQUESTED | SafeStateReason.OPERATOR
    assert bench.plant.followed[-1] < half < 0.3


def test_only_active_commands_move_it_and_hold_follows_motion_only(bench):
    assert bench.tell(0.5, RigState.HOLD).state == RigState.READY
    bench.wait(20)
    assert bench.plant.followed == []


class Mixed(Echo):
    """A plant that shows a temperature and the force before the displacement."""

    signals = (("temperature", 2), ("measured_force", 1), ("measured_displacement", 1))
    heat = 500.0

    def reset(self):
        return np.zeros(4)

    def step(self, command):
        return np.array([self.heat, self.heat, -100 * command[0], command[0]])


@pytest.mark.parametrize(
    ("value", "heat", "flags"),
    [
        (0.5, 500.0, SafeStateReason(0)),
        (0.95, 500.0, SafeStateReason.FORCE),
        (-0.95, 500.0, SafeStateReason.FORCE),
        (0.5, np.nan, SafeStateReason.NOT_FINITE),
    ],
)
def test_each_limit_is_compared_with_its_signal_at_any_position(kind, value, heat, flags):
    plant = Mixed()
    plant.heat = heat
    limits = {"displacement": 2.0, "force": 90.0}
    session = kind(plant, session=9, rate=1000.0, link_timeout=5, limits=limits, key=None)
    session.receive(Datagram(COMMAND, RigState.ACTIVE, 9, 1, 0, np.array([value])).pack(None), 50 * TICK)
    assert session.flags == flags
    assert session.state == (RigState.SAFE if flags else RigState.ACTIVE)


def test_the_measured_displacement_is_limited_too(kind):
    """A rig that goes beyond where it was sent."""
    plant = Mixed()
    plant.step = lambda command: np.array([0.0, 0.0, 0.0, 1.5 * command[0]])
    session = kind(plant, session=9, rate=1000.0, link_timeout=5, limits={"displacement": 1.2}, key=None)
    session.receive(Datagram(COMMAND, RigState.ACTIVE, 9, 1, 0, np.array([-1.0])).pack(None), 50 * TICK)
    assert (session.state, session.flags) == (RigState.SAFE, SafeStateReason.DISPLACEMENT)


def test_a_command_at_its_limit_is_followed(kind):
    bench = Bench(kind, {"displacement": 0.5})
    assert bench.tell(0.5).state == RigState.ACTIVE
    assert bench.tell(-0.51).state == RigState.SAFE
