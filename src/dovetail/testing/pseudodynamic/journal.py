"""Journal of a pseudo-dynamic test: every move request and reply on disk, one line each.

A pseudo-dynamic test takes hours. After an interruption the test is resumed: the simulation is repeated with the
replies in the journal, without moving the cell, and continues from there. A specimen is never loaded twice with the
same step.

Each line is a JSON table with its checksum. An incomplete last line is dropped; any other fault is an error.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.core import plain_file
from dovetail.core.errors import OutputError
from dovetail.testing.pseudodynamic.cell import MoveReply, MoveRequest
from dovetail.transfer.robot.safety import TripCode

NAME = "journal.jsonl"
VERSION = 1
MAX_SIZE = 2**32  # [B] of a journal
SYNC_INTERVAL = 0.2  # [s] shortest time between two writes to the disk


def fingerprint(resolved: dict[str, Any]) -> str:
    """Return the fingerprint of a resolved test."""
    return hashlib.sha256(json.dumps(resolved, sort_keys=True, default=str).encode()).hexdigest()[:32]


@dataclasses.dataclass
class Journal:
    """Open journal with its content."""

    path: Path
    run: str  # unique name of the run, also sent to the cell
    replies: list[tuple[np.ndarray, MoveReply]] = dataclasses.field(default_factory=list)  # target, reply
    pending: tuple[int, np.ndarray] | None = None  # last move, if it has no reply
    synced: float = 0.0  # [s] time of the last write to the disk
    # requested values of tunable parameters, by the number of the operator update
    tunable_changes: dict[int, dict[str, float]] = dataclasses.field(default_factory=dict)

    @staticmethod
    def create(path: Path, run: str, test: str) -> Journal:
        """Create a journal for a run of the test with this fingerprint."""
        journal = Journal(path, run)
        journal._write({"journal": VERSION, "run": run, "test": test})
        return journal

    @staticmethod
    def open(path: Path, test: str) -> Journal:
        """Open the journal of an earlier run of the same test; raise `OutputError` if it is of another test."""
        lines = _lines(path)
        if not lines or lines[0].get("journal") != VERSION or not isinstance(lines[0].get("run"), str):
            raise OutputError(f"{path}: is not a journal of a pseudo-dynamic test, version {VERSION}")
        if lines[0].get("test") != test:
            raise OutputError(
                f"{path}: belongs to another test, or to this test with other values; resume with the test.toml in "
                "its folder, or start a new run in another folder"
            )
        journal = Journal(path, lines[0]["run"])
        for i, line in enumerate(lines[1:], 2):
            try:
                journal._read_line(line)
            except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
                raise OutputError(
                    f"{path}: line {i} is not a line of a journal ({error}); start a new run in another folder"
                ) from error
        return journal

    def _read_line(self, line: dict[str, Any]) -> None:
        """Add a line: a tunable change, a move request, or a reply."""
        if "set" in line:
            self.tunable_changes.setdefault(_integer(line["update"]), {})[str(line["set"])] = float(
                line["value"]
            )
        elif "target" in line:
            self.pending = (_integer(line["move"]), np.asarray(line["target"], dtype=float))
        elif self.pending is None or line["move"] != self.pending[0]:
            raise OutputError(f"{self.path}: has a reply to move {line['move']}, which was not requested")
        else:
            self.replies.append((self.pending[1], _reply(line)))
            self.pending = None

    def write_request(self, move: MoveRequest) -> None:
        """Write a move before it is made."""
        self._write({"move": move.number, "target": np.asarray(move.target).tolist()})

    def write_tunable(self, update: int, path: str, value: float) -> None:
        """Write a change of a tunable parameter at an operator update."""
        self._write({"set": path, "value": value, "update": update})

    def write_reply(self, reply: MoveReply) -> None:
        """Write the reply to the last move."""
        self._write(
            {
                "move": reply.number,
                "position": reply.position.tolist(),
                "force": reply.force.tolist(),
                "clock": reply.clock,
                "trip": reply.trip.name,
                "value": reply.value,
                "limit": reply.limit,
                "extras": {name: np.asarray(value).tolist() for name, value in reply.extras.items()},
            }
        )

    def _write(self, table: dict[str, Any]) -> None:
        text = json.dumps(table)
        line = f'{text[:-1]}, "sum": {zlib.crc32(text.encode())}}}\n'
        try:
            with open(self.path, "ab") as file:
                file.write(line.encode())
                file.flush()
                # flushed data survive a crash of this process; fsync (milliseconds) also protects against a crash of
                # the machine, and is done for every move of a real cell
                if time.monotonic() - self.synced > SYNC_INTERVAL:
                    os.fsync(file.fileno())
                    self.synced = time.monotonic()
        except OSError as error:
            raise OutputError(
                f"{self.path}: cannot be written ({error}); the test cannot continue"
            ) from error


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        texts = plain_file.read(path, MAX_SIZE).decode("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise OutputError(f"{path}: cannot be read; give the folder of a pseudo-dynamic run") from error
    tables = []
    for i, text in enumerate(texts):
        if not text:
            continue
        body, mark, tail = text.rpartition(', "sum": ')
        if mark and tail == f"{zlib.crc32((body + '}').encode())}}}":
            tables.append(_table(body + "}"))
        elif i == len(texts) - 1:  # no line feed at its end: incomplete
            _truncate(path, len(text.encode()))
        else:
            raise OutputError(f"{path}: line {i + 1} is damaged; start a new run in another folder")
    return tables


def _table(text: str) -> dict[str, Any]:
    try:
        table: dict[str, Any] = json.loads(text)
        return table
    except (ValueError, RecursionError):  # correct checksum, but not written by this module
        return {}


def _integer(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"{str(value)[:40]} is not an integer")
    return value


def _truncate(path: Path, size: int) -> None:
    """Remove an incomplete last line of `size` bytes."""
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - size)


def _reply(line: dict[str, Any]) -> MoveReply:
    return MoveReply(
        _integer(line["move"]),
        np.asarray(line["position"], dtype=float),
        np.asarray(line["force"], dtype=float),
        float(line["clock"]),
        TripCode[line["trip"]],
        float(line["value"]),
        float(line["limit"]),
        {str(name): np.asarray(value, dtype=float) for name, value in line["extras"].items()},
    )
