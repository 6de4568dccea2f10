"""Recorder of a pseudo-dynamic test: every simulation step with the measurement that it used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.core import signals
from dovetail.core.recording import Recording
from dovetail.core.system import Signals
from dovetail.testing.pseudodynamic.cell import MoveReply
from dovetail.testing.pseudodynamic.stepwise import recorded_signals
from dovetail.testing.run import recording_of

if TYPE_CHECKING:
    from dovetail.testing.test import Test


class StepRecorder:
    """Rows of the simulation, each with the number of the move whose measurement it contains.

    The row of a step with a move contains the measurement of that move, so that motion and force belong to the same
    pose. Later rows contain the same measurement, as the simulation uses it; rows in free phases have zero force.
    """

    def __init__(self, test: Test, shape: tuple[int, ...] | None = None) -> None:
        assert test.pseudodynamic is not None
        self.test = test
        self.shape = test.shape if shape is None else shape  # finding the shape takes a while
        self.corrects = test.pseudodynamic.scheme == "classical"  # records a step after its move
        self.chunks: list[dict[str, np.ndarray]] = []
        self.moves: list[np.ndarray] = []  # number of the last move for every row of a chunk
        self.readings: list[dict[str, Any]] = [{}]  # by number of the move; empty before the first
        self.rows = 0
        self.tunable_values: np.ndarray = np.zeros(0)  # present values of the tunable parameters
        self.known = signals.all_signals()

    def start(self, shown: Signals) -> None:
        """Add the row at t = 0."""
        self.add({name: np.asarray(value)[None] for name, value in recorded_signals(shown).items()}, 1)

    def add(self, rows: Signals, count: int) -> None:
        """Add rows of the compiled loop, computed with the last measurement."""
        if not count:
            return
        chunk = {name: np.asarray(values)[:count] for name, values in rows.items()}
        if self.tunable_values.size:
            chunk["tunable_values"] = np.tile(self.tunable_values, (count, 1))
        self.chunks.append(chunk)
        self.moves.append(np.full(count, len(self.readings) - 1))
        self.rows += count

    def add_reading(self, number: int, target: np.ndarray, reply: MoveReply, force: np.ndarray) -> None:
        """Add the measurement of a move; it belongs to the last row so far."""
        assert number == len(self.readings)
        extras = {name: value for name, value in reply.extras.items() if name in self.known}
        self.readings.append(
            {
                "command": target,
                "measured_displacement": reply.position.reshape(target.shape),
                "measured_force": reply.force.reshape(target.shape),
                "feedback_force": force,
                "cell_time": np.asarray(reply.clock),
                **extras,
            }
        )
        if self.rows == 1 or not self.corrects:
            self.moves[-1][-1] = number

    @property
    def time(self) -> float:
        """Time of the last row [s]."""
        return float(self.chunks[-1]["t"][-1])

    def last_row(self) -> dict[str, Any]:
        """Return the last row with its measurement; names and shapes are the same in every call."""
        row = {name: values[-1] for name, values in self.chunks[-1].items()}
        number, gate = int(self.moves[-1][-1]), row.pop("gate")
        reading = {**{name: np.zeros_like(value) for name, value in self.readings[-1].items()}}
        reading |= self.readings[number]
        named = {"time": row.pop("t"), "contact_gate": gate, "move_number": number}
        return {**row, **reading, **named}

    def recording(self, about: dict[str, Any]) -> Recording:
        """Return the recording with units."""
        columns = {name: np.concatenate([chunk[name] for chunk in self.chunks]) for name in self.chunks[0]}
        times, gate, moves = columns.pop("t"), columns.pop("gate"), np.concatenate(self.moves)
        last = self.readings[-1]
        blank = {name: np.zeros_like(value) for name, value in last.items()}
        shape = self.shape
        blank |= {
            name: np.zeros(shape)
            for name in ("measured_displacement", "measured_force", "feedback_force")
            if name not in blank
        }
        blank["command"] = columns["displacement"][0]
        table = [{**blank, **reading} for reading in self.readings]
        for name in blank:
            columns[name] = np.stack([np.asarray(row[name], dtype=float) for row in table])[moves]
        # the feedback force is zero in free phases
        columns["feedback_force"] = columns["feedback_force"] * gate.reshape(-1, *(1,) * len(shape))
        columns["contact_gate"] = gate.astype(float)
        columns["move_number"] = moves.astype(float)
        return recording_of(self.test, times, columns, about)
