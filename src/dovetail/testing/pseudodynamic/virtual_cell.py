"""A virtual cell: a virtual rig moved slowly from pose to pose on the cell's own clock.

The specimen lives in the cell's time: it sees every move at the speed at which it is made and every rest for as
long as it lasts, so a specimen that creeps or relaxes does so here as it would on the bench. The
rig's actuator may be as late as it likes; the reading is taken at rest.
"""

from __future__ import annotations

import functools
import io
import json
import threading
import time
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Block
from dovetail.core.executable_store import ready
from dovetail.core.programs import once
from dovetail.testing.pseudodynamic.cell import Cell, Move, Reply
from dovetail.testing.rig import AbstractRig, Rig
from dovetail.transfer import Transfer
from dovetail.transfer.robot.arms import JointSegment, RobotArms
from dovetail.transfer.robot.safety import CellState, MotionType, SafetyLimits, Supervisor, TripCode
from dovetail.transfer.robot.trajectory import Course, Polyline, Segment


class Shifted(Transfer):
    """A transfer whose rest is not at zero: it acts on the difference from `home`."""

    inner: Block
    home: jax.Array

    def __check_init__(self):
        pass

    def init(self):
        return self.inner.init()

    def step(self, t, dt, x, u):
        x, y = self.inner.step(t, dt, x, u - self.home)
        return x, y + self.home


def at_rest(rig: Rig, home: jax.Array) -> tuple[Rig, Any]:
    """A sized virtual rig that rests at `home`, and its state there."""
    arms = arms_of(rig)
    actuator = Shifted(rig.actuator, home) if arms is None else arms.placed(home)
    sensor = Shifted(rig.position_sensor, home)
    rig = eqx.tree_at(lambda r: (r.actuator, r.position_sensor), rig, (actuator, sensor))
    return rig, {**_init(rig), "commands": (home, home), "positions": (home, home)}


_init = once(lambda rig: rig.init())  # of arms, piece by piece, it takes seconds


MEANT = ("measured_displacement", "measured_force")  # readings that are averaged
ABOUT = 120  # letters in which a cell's file says what it is, so that all files of a run have one form
SLICE = 25  # ticks between two looks at whether to stop, when the cell keeps to the wall clock


def _start(rig: AbstractRig, period, state, segment: Segment):
    """What is carried through a move: tick, state, reading, sums, trip."""
    shapes = jax.eval_shape(lambda: rig.step(0.0, period, state, segment.at(0.0))[1])
    blank = jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), shapes)
    zero = jnp.zeros((), dtype=int)
    sums = tuple(blank[name] for name in MEANT)
    return zero, state, blank, sums, zero, jnp.zeros(()), jnp.zeros(())


@ready
def _run(rig: AbstractRig, safety, period, first, segment: Segment, total, averaged, until, state, carry):
    """Follow a segment until a tick, or until one that trips; `first` is the cell's tick at its start.

    A move begins with the rig's `state`, and goes on with what is carried; the other is None.
    """
    if carry is None:
        carry = _start(rig, period, state, segment)

    def step(carry):
        i, x, _, sums, *_ = carry
        x, reading = rig.step((first + i) * period, period, x, segment.at((i + 1) * period))
        code, value, limit = safety.wrench(reading["measured_force"].reshape(-1))
        if arms_of(rig) is not None:
            own = x["actuator"]["trip"]
            code, value, limit = (
                jnp.where(own[0] > 0, a, b) for a, b in zip(own, (code, value, limit), strict=True)
            )
        counted = jnp.where(i >= total - averaged, 1.0, 0.0)
        sums = tuple(s + counted * reading[name] for s, name in zip(sums, MEANT, strict=True))
        return i + 1, x, reading, sums, code, value, limit

    return jax.lax.while_loop(lambda c: (c[0] < until) & (c[4] == 0), step, carry)


_references = ready(lambda arms, pose, near: arms.joint_targets(pose, near))


def arms_of(rig: AbstractRig) -> RobotArms | None:
    """The robot arms that move a rig, if such do."""
    actuator = rig.actuator if isinstance(rig, Rig) else None
    return actuator if isinstance(actuator, RobotArms) else None


@functools.cache
def _header(form: tuple[tuple[str, np.dtype, tuple[int, ...]], ...]) -> bytes:
    """How a .npy file of one record begins."""
    text = io.BytesIO()
    np.save(text, np.zeros((), list(form)))
    return text.getvalue()[: -np.dtype(list(form)).itemsize]


class VirtualCell(Cell):
    """A cell around a virtual rig.

    Parameters
    ----------
    rig, state
        The rig, sized and seeded, and its state at rest.
    home
        Where it rests, as the targets are given.
    period
        Of its controller [s]; its clock counts these.
    course
        How it speeds up and slows down.
    safety
        Limits it holds itself to.
    averaging
        Time at the end of a rest over which it reads [s].
    settled
        Largest distance from the target at which it counts as arrived [m].
    pace
        Wall-clock seconds for a second of the cell's own; 0 is as fast as this machine can.
    keep
        File (two, by turns) in which it keeps its state after every move, so that a cell that was ended can go on.
    """

    def __init__(
        self,
        rig: AbstractRig,
        state: Any,
        home: Any,
        *,
        period: float = 4e-3,
        course: Course | None = None,
        safety: SafetyLimits | None = None,
        averaging: float = 0.0,
        settled: float = np.inf,
        pace: float = 0.0,
        keep: Path | None = None,
        name: str = "virtual cell",
    ):
        self.rig, self.state, self.period = rig, state, float(period)
        self.rest = state
        self.home = jnp.asarray(home, dtype=float)
        self.where, self.axes = self.home, max(1, self.home.size)
        self.course = course or Course()
        self.safety = safety or SafetyLimits()
        self.averaged = max(1, round(averaging / self.period))
        self.settled, self.pace, self.keep, self.name = settled, pace, keep, name
        self.supervisor = Supervisor()
        self.halted = threading.Event()
        self.ticks = 0
        self.run = ""
        self.last: Reply | None = None
        self.last_target: np.ndarray | None = None

    # the cell's six methods

    def begin(self, run: str) -> Reply | None:
        if self.run != run and not self._recall(run):
            self.run, self.last, self.last_target = run, None, None
            self.state, self.where, self.ticks = self.rest, self.home, 0
            self.supervisor.reset()
        if self.supervisor.trip is TripCode.EMERGENCY:  # whoever takes the run up again has seen to it
            self.supervisor.reset()
        return self.last

    def read(self) -> Reply:
        number = self.last.number if self.last else 0
        return Reply(
            number, np.asarray(self.where), np.zeros(self.home.shape), self.clock, self.supervisor.trip
        )

    def move(self, move: Move) -> Reply:
        target = np.asarray(move.target, dtype=float)
        if (
            self.last is not None
            and move.number == self.last.number
            and self.last_target is not None
            and np.array_equal(target, self.last_target)
        ):
            return self.last
        if not np.all(np.isfinite(target)) or not np.isfinite(move.execution_time + move.settling_time):
            return self._stopped(move, TripCode.NOT_FINITE)
        segment = self._segment(move, target)
        if move.number != (self.last.number if self.last else 0) + 1 or segment is None:
            return self._stopped(move, TripCode.REFUSED)
        self.halted.clear()  # a halt before this finds the cell waiting, and keeps it there; one after it ends the move
        trip = self.supervisor.enter(move.kind)
        if trip is not TripCode.NONE:
            return self._stopped(move, trip)
        if move.kind is MotionType.CHUNK:  # kept until the path is run; nothing moves
            self.supervisor.buffer.append(target.reshape(self.home.shape))
            reply = self._stopped(move, TripCode.NONE)
        else:
            reply = self._follow(move, segment)
            self.supervisor.leave(reply.trip)
            if reply.ok:
                self.where = segment.target
        if reply.ok:
            self.last, self.last_target = reply, target
            self._remember()
        return reply

    def _segment(self, move: Move, target: np.ndarray) -> Any:
        """The way of a move; None where this cell cannot make such a one."""
        duration, arms = jnp.asarray(max(move.execution_time, self.period)), arms_of(self.rig)
        if move.kind is MotionType.JOINT:
            if arms is None or target.shape not in ((6,), (7,)):
                return None
            now = self.state["actuator"]["references"]
            track = now[:1] if target.size == 6 else target[:1]
            joints = jnp.concatenate([track, target[-6:], now[7:]])
            return JointSegment(arms, now, joints, duration, self.course)
        if target.size != self.home.size:
            return None
        pose = jnp.asarray(target.reshape(self.home.shape))
        if move.kind is MotionType.JOINT_TO_POSE and arms is not None:
            now = self.state["actuator"]["references"]
            joints, _, reachable = _references(arms, pose, now)
            if not bool(reachable):
                return Segment(self.where, pose, duration, self.course)  # which will trip, and say why
            return JointSegment(arms, now, joints, duration, self.course)
        if move.kind is MotionType.PATH and self.supervisor.buffer:
            points = jnp.stack([self.where, *map(jnp.asarray, self.supervisor.buffer), pose])
            return Polyline(points, duration, self.course)
        return Segment(self.where, pose, duration, self.course)

    def halt(self) -> None:
        self.halted.set()
        if self.supervisor.state is CellState.AWAIT:
            self.supervisor.halt(TripCode.EMERGENCY)

    # how it does so

    def prepare(self) -> None:
        """Compile what a move needs, without making one: the first is then as quick as the others."""
        segment = Segment(self.home, self.home, jnp.asarray(self.period), self.course)
        none = np.asarray(0)
        still = (self.rig, self.safety, self.period, none, segment, none, np.asarray(1), none)
        carry = _run(*still, self.state, None)
        if self.pace:
            _run(*still, None, carry)

    @property
    def clock(self) -> float:
        """Its own time [s]."""
        return self.ticks * self.period

    def _follow(self, move: Move, segment: Segment) -> Reply:
        total = max(1, round((move.execution_time + move.settling_time) / self.period))
        averaged = min(self.averaged, total)
        carry: Any = None
        done, code, began = 0, 0, time.monotonic()
        while done < total and not code and not self.halted.is_set():
            until = min(done + SLICE, total) if self.pace else total
            carry = _run(
                self.rig,
                self.safety,
                self.period,
                np.asarray(self.ticks),  # as arrays: a plain number would be compiled in
                segment,
                np.asarray(total),
                np.asarray(averaged),
                np.asarray(until),
                None if carry else self.state,
                carry,
            )
            done, code = int(carry[0]), int(carry[4])
            if self.pace:
                self.halted.wait(max(0.0, self.pace * done * self.period - (time.monotonic() - began)))
        if carry is None:  # halted before its first tick
            return self._stopped(move, TripCode.EMERGENCY)
        _, self.state, reading, sums, _, value, limit = carry
        self.ticks += done
        trip = TripCode(code)
        if trip is TripCode.NONE and done < total:
            trip = TripCode.EMERGENCY
            self.where = segment.at(done * self.period)
        extras = {name: np.asarray(v) for name, v in reading.items()}
        position, force = (extras.pop(name) for name in MEANT)
        if trip is TripCode.NONE:
            position, force = (np.asarray(s) / averaged for s in sums)
        away = float(np.linalg.norm((position - np.asarray(segment.target)).reshape(-1)[:3]))
        if trip is TripCode.NONE and away > self.settled:
            trip, value, limit = TripCode.NOT_SETTLED, away, self.settled
        return Reply(move.number, position, force, self.clock, trip, float(value), float(limit), extras)

    def _stopped(self, move: Move, trip: TripCode) -> Reply:
        where = np.asarray(self.where)
        return Reply(move.number, where, np.zeros_like(where), self.clock, trip)

    # what it keeps

    def _remember(self) -> None:
        if self.keep is None:
            return
        assert self.last is not None
        assert self.last_target is not None
        about = {"run": self.run, "number": self.last.number, "ticks": self.ticks}
        values: dict[str, Any] = {
            "about": f"{json.dumps(about):<{ABOUT}}",
            "where": self.where,
            "target": self.last_target,
            "position": self.last.position,
            "force": self.last.force,
        }
        values |= {f"state{i}": leaf for i, leaf in enumerate(jax.tree.leaves(self.state))}
        values |= {f"extra_{name}": value for name, value in self.last.extras.items()}
        arrays = {name: np.asarray(value) for name, value in values.items()}
        form = tuple((name, array.dtype, array.shape) for name, array in arrays.items())
        record = np.zeros((), list(form))
        for name, array in arrays.items():
            record[name] = array
        # two files by turns: whatever happens while one is written, the other is whole
        self._slots()[self.last.number % 2].write_bytes(_header(form) + record.tobytes())

    def _slots(self) -> list[Path]:
        assert self.keep is not None
        return [self.keep.with_name(f"{self.keep.stem}-{turn}.npy") for turn in "ab"]

    def _recall(self, run: str) -> bool:
        """Take up a run from the newer of the files in which it was kept; False if it is not there."""
        if self.keep is None:
            return False
        opened = [self._opened(slot, run) for slot in self._slots()]
        whole = [pair for pair in opened if pair is not None]
        if not whole:
            return False
        about, kept = max(whole, key=lambda pair: pair[0]["number"])
        leaves, structure = jax.tree.flatten(self.rest)
        stored = [jnp.asarray(kept[f"state{i}"]) for i in range(len(leaves))]
        self.state = jax.tree.unflatten(structure, stored)
        self.run, self.ticks, self.where = run, about["ticks"], jnp.asarray(kept["where"])
        self.last_target = kept["target"]
        extras = {n.removeprefix("extra_"): kept[n] for n in kept if n.startswith("extra_")}
        self.last = Reply(about["number"], kept["position"], kept["force"], self.clock, extras=extras)
        self.supervisor.reset()
        return True

    def _opened(self, slot: Path, run: str) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
        """What a file holds, if it is whole, of that run and of a rig like this one."""
        try:
            record = np.load(slot)
            kept = {name: record[name] for name in record.dtype.names or ()}
            about = json.loads(str(kept["about"]))
            leaves = jax.tree.leaves(self.rest)
            fits = all(kept[f"state{i}"].shape == jnp.shape(leaf) for i, leaf in enumerate(leaves))
            return (about, kept) if fits and about["run"] == run else None
        except (OSError, EOFError, ValueError, KeyError):
            return None
