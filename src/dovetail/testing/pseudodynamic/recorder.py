"""Recorder of a pseudo-dynamic test: every simulation step with the measurement that it used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.core import signals
from dovetail.testing.pseudodynamic.cell import MoveReply
from dovetail.testing.run import dataset

if TYPE_CHECKING:
    import xarray as xr

    from dovetail.testing.test import Test


class Recorder:
    """Rows of the simulation, each with the number of the move whose measurement it contains.

    The row of a step with a move contains the measurement of that move, so that motion and force belong to the same
    pose. Later rows contain the same measurement, as the simulation uses it; rows in free phases have zero force.
    """

    def __init__(self, test: Test, shape: tuple[int, ...] | None = None):
        self.test = test
        self.shape = test.shape if shape is None else shape  # finding the shape takes a while
        self.chunks: list[dict[str, np.ndarray]] = []
        self.moves: list[np.ndarray] = []  # number of the last move for every row of a chunk
        self.readings: list[dict[str, Any]] = [{}]  # by number of the move; empty before the first
        self.rows = 0

    def add_rows(self, rows: dict[str, Any], count: int, number: int) -> None:
        """Add rows of the compiled loop, computed with the measurement of move `number`."""
        if not count:
            return
        self.chunks.append({name: np.asarray(values)[:count] for name, values in rows.items()})
        self.moves.append(np.full(count, number))
        self.rows += count

    def add_row(
        self, t: float, motion: dict[str, np.ndarray], excitation: Any, number: int, gate: bool = True
    ) -> None:
        """Add one row."""
        row = {"t": np.asarray(t), "gate": np.asarray(gate), "excitation": np.asarray(excitation), **motion}
        self.add_rows({name: np.asarray(value)[None] for name, value in row.items()}, 1, number)

    def add_reading(self, number: int, target: np.ndarray, reply: MoveReply, force: np.ndarray) -> None:
        """Add the measurement of a move; it belongs to the last row so far."""
        assert number == len(self.readings)
        names = signals.all_signals()
        extras = {name: value for name, value in reply.extras.items() if name in names}
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
        assert self.test.pseudodynamic is not None
        if (
            self.rows == 1 or self.test.pseudodynamic.scheme != "classical"
        ):  # that scheme records a step after its move
            self.moves[-1][-1] = number

    def last_row(self) -> dict[str, Any]:
        """Return the last row with its measurement; names and shapes are the same in every call."""
        row = {name: values[-1] for name, values in self.chunks[-1].items()}
        number, gate = int(self.moves[-1][-1]), row.pop("gate")
        reading = {**{name: np.zeros_like(value) for name, value in self.readings[-1].items()}}
        reading |= self.readings[number]
        named = {"time": row.pop("t"), "contact_gate": gate, "move_number": number}
        return {**row, **reading, **named}

    def dataset(self, about: dict[str, Any]) -> xr.Dataset:
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
        return dataset(self.test, times, columns, about)
