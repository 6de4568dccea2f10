"""The loop of a creep run: advance the simulation to where it needs a force, move the cell, read, go on."""

from __future__ import annotations

import dataclasses
import secrets
import time
from typing import Any

import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import LinkError, OutputError
from dovetail.testing.hybrid_loop import MOTION
from dovetail.testing.limit_monitor import Watch, across
from dovetail.testing.operator import Operator
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.pseudodynamic.cell import Cell, Move, Reply
from dovetail.testing.pseudodynamic.classical import Classical
from dovetail.testing.pseudodynamic.estimate import describe_time
from dovetail.testing.pseudodynamic.pose_conversion import Placed
from dovetail.testing.pseudodynamic.recorder import Recorder
from dovetail.testing.pseudodynamic.settings import Stepping
from dovetail.testing.pseudodynamic.stepwise import (
    EPSILON,
    compiled_advance,
    compiled_demand,
    compiled_near,
    compiled_reading,
    start,
)
from dovetail.testing.run import Run
from dovetail.transfer.robot.safety import SENTENCES, SIGNALS
from dovetail.transfer.robot.trajectory import POSE_AXES

ROWS = 32  # recorded steps in one compiled call: near contact nearly every step asks for a force, so few are needed
LOOK = 0.05  # [s] between two looks at an operator who holds


class _Stop(Exception):
    """The run ends here, with an outcome."""

    def __init__(self, outcome: Outcome, trip: Trip | None = None, text: str = ""):
        super().__init__(text)
        self.outcome, self.trip, self.text = outcome, trip, text


class Loop:
    """One creep run: the simulation, the cell, the journal and what was recorded."""

    def __init__(self, test, prepared, shape, cell: Cell, log, progress, home, operator=None, show=None):
        self.operator, self.show = operator or Operator(), show
        if test.stepping.scheme != "classical":  # which takes its matrices once
            self.operator.allow(test)
        self.asked = dict(self.operator.values)  # of each dial, and where it stands
        self.turned = dict(self.operator.values)
        self.looks, self.looked = 0, 0.0  # at the operator: how many, and the test's time at the last
        self.test, self.prepared, self.cell, self.log, self.progress = test, prepared, cell, log, progress
        self.stepping: Stepping = test.stepping
        self.shape = shape
        axes = int(np.prod(self.shape, dtype=int))
        if cell.axes != axes:
            raise LinkError(f"{cell.name} has {cell.axes} axes, the test {axes}")
        self.run_name = log.run if log else secrets.token_hex(8)
        self.old = list(log.replies) if log else []  # answers of an earlier part of the run
        self.number = 0  # of the last move
        self.last: np.ndarray = np.zeros(self.shape)  # where the cell was last sent
        self.force = np.zeros(self.shape)  # of the specimen, as the simulation is told it
        self.measured = np.zeros(self.shape)  # displacement, the same
        self.recorder = Recorder(test, self.shape)
        self.began = time.monotonic()
        self.moved = 0.0  # [s] of the wall clock spent with the cell
        self.clock = 0.0  # [s] of the cell
        self.steps_now = 0  # moves made in this part of the run
        self.home = None if home is None else Placed(np.array(home))
        self.times, self.speed = self.stepping.times, float(self.stepping.speed)
        self.stood: np.ndarray = np.zeros(self.shape)  # where the cell stands
        self.scales = tuple(
            float(getattr(self.stepping, name)) for name in ("length_scale", "force_scale", "moment_scale")
        )
        self.watch = Watch.of(prepared, "creep")

    def run(self) -> Run:
        outcome, trip, text = Outcome.FINISHED, None, ""
        try:
            self._greet()
            self._steps()
        except _Stop as stop:
            outcome, trip, text = stop.outcome, stop.trip, stop.text
        except LinkError as error:
            if not self.recorder.rows:
                raise
            outcome, text = Outcome.LINK_LOST, str(error)
        except KeyboardInterrupt:
            if not self.recorder.rows:
                raise
            outcome, text = Outcome.INTERRUPTED, "resume it with its folder"
        data = self.recorder.dataset(self._about(text))
        return Run(self.test, "creep", data, outcome, trip)

    def _greet(self) -> None:
        """Let the cell know which run this is, and see that it stands where the run left it."""
        known = self.cell.begin(self.run_name)
        self.stood = self._position()
        if self.old and known is None:
            self._expect(self.stood, self.old[-1][0])
        if known is not None and self.log and self.log.asked and known.number == self.log.asked[0]:
            # the cell made the move whose answer was lost: the answer is taken, the specimen left alone
            target = self.log.asked[1]
            if self.home is not None:
                known = dataclasses.replace(known, position=self.home.to_start(known.position))
            self.old.append((target, known))
            self.log.answer(known)
        elif known is not None and known.number != len(self.old):
            raise LinkError(
                f"{self.cell.name} has made move {known.number} of this run, the journal knows {len(self.old)}; "
                "they do not belong together"
            )

    def _position(self) -> np.ndarray:
        """Where the cell stands, counted from the start of the test."""
        where = self.cell.read().position
        return (where if self.home is None else self.home.to_start(where)).reshape(self.shape)

    def _expect(self, where: np.ndarray, target: np.ndarray) -> None:
        far = float(np.max(np.abs(where - np.reshape(target, self.shape))))
        if far > max(1e-6, 10 * float(self.stepping.repeatability)):
            raise LinkError(
                f"{self.cell.name} stands {1e3 * far:.3g} mm or mrad from where the run left it and does not know the "
                "run; bring the specimen back into the state it was in, or start anew"
            )

    def _steps(self) -> None:
        if self.stepping.scheme == "classical":
            return self._classical()
        state = start(self.prepared)
        asks = bool(compiled_near(self.prepared, state["motion"]))  # a first reading, whatever the pose
        self._show(state, asks)
        self._heed(state)
        t, end = 0.0, self.test.duration - EPSILON * float(self.stepping.contact_step)
        while True:
            self._ends(state["motion"], t)
            if t >= end:
                return None
            if asks:
                self._move(np.asarray(state["motion"]["displacement"]), t)
            state, asked, count, rows = compiled_advance(
                self.prepared, state, self._read(), np.asarray(asks), self.last, ROWS
            )
            t, asks = float(state["t"]), bool(asked)
            self.recorder.add(rows, int(count), self.number)
            self._heed(state)
            self._tell(t)
            self._attend(t)

    def _classical(self) -> None:
        """Predict, impose, measure, correct, at equal steps."""
        scheme = Classical.of(self.prepared)
        h = float(self.stepping.contact_step)
        state = start(self.prepared)
        self._show(state)
        self._heed(state)
        self._move(np.asarray(state["motion"]["displacement"]), 0.0)
        state = {**state, "watch": compiled_reading(self.watch, state, self._read())}
        self._heed(state)
        motion = scheme.start(self.force)
        count = round(self.test.duration / h)
        for i in range(count):
            t = (i + 1) * h
            predicted = scheme.predict(h, motion)
            ahead = self._shown(state, t, h, (*predicted, motion[2]))
            ahead["watch"] = compiled_demand(self.watch, ahead)
            if int(ahead["watch"]["code"]):  # before the cell is sent there
                self.recorder.one(t, ahead["motion"], self.test.excitation(t), self.number)
                self._heed(ahead)
            self._move(predicted[0], i * h)
            motion = scheme.correct(i * h, h, motion, self.force)
            state = self._shown(state, t, h, motion[:3])
            self.recorder.one(t, state["motion"], self.test.excitation(t), self.number)
            state = {**state, "watch": compiled_demand(self.watch, state)}
            state = {**state, "watch": compiled_reading(self.watch, state, self._read())}
            self._heed(state)
            self._ends(state["motion"], t)
            self._tell(t)
            self._attend(t)

    def _shown(self, state: dict[str, Any], t: float, h: float, motion: Any) -> dict[str, Any]:
        """The state with another motion, at t."""
        named = {n: np.asarray(v).reshape(self.shape) for n, v in zip(MOTION, motion, strict=True)}
        return {"t": np.asarray(t), "h": np.asarray(h), "watch": state["watch"], "motion": named}

    # one move

    def _move(self, displacement: np.ndarray, t: float) -> None:
        target = self._scaled(displacement, 1 / self.scales[0], 1.0)
        number = self.number + 1
        reply = (self._remembered if number <= len(self.old) else self._asked)(number, target)
        self.number, self.last, self.clock = number, target, reply.clock
        self.force = self._scaled(reply.force, *self.scales[1:])
        self.measured = self._scaled(reply.position, self.scales[0], 1.0)
        self.recorder.read(number, target, reply, self.force)
        if not reply.ok:
            raise _Stop(Outcome.RIG_STOPPED, _trip(reply, t), SENTENCES[reply.trip])
        self._ends(reply.extras, t)

    def _read(self) -> dict[str, np.ndarray]:
        """The last reading, as the simulation is told it."""
        return {"measured_displacement": self.measured, "measured_force": self.force}

    def _scaled(self, values: np.ndarray, straight: float, turning: float) -> np.ndarray:
        """Values as the other side is told them; six are those of a pose or a wrench."""
        values = np.reshape(values, self.shape)
        if self.shape == (POSE_AXES,):
            return values * np.repeat([straight, turning], 3)
        return values * straight

    def _remembered(self, number: int, target: np.ndarray) -> Reply:
        """The answer that the journal has."""
        was, reply = self.old[number - 1]
        if not np.allclose(np.reshape(was, target.shape), target, rtol=1e-9, atol=1e-12):
            raise OutputError(
                f"the simulation sends the cell elsewhere in move {number} than the journal says it did; the run was "
                "made with another version, and cannot be resumed with this one"
            )
        return reply

    def _asked(self, number: int, target: np.ndarray) -> Reply:
        execution, settling = self.times
        far = float(np.linalg.norm((target - self.stood).ravel()[:3]))
        execution = max(execution, far / self.speed)
        move = Move(
            number, target if self.home is None else self.home.from_start(target), execution, settling
        )
        if self.log and not (self.log.asked and self.log.asked[0] == number):
            self.log.ask(dataclasses.replace(move, target=target))
        before = time.monotonic()
        reply = self.cell.move(move)
        self.moved += time.monotonic() - before
        self.stood = target
        self.steps_now += 1
        if self.home is not None and reply.position.shape == (POSE_AXES,):
            reply = dataclasses.replace(reply, position=self.home.to_start(reply.position))
        if self.log and reply.ok:  # a move that was not completed is made again when the run is resumed
            self.log.answer(reply)
        return reply

    # what is watched

    def _heed(self, state: dict[str, Any]) -> None:
        """Stop where the supervisor says so."""
        seen, outcome = state["watch"], Outcome.from_code(state["watch"]["code"])
        if outcome is Outcome.FINISHED:
            return
        motion = {name: np.asarray(value) for name, value in state["motion"].items()}
        met = {**motion, **across(motion, self._read()), "growth_rate": seen["growth"]}
        met |= {"interface_energy": seen["energy"], "still_readings": seen["still"][0]}
        raise _Stop(outcome, self.watch.trip(outcome, float(state["t"]), met))

    def _ends(self, shown: dict[str, Any], t: float) -> None:
        """Stop where the test's own signal says that it is over."""
        name = self.stepping.until
        if name and name in shown and float(np.max(shown[name])) > 0.5:
            raise _Stop(Outcome.LATCHED, text=f"{name.replace('_', ' ')} at {t:.4g} s")

    # what is told

    def _show(self, state: dict[str, Any], near: bool = True) -> None:
        motion = {name: np.asarray(v) for name, v in state["motion"].items()}
        self.last = np.asarray(self.stepping.command(jnp.asarray(motion["displacement"])))
        self.recorder.one(0.0, motion, state["excitation"], 0, near)

    def _tell(self, t: float) -> None:
        if self.progress is None:
            return
        share = min(t / self.test.duration, 1.0)
        text = f"{t:.4g} of {self.test.duration:g} s, {self.number} moves"
        if self.steps_now:
            text += f", {describe_time(self.clock)} of the cell's time"
        self.progress(share, text)

    def _attend(self, t: float) -> None:
        """Show the newest row, and do what the operator wants: the cell rests, and nothing is lost by waiting."""
        if self.show is not None and self.number:
            self.show(self.recorder.newest())
        self.operator.attend(t)
        while self.operator.held and not self.operator.stopped:
            time.sleep(LOOK)
            self.operator.attend(t)
        if self.operator.stopped:
            raise _Stop(Outcome.INTERRUPTED, text="resume it with its folder")
        self._turn(t)

    def _turn(self, t: float) -> None:
        """Let the dials follow; what was turned is in the journal, so that a resumed run turns it again."""
        self.looks += 1
        if self.log and self.looks in self.log.turns:
            self.asked |= self.log.turns[self.looks]
            self.operator.values |= self.log.turns[self.looks]
        for path, value in self.operator.values.items():
            if value != self.asked[path] and self.number >= len(self.old):
                self.asked[path] = value
                if self.log:
                    self.log.turn(self.looks, path, value)
        for path, dial in self.operator.dials.items():
            if self.turned[path] != self.asked[path]:
                self.turned[path] = float(dial.follow(self.turned[path], self.asked[path], t - self.looked))
                self.prepared = self.prepared.with_values(**{path: self.turned[path]})
        self.looked = t

    def _about(self, text: str) -> dict[str, Any]:
        return {
            "presses": self.operator.told(),
            "mode": "creep",
            "title": self.test.title,
            "seed": self.test.seed,
            "scheme": self.stepping.scheme,
            "run": self.run_name,
            "cell": self.cell.name,
            "moves": self.number,
            "moves_resumed": len(self.old),
            "cell_seconds": self.clock,
            "wall_seconds": time.monotonic() - self.began,
            "remark": text,
        }


def _trip(reply: Reply, t: float) -> Trip | None:
    if reply.trip not in SIGNALS:
        return None
    name, unit = SIGNALS[reply.trip]
    return Trip(name, reply.value, reply.limit, t, unit)
