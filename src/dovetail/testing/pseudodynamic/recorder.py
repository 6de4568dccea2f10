"""What a creep run records: every step of the simulation, and with it the reading that it used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.core import signals
from dovetail.testing.pseudodynamic.cell import Reply
from dovetail.testing.run import dataset

if TYPE_CHECKING:
    import xarray as xr

    from dovetail.testing.test import Test


class Recorder:
    """Rows of the simulation, each with the number of the move whose reading it goes with.

    The row of a step at which the cell was asked goes with that reading: motion and force belong to the same
    pose. Rows after it keep it, as the simulation does, and rows in free phases have zero force.
    """

    def __init__(self, test: Test, shape: tuple[int, ...] | None = None):
        self.test = test
        self.shape = test.shape if shape is None else shape  # known already: finding it takes a while
        self.chunks: list[dict[str, np.ndarray]] = []
        self.moves: list[np.ndarray] = []  # number of the last move, for every row of a chunk
        self.readings: list[dict[str, Any]] = [{}]  # by number of the move; none before the first
        self.rows = 0

    def add(self, rows: dict[str, Any], count: int, number: int) -> None:
        """Rows from the compiled loop, made with the reading of move `number`."""
        if not count:
            return
        self.chunks.append({name: np.asarray(values)[:count] for name, values in rows.items()})
        self.moves.append(np.full(count, number))
        self.rows += count

    def one(
        self, t: float, motion: dict[str, np.ndarray], excitation: Any, number: int, near: bool = True
    ) -> None:
        """A single row."""
        row = {"t": np.asarray(t), "near": np.asarray(near), "excitation": np.asarray(excitation), **motion}
        self.add({name: np.asarray(value)[None] for name, value in row.items()}, 1, number)

    def read(self, number: int, target: np.ndarray, reply: Reply, force: np.ndarray) -> None:
        """The reading of a move, which belongs to the last row so far."""
        assert number == len(self.readings)
        known = signals.known()
        extras = {name: value for name, value in reply.extras.items() if name in known}
        self.readings.append(
            {
                "command": target,
                "measured_displacement": reply.position.reshape(target.shape),
                "measured_force": reply.force.reshape(target.shape),
                "force": force,
                "cell_time": np.asarray(reply.clock),
                **extras,
            }
        )
        assert self.test.stepping is not None
        if self.rows == 1 or self.test.stepping.scheme != "classical":  # which records a step after its move
            self.moves[-1][-1] = number

    def newest(self) -> dict[str, Any]:
        """The last row with the reading that goes with it; the same names and shapes in every call."""
        row = {name: values[-1] for name, values in self.chunks[-1].items()}
        number, near = int(self.moves[-1][-1]), row.pop("near")
        reading = {**{name: np.zeros_like(value) for name, value in self.readings[-1].items()}}
        reading |= self.readings[number]
        named = {"time": row.pop("t"), "near_contact": near, "contact_move": number}
        return {**row, **reading, **named}

    def dataset(self, about: dict[str, Any]) -> xr.Dataset:
        """All that was recorded, with its units."""
        columns = {name: np.concatenate([chunk[name] for chunk in self.chunks]) for name in self.chunks[0]}
        times, near, moves = columns.pop("t"), columns.pop("near"), np.concatenate(self.moves)
        last = self.readings[-1]
        blank = {name: np.zeros_like(value) for name, value in last.items()}
        shape = self.shape
        blank |= {
            name: np.zeros(shape)
            for name in ("measured_displacement", "measured_force", "force")
            if name not in blank
        }
        blank["command"] = columns["displacement"][0]
        table = [{**blank, **reading} for reading in self.readings]
        for name in blank:
            columns[name] = np.stack([np.asarray(row[name], dtype=float) for row in table])[moves]
        # in free phases nothing is fed back, whatever the last reading was
        columns["force"] = columns["force"] * near.reshape(-1, *(1,) * len(shape))
        columns["near_contact"] = near.astype(float)
        columns["contact_move"] = moves.astype(float)
        return dataset(self.test, times, columns, about)
