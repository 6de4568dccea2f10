"""Session of a pseudo-dynamic run on the host: the cell, the journal, the operator and the recorder.

`between` is called while the simulated time waits: it moves the cell, or takes the reply from the journal, and returns
the state with the measurement.
"""

from __future__ import annotations

import contextlib
import dataclasses
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from dovetail.core.advance import Progress
from dovetail.core.clock import LoopState
from dovetail.core.errors import LinkError, OutputError
from dovetail.testing.operator import Operator
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.pseudodynamic.cell import Cell, MoveReply, MoveRequest
from dovetail.testing.pseudodynamic.estimate import format_duration
from dovetail.testing.pseudodynamic.journal import Journal
from dovetail.testing.pseudodynamic.pose_conversion import PoseConversion
from dovetail.testing.pseudodynamic.recorder import StepRecorder
from dovetail.testing.pseudodynamic.stepwise import SteppedState, reading_of
from dovetail.transfer.robot.safety import SIGNALS, TRIP_MESSAGES
from dovetail.transfer.robot.trajectory import POSE_AXES

if TYPE_CHECKING:
    from dovetail.testing.limit_monitor import LimitChecks
    from dovetail.testing.test import Test

POLL_INTERVAL = 0.05  # [s] between two operator updates while the test is held or the cell moves
RESUME = "resume the run with its folder"


class Stop(Exception):
    """End of the run with an outcome."""

    def __init__(self, outcome: Outcome, trip: Trip | None = None, text: str = "") -> None:
        super().__init__(text)
        self.outcome, self.trip, self.text = outcome, trip, text


class CellSession:
    """One pseudo-dynamic run with a cell.

    `home_pose` is the pose of zero displacement in the frame of the cell; None: the cell uses displacements.
    """

    def __init__(
        self,
        test: Test,
        shape: tuple[int, ...],
        cell: Cell,
        journal: Journal | None = None,
        progress: Progress | None = None,
        home_pose: Any = None,
        operator: Operator | None = None,
        show: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> None:
        assert test.pseudodynamic is not None
        self.test, self.shape, self.cell, self.journal = test, shape, cell, journal
        self.settings, self.progress, self.show = test.pseudodynamic, progress, show
        self.is_operated = operator is not None
        self.operator = operator or Operator()
        if self.settings.scheme != "classical":  # that scheme computes its matrices once
            self.operator.register_tunables(test)
        self.requested = dict(self.operator.values)  # requested value of each tunable parameter
        self.tunable_values = dict(self.operator.values)  # present values
        self.update_count, self.update_time = 0, 0.0  # operator updates, and test time of the last one
        axes = int(np.prod(shape, dtype=int))
        if cell.axes != axes:
            raise LinkError(f"{cell.name} has {cell.axes} axes, the test {axes}")
        self.run_name = journal.run if journal else secrets.token_hex(8)
        self.replies = list(journal.replies) if journal else []  # of an earlier part of the run
        self.number = 0  # of the last move
        self.begun = False
        self.recorder = StepRecorder(test, shape)
        self.recorder.tunable_values = np.array(list(self.tunable_values.values()))
        self.start_time = time.monotonic()
        self.clock = 0.0  # [s] of the cell
        self.new_moves = 0  # moves in this part of the run
        self.conversion = None if home_pose is None else PoseConversion(np.array(home_pose))
        self.times, self.max_speed = self.settings.times, float(self.settings.max_speed)
        self.cell_position: np.ndarray = np.zeros(shape)
        self.scales = tuple(
            float(getattr(self.settings, name)) for name in ("length_scale", "force_scale", "moment_scale")
        )

    # beginning

    def begin(self) -> None:
        """Begin or continue the run on the cell, and check that the cell is where the run left it."""
        reply = self.cell.begin(self.run_name)
        self.cell_position = self._read_position()
        if self.replies and reply is None:
            self._check_position(self.cell_position, self.replies[-1][0])
        pending = self.journal.pending if self.journal else None
        if self.journal and reply is not None and pending and reply.number == pending[0]:
            # the cell made the move whose reply was lost: use this reply and do not move again
            if self.conversion is not None:
                reply = dataclasses.replace(reply, position=self.conversion.to_start(reply.position))
            self.replies.append((pending[1], reply))
            self.journal.write_reply(reply)
        elif reply is not None and reply.number != len(self.replies):
            raise LinkError(
                f"{self.cell.name} has made move {reply.number} of this run, but the journal has "
                f"{len(self.replies)} moves; start a new run in another folder"
            )

    def _read_position(self) -> np.ndarray:
        """Return the position of the cell as a displacement from the start of the test."""
        position = self.cell.read().position
        return (position if self.conversion is None else self.conversion.to_start(position)).reshape(
            self.shape
        )

    def _check_position(self, position: np.ndarray, target: np.ndarray) -> None:
        distance = float(np.max(np.abs(position - np.reshape(target, self.shape))))
        if distance > max(1e-6, 10 * float(self.settings.repeatability)):
            raise LinkError(
                f"{self.cell.name} is {1e3 * distance:.3g} mm or mrad from its last position in the run and has no "
                "record of the run; restore the state of the specimen, or start a new run"
            )

    # while the simulated time waits

    def between(self, system: Any, now: LoopState) -> tuple[Any, LoopState]:
        """Update the operator, and move the cell if the simulation asks for it; return system and state."""
        x: SteppedState = now.x
        t = float(now.t)
        if self.begun and (changes := self._updated(t)):
            system = system.with_values(changes)
        self.begun = True
        self._check_stop_signal(x.motion, t)
        if not np.asarray(x.asks):
            return system, now
        command, reply = self._move(np.asarray(x.motion["displacement"]), t)
        x = x._replace(
            command=jnp.asarray(command),
            position=jnp.asarray(self._scale(reply.position, self.scales[0], 1.0)),
            force=jnp.asarray(self._scale(reply.force, *self.scales[1:])),
        )
        return system, now._replace(x=x)

    def end(self, now: LoopState) -> None:
        """Update the operator and check the stop signal at the end of the run."""
        self._updated(float(now.t))
        self._check_stop_signal(now.x.motion, float(now.t))

    def trip(self, monitor: LimitChecks, outcome: Outcome, now: LoopState) -> Trip | None:
        """Return the trip of a limit, with the last measurement."""
        x, m = now.x, now.monitor
        shown = {**x.motion, **reading_of(x), "growth_rate": m.growth.rate}
        return monitor.trip(outcome, self.recorder.time, shown, m)

    # one move

    def _move(self, displacement: np.ndarray, t: float) -> tuple[np.ndarray, MoveReply]:
        """Move the cell to a displacement of the test; return the command in the scale of the cell, and the reply."""
        target = self._scale(displacement, 1 / self.scales[0], 1.0)
        number = self.number + 1
        from_journal = number <= len(self.replies)
        reply = self._journal_reply(number, target) if from_journal else self._move_cell(number, target, t)
        self.number, self.clock = number, reply.clock
        self.recorder.add_reading(number, target, reply, self._scale(reply.force, *self.scales[1:]))
        if not reply.ok:
            raise Stop(Outcome.RIG_STOPPED, _trip(reply, t), TRIP_MESSAGES[reply.trip])
        self._check_stop_signal(reply.extras, t)
        return target, reply

    def _scale(self, values: np.ndarray, factor: float, angular_factor: float) -> np.ndarray:
        """Return scaled values; six values are those of a pose or a wrench."""
        values = np.reshape(values, self.shape)
        if self.shape == (POSE_AXES,):
            return np.asarray(values * np.repeat([factor, angular_factor], 3))
        return np.asarray(values * factor)

    def _journal_reply(self, number: int, target: np.ndarray) -> MoveReply:
        """Return the reply in the journal."""
        journal_target, reply = self.replies[number - 1]
        if not np.allclose(np.reshape(journal_target, target.shape), target, rtol=1e-9, atol=1e-12):
            raise OutputError(
                f"the target of move {number} differs from that in the journal; the run was made with another version "
                "and cannot be resumed with this one"
            )
        return reply

    @contextlib.contextmanager
    def _stop_during_move(self, t: float) -> Iterator[None]:
        """Halt the cell when the operator stops the run while it moves; a resumed run repeats the move."""
        moved = threading.Event()

        def watch() -> None:
            while not moved.wait(POLL_INTERVAL):
                self.operator.update(t, stop_only=True)
                if self.operator.stopped:
                    with contextlib.suppress(LinkError, OSError):  # the end of the connection halts the cell
                        self.cell.halt()
                    return

        thread = threading.Thread(target=watch, name="dovetail-operator", daemon=True)
        if self.is_operated:
            thread.start()
        try:
            yield
        except LinkError:
            if not self.operator.stopped:
                raise
        finally:
            moved.set()
            if self.is_operated:
                thread.join()
        if self.operator.stopped:
            raise Stop(Outcome.INTERRUPTED, text=RESUME)

    def _move_cell(self, number: int, target: np.ndarray, t: float) -> MoveReply:
        move_time, settling_time = self.times
        distance = float(np.linalg.norm((target - self.cell_position).ravel()[:3]))
        move_time = max(move_time, distance / self.max_speed)
        pose = target if self.conversion is None else self.conversion.from_start(target)
        move = MoveRequest(number, pose, move_time, settling_time)
        if self.journal and not (self.journal.pending and self.journal.pending[0] == number):
            self.journal.write_request(dataclasses.replace(move, target=target))
        with self._stop_during_move(t):
            reply = self.cell.move(move)
        self.cell_position = target
        self.new_moves += 1
        if self.conversion is not None and reply.position.shape == (POSE_AXES,):
            reply = dataclasses.replace(reply, position=self.conversion.to_start(reply.position))
        if self.journal and reply.ok:  # an incomplete move is repeated when the run is resumed
            self.journal.write_reply(reply)
        return reply

    def _check_stop_signal(self, signals: Mapping[str, Any], t: float) -> None:
        """Stop if the stop signal of the test exceeds 0.5."""
        name = self.settings.stop_signal
        if name and name in signals and float(np.max(signals[name])) > 0.5:
            raise Stop(Outcome.LATCHED, text=f"{name.replace('_', ' ')} at {t:.4g} s")

    # progress and operator

    def report(self, fraction: float, text: str) -> None:
        """Report the completed fraction, the moves and the time of the cell."""
        assert self.progress is not None
        duration = self.test.duration
        text = f"{fraction * duration:.4g} of {duration:g} s, {self.number} moves"
        if self.new_moves:
            text += f", {format_duration(self.clock)} of cell time"
        self.progress(fraction, text)

    def _updated(self, t: float) -> dict[str, float]:
        """Show the last row and execute operator requests; return the tunable parameters that change.

        The cell rests, so waiting has no effect.
        """
        if self.show is not None and self.number:
            self.show(self.recorder.last_row())
        self.operator.update(t)
        while self.operator.held and not self.operator.stopped:
            time.sleep(POLL_INTERVAL)
            self.operator.update(t)
        if self.operator.stopped:
            raise Stop(Outcome.INTERRUPTED, text=RESUME)
        return self._tunable_changes(t)

    def _tunable_changes(self, t: float) -> dict[str, float]:
        """Return the tunable parameters that change; the journal has the requests, for a resumed run."""
        self.update_count += 1
        if self.journal and self.update_count in self.journal.tunable_changes:
            changes = self.journal.tunable_changes[self.update_count]
            self.requested |= changes
            self.operator.values |= changes
        for path, value in self.operator.values.items():
            if value != self.requested[path] and self.number >= len(self.replies):
                self.requested[path] = value
                if self.journal:
                    self.journal.write_tunable(self.update_count, path, value)
        changed = {}
        for path, tunable in self.operator.tunables.items():
            value = self.tunable_values[path]
            if value != self.requested[path]:
                value = float(tunable.step_towards(value, self.requested[path], t - self.update_time))
                self.tunable_values[path] = changed[path] = value
        self.update_time = t
        self.recorder.tunable_values = np.array(list(self.tunable_values.values()))
        return changed

    def attributes(self, text: str) -> dict[str, Any]:
        """Return the attributes of the recording, with a remark."""
        return {
            "operator_events": self.operator.events_json(),
            "title": self.test.title,
            "seed": self.test.seed,
            "scheme": self.settings.scheme,
            "run": self.run_name,
            "cell": self.cell.name,
            "moves": self.number,
            "moves_resumed": len(self.replies),
            "cell_seconds": self.clock,
            "wall_seconds": time.monotonic() - self.start_time,
            "remark": text,
        }


def _trip(reply: MoveReply, t: float) -> Trip | None:
    if reply.trip not in SIGNALS:
        return None
    name, unit = SIGNALS[reply.trip]
    return Trip(name, reply.value, reply.limit, t, unit)
