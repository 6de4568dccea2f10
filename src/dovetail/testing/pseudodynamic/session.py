"""Loop of a pseudo-dynamic run: advance the simulation until it needs a force, move the cell, measure, continue."""

from __future__ import annotations

import dataclasses
import secrets
import time
from typing import Any

import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import LinkError, OutputError
from dovetail.testing.hybrid_loop import MOTION
from dovetail.testing.limit_monitor import LimitMonitor, interface_quantities
from dovetail.testing.operator import Operator
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.pseudodynamic.cell import Cell, MoveReply, MoveRequest
from dovetail.testing.pseudodynamic.classical import Classical
from dovetail.testing.pseudodynamic.estimate import format_duration
from dovetail.testing.pseudodynamic.pose_conversion import PoseConversion
from dovetail.testing.pseudodynamic.recorder import Recorder
from dovetail.testing.pseudodynamic.settings import PseudodynamicSettings
from dovetail.testing.pseudodynamic.stepwise import (
    EPSILON,
    compiled_advance,
    compiled_demand,
    compiled_gate,
    compiled_reading,
    start,
)
from dovetail.testing.run import Run
from dovetail.transfer.robot.safety import SIGNALS, TRIP_MESSAGES
from dovetail.transfer.robot.trajectory import POSE_AXES

ROWS = 32  # records in one compiled call; in contact nearly every step needs a force, so few are enough
POLL_INTERVAL = 0.05  # [s] between two operator updates while the test is held


class _Stop(Exception):
    """End of the run with an outcome."""

    def __init__(self, outcome: Outcome, trip: Trip | None = None, text: str = ""):
        super().__init__(text)
        self.outcome, self.trip, self.text = outcome, trip, text


class Loop:
    """Pseudo-dynamic run: simulation, cell, journal and recorder."""

    def __init__(
        self, test, prepared, shape, cell: Cell, journal, progress, home_pose, operator=None, show=None
    ):
        self.operator, self.show = operator or Operator(), show
        self.settings: PseudodynamicSettings = test.pseudodynamic
        if self.settings.scheme != "classical":  # that scheme computes its matrices once
            self.operator.register_tunables(test)
        self.requested = dict(self.operator.values)  # requested value of each tunable parameter
        self.tunable_values = dict(self.operator.values)  # present values
        self.update_count, self.update_time = 0, 0.0  # operator updates, and test time of the last one
        self.test, self.prepared, self.cell, self.journal, self.progress = (
            test,
            prepared,
            cell,
            journal,
            progress,
        )
        self.shape = shape
        axes = int(np.prod(self.shape, dtype=int))
        if cell.axes != axes:
            raise LinkError(f"{cell.name} has {cell.axes} axes, the test {axes}")
        self.run_name = journal.run if journal else secrets.token_hex(8)
        self.replies = list(journal.replies) if journal else []  # of an earlier part of the run
        self.number = 0  # of the last move
        self.last: np.ndarray = np.zeros(self.shape)  # last command to the cell
        self.force = np.zeros(self.shape)  # specimen force in the simulation
        self.measured = np.zeros(self.shape)  # measured displacement in the simulation
        self.recorder = Recorder(test, self.shape)
        self.start_time = time.monotonic()
        self.moving_time = 0.0  # [s] wall-clock time of all moves
        self.clock = 0.0  # [s] of the cell
        self.new_moves = 0  # moves in this part of the run
        self.conversion = None if home_pose is None else PoseConversion(np.array(home_pose))
        self.times, self.max_speed = self.settings.times, float(self.settings.max_speed)
        self.cell_position: np.ndarray = np.zeros(self.shape)
        self.scales = tuple(
            float(getattr(self.settings, name)) for name in ("length_scale", "force_scale", "moment_scale")
        )
        self.monitor = LimitMonitor.for_test(prepared, "pseudodynamic")

    def run(self) -> Run:
        outcome, trip, text = Outcome.FINISHED, None, ""
        try:
            self._begin()
            self._run_steps()
        except _Stop as stop:
            outcome, trip, text = stop.outcome, stop.trip, stop.text
        except LinkError as error:
            if not self.recorder.rows:
                raise
            outcome, text = Outcome.LINK_LOST, str(error)
        except KeyboardInterrupt:
            if not self.recorder.rows:
                raise
            outcome, text = Outcome.INTERRUPTED, "resume the run with its folder"
        data = self.recorder.dataset(self._attributes(text))
        return Run(self.test, "pseudodynamic", data, outcome, trip)

    def _begin(self) -> None:
        """Begin or continue the run on the cell, and check that the cell is where the run left it."""
        reply = self.cell.begin(self.run_name)
        self.cell_position = self._read_position()
        if self.replies and reply is None:
            self._check_position(self.cell_position, self.replies[-1][0])
        pending = self.journal.pending if self.journal else None
        if reply is not None and pending and reply.number == pending[0]:
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

    def _run_steps(self) -> None:
        if self.settings.scheme == "classical":
            return self._run_classical()
        state = start(self.prepared)
        needed = bool(compiled_gate(self.prepared, state["motion"]))  # a first measurement at any pose
        self._record_start(state, needed)
        self._check_limits(state)
        t, end = 0.0, self.test.duration - EPSILON * float(self.settings.contact_step)
        while True:
            self._check_stop_signal(state["motion"], t)
            if t >= end:
                return None
            if needed:
                self._move(np.asarray(state["motion"]["displacement"]), t)
            state, force_needed, count, rows = compiled_advance(
                self.prepared, state, self._reading(), np.asarray(needed), self.last, ROWS
            )
            t, needed = float(state["t"]), bool(force_needed)
            self.recorder.add_rows(rows, int(count), self.number)
            self._check_limits(state)
            self._report(t)
            self._update_operator(t)

    def _run_classical(self) -> None:
        """Predict, impose, measure and correct, at equal steps."""
        scheme = Classical.from_test(self.prepared)
        h = float(self.settings.contact_step)
        state = start(self.prepared)
        self._record_start(state)
        self._check_limits(state)
        self._move(np.asarray(state["motion"]["displacement"]), 0.0)
        state = {**state, "monitor": compiled_reading(self.monitor, state, self._reading())}
        self._check_limits(state)
        motion = scheme.start(self.force)
        count = round(self.test.duration / h)
        for i in range(count):
            t = (i + 1) * h
            predicted = scheme.predict(h, motion)
            ahead = self._with_motion(state, t, h, (*predicted, motion[2]))
            ahead["monitor"] = compiled_demand(self.monitor, ahead)
            if int(ahead["monitor"]["code"]):  # before the command is sent
                self.recorder.add_row(t, ahead["motion"], self.test.excitation(t), self.number)
                self._check_limits(ahead)
            self._move(predicted[0], i * h)
            motion = scheme.correct(i * h, h, motion, self.force)
            state = self._with_motion(state, t, h, motion[:3])
            self.recorder.add_row(t, state["motion"], self.test.excitation(t), self.number)
            state = {**state, "monitor": compiled_demand(self.monitor, state)}
            state = {**state, "monitor": compiled_reading(self.monitor, state, self._reading())}
            self._check_limits(state)
            self._check_stop_signal(state["motion"], t)
            self._report(t)
            self._update_operator(t)

    def _with_motion(self, state: dict[str, Any], t: float, h: float, motion: Any) -> dict[str, Any]:
        """Return the state with another motion, at t."""
        named = {n: np.asarray(v).reshape(self.shape) for n, v in zip(MOTION, motion, strict=True)}
        return {"t": np.asarray(t), "h": np.asarray(h), "monitor": state["monitor"], "motion": named}

    # one move

    def _move(self, displacement: np.ndarray, t: float) -> None:
        target = self._scale(displacement, 1 / self.scales[0], 1.0)
        number = self.number + 1
        make_move = self._journal_reply if number <= len(self.replies) else self._move_cell
        reply = make_move(number, target)
        self.number, self.last, self.clock = number, target, reply.clock
        self.force = self._scale(reply.force, *self.scales[1:])
        self.measured = self._scale(reply.position, self.scales[0], 1.0)
        self.recorder.add_reading(number, target, reply, self.force)
        if not reply.ok:
            raise _Stop(Outcome.RIG_STOPPED, _trip(reply, t), TRIP_MESSAGES[reply.trip])
        self._check_stop_signal(reply.extras, t)

    def _reading(self) -> dict[str, np.ndarray]:
        """Return the last measurement in simulated scale."""
        return {"measured_displacement": self.measured, "measured_force": self.force}

    def _scale(self, values: np.ndarray, factor: float, angular_factor: float) -> np.ndarray:
        """Return scaled values; six values are those of a pose or a wrench."""
        values = np.reshape(values, self.shape)
        if self.shape == (POSE_AXES,):
            return values * np.repeat([factor, angular_factor], 3)
        return values * factor

    def _journal_reply(self, number: int, target: np.ndarray) -> MoveReply:
        """Return the reply in the journal."""
        journal_target, reply = self.replies[number - 1]
        if not np.allclose(np.reshape(journal_target, target.shape), target, rtol=1e-9, atol=1e-12):
            raise OutputError(
                f"the target of move {number} differs from that in the journal; the run was made with another version "
                "and cannot be resumed with this one"
            )
        return reply

    def _move_cell(self, number: int, target: np.ndarray) -> MoveReply:
        move_time, settling_time = self.times
        distance = float(np.linalg.norm((target - self.cell_position).ravel()[:3]))
        move_time = max(move_time, distance / self.max_speed)
        pose = target if self.conversion is None else self.conversion.from_start(target)
        move = MoveRequest(number, pose, move_time, settling_time)
        if self.journal and not (self.journal.pending and self.journal.pending[0] == number):
            self.journal.write_request(dataclasses.replace(move, target=target))
        before = time.monotonic()
        reply = self.cell.move(move)
        self.moving_time += time.monotonic() - before
        self.cell_position = target
        self.new_moves += 1
        if self.conversion is not None and reply.position.shape == (POSE_AXES,):
            reply = dataclasses.replace(reply, position=self.conversion.to_start(reply.position))
        if self.journal and reply.ok:  # an incomplete move is repeated when the run is resumed
            self.journal.write_reply(reply)
        return reply

    # limits

    def _check_limits(self, state: dict[str, Any]) -> None:
        """Stop if a limit was reached."""
        monitor_state, outcome = state["monitor"], Outcome.from_code(state["monitor"]["code"])
        if outcome is Outcome.FINISHED:
            return
        motion = {name: np.asarray(value) for name, value in state["motion"].items()}
        values = {
            **motion,
            **interface_quantities(motion, self._reading()),
            "growth_rate": monitor_state["growth"],
        }
        values |= {"interface_energy": monitor_state["energy"], "frozen_samples": monitor_state["frozen"][0]}
        raise _Stop(outcome, self.monitor.trip(outcome, float(state["t"]), values))

    def _check_stop_signal(self, signals: dict[str, Any], t: float) -> None:
        """Stop if the stop signal of the test exceeds 0.5."""
        name = self.settings.stop_signal
        if name and name in signals and float(np.max(signals[name])) > 0.5:
            raise _Stop(Outcome.LATCHED, text=f"{name.replace('_', ' ')} at {t:.4g} s")

    # recording, progress and operator

    def _record_start(self, state: dict[str, Any], gate: bool = True) -> None:
        motion = {name: np.asarray(v) for name, v in state["motion"].items()}
        self.last = np.asarray(self.settings.command(jnp.asarray(motion["displacement"])))
        self.recorder.add_row(0.0, motion, state["excitation"], 0, gate)

    def _report(self, t: float) -> None:
        if self.progress is None:
            return
        text = f"{t:.4g} of {self.test.duration:g} s, {self.number} moves"
        if self.new_moves:
            text += f", {format_duration(self.clock)} of cell time"
        self.progress(min(t / self.test.duration, 1.0), text)

    def _update_operator(self, t: float) -> None:
        """Show the last row and execute operator requests; the cell rests, so waiting has no effect."""
        if self.show is not None and self.number:
            self.show(self.recorder.last_row())
        self.operator.update(t)
        while self.operator.held and not self.operator.stopped:
            time.sleep(POLL_INTERVAL)
            self.operator.update(t)
        if self.operator.stopped:
            raise _Stop(Outcome.INTERRUPTED, text="resume the run with its folder")
        self._update_tunables(t)

    def _update_tunables(self, t: float) -> None:
        """Change tunable parameters; changes are in the journal, so that a resumed run repeats them."""
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
        for path, tunable in self.operator.tunables.items():
            value = self.tunable_values[path]
            if value != self.requested[path]:
                value = float(tunable.step_towards(value, self.requested[path], t - self.update_time))
                self.tunable_values[path] = value
                self.prepared = self.prepared.with_values(**{path: value})
        self.update_time = t

    def _attributes(self, text: str) -> dict[str, Any]:
        return {
            "operator_events": self.operator.events_json(),
            "mode": "pseudodynamic",
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
