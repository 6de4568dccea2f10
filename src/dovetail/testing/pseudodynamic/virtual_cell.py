"""Simulated cell: a simulated rig that moves from pose to pose in cell time.

The specimen is simulated in cell time, with the real speed of every move and the full duration of every rest, so
material creep and relaxation have their effect as on a test bench. The delay of the actuator has no effect, because the
force is measured at rest.
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

from dovetail.core import Block, Input, Output, State, Time
from dovetail.core.programs import jit_unoptimised
from dovetail.testing.pseudodynamic.cell import Cell, MoveReply, MoveRequest
from dovetail.testing.pseudodynamic.cell_motion import AVERAGED, arms_of, follow_path
from dovetail.testing.rig import AbstractRig, Rig
from dovetail.transfer import Transfer
from dovetail.transfer.robot.arms import JointSegment
from dovetail.transfer.robot.safety import CellState, CellSupervisor, MotionType, SafetyLimits, TripCode
from dovetail.transfer.robot.trajectory import MotionProfile, Polyline, Segment


class OffsetTransfer(Transfer):
    """Transfer with a rest position other than zero; it acts on the difference from `offset`."""

    inner: Block
    offset: jax.Array

    def __check_init__(self) -> None:
        pass

    def init(self) -> State:
        return self.inner.init()

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        x, y = self.inner.step(t, dt, x, u - self.offset)
        return x, y + self.offset


def rig_at_rest(rig: Rig, home: jax.Array) -> tuple[Rig, Any]:
    """Return a simulated rig with shapes that rests at `home`, and its state there."""
    arms = arms_of(rig)
    actuator = OffsetTransfer(rig.actuator, home) if arms is None else arms.with_home_pose(home)
    sensor = OffsetTransfer(rig.position_sensor, home)
    rig = eqx.tree_at(lambda r: (r.actuator, r.position_sensor), rig, (actuator, sensor))
    return rig, {**_init(rig), "commands": (home, home), "positions": (home, home)}


_init = jit_unoptimised(Rig.init)  # without compilation, robot arms take seconds


HEADER_LENGTH = 120  # characters of the header in a state file, so that all files of a run have the same form
TICKS_PER_CALL = 25  # ticks between two checks for a halt, if the cell is paced by the wall clock


_references = eqx.filter_jit(lambda arms, pose, near: arms.joint_targets(pose, near))


@functools.cache
def _header(form: tuple[tuple[str, np.dtype, tuple[int, ...]], ...]) -> bytes:
    """Return the header of a .npy file with one record."""
    text = io.BytesIO()
    np.save(text, np.zeros((), list(form)))
    return text.getvalue()[: -np.dtype(list(form)).itemsize]


class VirtualCell(Cell):
    """Cell around a simulated rig.

    Parameters
    ----------
    rig, state
        Rig with shapes and random keys, and its state at rest.
    home_pose
        Pose at rest, in the form of the targets.
    control_period
        Control period [s]; the clock counts these periods.
    motion_profile
        Profile of a move.
    safety
        Safety limits.
    averaging_time
        Averaging time of the measurement at the end of a rest [s].
    position_tolerance
        Largest distance from the target at the measurement [m].
    pace
        Wall-clock seconds per second of cell time; 0: as fast as possible.
    state_file
        File (two, used alternately) with the state after every move, so that the cell can continue after a restart.
    """

    def __init__(
        self,
        rig: AbstractRig,
        state: Any,
        home_pose: Any,
        *,
        control_period: float = 4e-3,
        motion_profile: MotionProfile | None = None,
        safety: SafetyLimits | None = None,
        averaging_time: float = 0.0,
        position_tolerance: float = np.inf,
        pace: float = 0.0,
        state_file: Path | None = None,
        name: str = "simulated cell",
    ) -> None:
        self.rig, self.state, self.period = rig, state, float(control_period)
        self.initial_state = state
        self.home_pose = jnp.asarray(home_pose, dtype=float)
        self.pose, self.axes = self.home_pose, max(1, self.home_pose.size)
        self.motion_profile = motion_profile or MotionProfile()
        self.safety = safety or SafetyLimits()
        self.averaged_ticks = max(1, round(averaging_time / self.period))
        self.position_tolerance, self.pace = position_tolerance, pace
        self.state_file, self.name = state_file, name
        self.supervisor = CellSupervisor()
        self.halt_event = threading.Event()
        self.ticks = 0
        self.run = ""
        self.last_reply: MoveReply | None = None
        self.last_target: np.ndarray | None = None

    # the six methods of a cell

    def begin(self, run: str) -> MoveReply | None:
        if self.run != run and not self._load_state(run):
            self.run, self.last_reply, self.last_target = run, None, None
            self.state, self.pose, self.ticks = self.initial_state, self.home_pose, 0
            self.supervisor.reset()
        if self.supervisor.trip is TripCode.EMERGENCY:  # continuing the run confirms it
            self.supervisor.reset()
        return self.last_reply

    def read(self) -> MoveReply:
        number = self.last_reply.number if self.last_reply else 0
        pose, force = np.array(self.pose), np.zeros(self.home_pose.shape)
        return MoveReply(number, pose, force, self.clock, self.supervisor.trip)

    def move(self, move: MoveRequest) -> MoveReply:
        target = np.array(move.target, dtype=float)
        if (
            self.last_reply is not None
            and move.number == self.last_reply.number
            and self.last_target is not None
            and np.array_equal(target, self.last_target)
        ):
            return self.last_reply
        if not np.all(np.isfinite(target)) or not np.isfinite(move.execution_time + move.settling_time):
            return self._reply_at_rest(move, TripCode.NOT_FINITE)
        segment = self._segment(move, target)
        last_number = self.last_reply.number if self.last_reply else 0
        if move.number != last_number + 1 or segment is None:
            return self._reply_at_rest(move, TripCode.REFUSED)
        self.halt_event.clear()  # an earlier halt finds the cell at rest and keeps it there; a later one ends the move
        trip = self.supervisor.enter(move.kind)
        if trip is not TripCode.NONE:
            return self._reply_at_rest(move, trip)
        if move.kind is MotionType.CHUNK:  # stored until the path is run; nothing moves
            self.supervisor.buffer.append(target.reshape(self.home_pose.shape))
            reply = self._reply_at_rest(move, TripCode.NONE)
        else:
            reply = self._run_segment(move, segment)
            self.supervisor.leave(reply.trip)
            if reply.ok:
                self.pose = segment.target
        if reply.ok:
            self.last_reply, self.last_target = reply, target
            self._save_state()
        return reply

    def _segment(self, move: MoveRequest, target: np.ndarray) -> Any:
        """Return the path of a move, or None if this cell cannot make it."""
        duration, arms = jnp.asarray(max(move.execution_time, self.period)), arms_of(self.rig)
        if move.kind is MotionType.JOINT:
            if arms is None or target.shape not in ((6,), (7,)):
                return None
            now = self.state["actuator"]["references"]
            track = now[:1] if target.size == 6 else target[:1]
            joints = jnp.concatenate([track, target[-6:], now[7:]])
            return JointSegment(arms, now, joints, duration, self.motion_profile)
        if target.size != self.home_pose.size:
            return None
        pose = jnp.asarray(target.reshape(self.home_pose.shape))
        if move.kind is MotionType.JOINT_TO_POSE and arms is not None:
            now = self.state["actuator"]["references"]
            joints, _, reachable = _references(arms, pose, now)
            if not bool(reachable):
                return Segment(self.pose, pose, duration, self.motion_profile)  # trips with the reason
            return JointSegment(arms, now, joints, duration, self.motion_profile)
        if move.kind is MotionType.PATH and self.supervisor.buffer:
            points = jnp.stack([self.pose, *map(jnp.asarray, self.supervisor.buffer), pose])
            return Polyline(points, duration, self.motion_profile)
        return Segment(self.pose, pose, duration, self.motion_profile)

    def halt(self) -> None:
        self.halt_event.set()
        if self.supervisor.state is CellState.AWAIT:
            self.supervisor.halt(TripCode.EMERGENCY)

    # moving and measuring

    def prepare(self) -> None:
        """Compile the programs of a move without moving, so that the first move takes no longer than later ones."""
        segment = Segment(self.home_pose, self.home_pose, jnp.asarray(self.period), self.motion_profile)
        zero = np.asarray(0)
        arguments = (self.rig, self.safety, self.period, zero, segment, zero, np.asarray(1), zero)
        now = follow_path(*arguments, self.state, None)
        if self.pace:
            follow_path(*arguments, None, now)

    @property
    def clock(self) -> float:
        """Cell time [s]."""
        return self.ticks * self.period

    def _run_segment(self, move: MoveRequest, segment: Segment) -> MoveReply:
        total = max(1, round((move.execution_time + move.settling_time) / self.period))
        averaged = min(self.averaged_ticks, total)
        now: Any = None
        done, code, start_time = 0, 0, time.monotonic()
        while done < total and not code and not self.halt_event.is_set():
            until = min(done + TICKS_PER_CALL, total) if self.pace else total
            now = follow_path(
                self.rig,
                self.safety,
                self.period,
                np.asarray(self.ticks),  # arrays, because Python numbers would be compiled in
                segment,
                np.asarray(total),
                np.asarray(averaged),
                np.asarray(until),
                self.state if now is None else None,
                now,
            )
            done, code = int(now.k) - self.ticks, int(now.monitor.code)
            if self.pace:
                passed = time.monotonic() - start_time
                self.halt_event.wait(max(0.0, self.pace * done * self.period - passed))
        if now is None:  # halted before its first tick
            return self._reply_at_rest(move, TripCode.EMERGENCY)
        self.state, rest = now.x.rig, now.kept
        value, limit = now.monitor.value, now.monitor.limit
        self.ticks += done
        trip = TripCode(code)
        if trip is TripCode.NONE and done < total:
            trip = TripCode.EMERGENCY
            self.pose = segment.at(done * self.period)
        extras = {name: np.asarray(v) for name, v in rest.reading.items()}
        position, force = (extras.pop(name) for name in AVERAGED)
        if trip is TripCode.NONE:
            position, force = (np.asarray(rest.sums[name]) / averaged for name in AVERAGED)
        distance = float(np.linalg.norm((position - np.asarray(segment.target)).reshape(-1)[:3]))
        if trip is TripCode.NONE and distance > self.position_tolerance:
            trip, value, limit = TripCode.NOT_SETTLED, distance, self.position_tolerance
        return MoveReply(move.number, position, force, self.clock, trip, float(value), float(limit), extras)

    def _reply_at_rest(self, move: MoveRequest, trip: TripCode) -> MoveReply:
        pose = np.array(self.pose)
        return MoveReply(move.number, pose, np.zeros_like(pose), self.clock, trip)

    # state files

    def _save_state(self) -> None:
        if self.state_file is None:
            return
        reply = self.last_reply
        assert reply is not None
        assert self.last_target is not None
        header = {"run": self.run, "number": reply.number, "ticks": self.ticks}
        values: dict[str, Any] = {
            "header": f"{json.dumps(header):<{HEADER_LENGTH}}",
            "pose": self.pose,
            "target": self.last_target,
            "position": reply.position,
            "force": reply.force,
        }
        values |= {f"state{i}": leaf for i, leaf in enumerate(jax.tree.leaves(self.state))}
        values |= {f"extra_{name}": value for name, value in reply.extras.items()}
        arrays = {name: np.asarray(value) for name, value in values.items()}
        form = tuple((name, array.dtype, array.shape) for name, array in arrays.items())
        record = np.zeros((), list(form))
        for name, array in arrays.items():
            record[name] = array
        # two files, used alternately: if writing one fails, the other is complete
        self._state_files()[reply.number % 2].write_bytes(_header(form) + record.tobytes())

    def _state_files(self) -> list[Path]:
        assert self.state_file is not None
        return [self.state_file.with_name(f"{self.state_file.stem}-{letter}.npy") for letter in "ab"]

    def _load_state(self, run: str) -> bool:
        """Load the state of a run from the newer of its files; return False if there is none."""
        if self.state_file is None:
            return False
        contents = [self._read_state(file, run) for file in self._state_files()]
        complete = [pair for pair in contents if pair is not None]
        if not complete:
            return False
        header, arrays = max(complete, key=lambda pair: pair[0]["number"])
        leaves, structure = jax.tree.flatten(self.initial_state)
        stored = [jnp.asarray(arrays[f"state{i}"]) for i in range(len(leaves))]
        self.state = jax.tree.unflatten(structure, stored)
        self.run, self.ticks, self.pose = run, header["ticks"], jnp.asarray(arrays["pose"])
        self.last_target = arrays["target"]
        extras = {n.removeprefix("extra_"): arrays[n] for n in arrays if n.startswith("extra_")}
        self.last_reply = MoveReply(
            header["number"], arrays["position"], arrays["force"], self.clock, extras=extras
        )
        self.supervisor.reset()
        return True

    def _read_state(self, file: Path, run: str) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
        """Return header and arrays of a state file; None if it is damaged, of another run or of another rig."""
        try:
            record = np.load(file)
            arrays = {name: record[name] for name in record.dtype.names or ()}
            header = json.loads(str(arrays["header"]))
            leaves = jax.tree.leaves(self.initial_state)
            fits = all(arrays[f"state{i}"].shape == jnp.shape(leaf) for i, leaf in enumerate(leaves))
            return (header, arrays) if fits and header["run"] == run else None
        except (OSError, EOFError, ValueError, KeyError):
            return None
