"""The journal of a creep test: every move and its answer on disk, one line each, as they happen.

A creep test takes hours. Whatever ends it, the journal holds all that the specimen was asked and answered: the
test is resumed by integrating the simulation once more with the answers in the journal, without
touching the cell, and going on from there. A specimen is never loaded twice with the same step.

Each line is a JSON table with a checksum of itself. A line that was cut off at the end is dropped; anything else
that is not right is an error.
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

from dovetail.core.errors import OutputError
from dovetail.testing.pseudodynamic.cell import Move, Reply
from dovetail.transfer.robot.safety import TripCode

NAME = "journal.jsonl"
VERSION = 1
PRESS_EVERY = 0.2  # [s] at most


def fingerprint(resolved: dict[str, Any]) -> str:
    """A name for a resolved test: the same for the same test."""
    return hashlib.sha256(json.dumps(resolved, sort_keys=True, default=str).encode()).hexdigest()[:32]


@dataclasses.dataclass
class Journal:
    """An open journal: what it holds already, and where the next line goes."""

    path: Path
    run: str  # name of the run, by which a cell knows it again
    replies: list[tuple[np.ndarray, Reply]] = dataclasses.field(default_factory=list)  # target, answer
    asked: tuple[int, np.ndarray] | None = None  # the last move, if no answer came
    pressed: float = 0.0  # [s] when it was last pressed to the disk
    # what the operator's dials were turned to, by the number of the look at which it was noticed
    turns: dict[int, dict[str, float]] = dataclasses.field(default_factory=dict)

    @staticmethod
    def create(path: Path, run: str, test: str) -> Journal:
        """A new journal for a run of a test with that fingerprint."""
        journal = Journal(path, run)
        journal._write({"journal": VERSION, "run": run, "test": test})
        return journal

    @staticmethod
    def open(path: Path, test: str) -> Journal:
        """The journal of an earlier run of the same test; `OutputError` if it is another's."""
        lines = _lines(path)
        if not lines or lines[0].get("journal") != VERSION or not isinstance(lines[0].get("run"), str):
            raise OutputError(f"{path}: is no journal of a creep test, version {VERSION}")
        if lines[0].get("test") != test:
            raise OutputError(
                f"{path}: belongs to another test, or to this one with other values; resume with the test "
                "that was run (its folder holds it as test.toml), or start anew in another folder"
            )
        journal = Journal(path, lines[0]["run"])
        for i, line in enumerate(lines[1:], 2):
            try:
                journal._take(line)
            except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
                raise OutputError(
                    f"{path}: line {i} is no line of a journal ({error}); the journal cannot be trusted"
                ) from error
        return journal

    def _take(self, line: dict[str, Any]) -> None:
        """What a line says: a dial turned, a move asked for, or what came of it."""
        if "turn" in line:
            self.turns.setdefault(_whole(line["look"]), {})[str(line["turn"])] = float(line["value"])
        elif "target" in line:
            self.asked = (_whole(line["move"]), np.asarray(line["target"], dtype=float))
        elif self.asked is None or line["move"] != self.asked[0]:
            raise OutputError(f"{self.path}: has an answer to move {line['move']}, which was not asked for")
        else:
            self.replies.append((self.asked[1], _reply(line)))
            self.asked = None

    def ask(self, move: Move) -> None:
        """Note a move before it is made."""
        self._write({"move": move.number, "target": np.asarray(move.target).tolist()})

    def turn(self, look: int, path: str, value: float) -> None:
        """Note that a dial was turned."""
        self._write({"turn": path, "value": value, "look": look})

    def answer(self, reply: Reply) -> None:
        """Note what came of it."""
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
                # what was flushed survives the end of this process; against the end of the machine it is pressed
                # to the disk, which takes milliseconds: for moves of a real cell every time
                if time.monotonic() - self.pressed > PRESS_EVERY:
                    os.fsync(file.fileno())
                    self.pressed = time.monotonic()
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written ({error}); the test cannot go on") from error


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        texts = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise OutputError(f"{path}: cannot be read; give the folder that a creep test wrote") from error
    tables = []
    for i, text in enumerate(texts):
        if not text:
            continue
        body, mark, tail = text.rpartition(', "sum": ')
        if mark and tail == f"{zlib.crc32((body + '}').encode())}}}":
            tables.append(_table(body + "}"))
        elif i == len(texts) - 1:  # no line feed at its end: it was being written when all stopped
            _cut(path, len(text.encode()))
        else:
            raise OutputError(f"{path}: line {i + 1} is damaged; the journal cannot be trusted")
    return tables


def _table(text: str) -> dict[str, Any]:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # signed, and yet no table: nothing that this module wrote
        return {}


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"{str(value)[:40]} is no whole number")
    return value


def _cut(path: Path, size: int) -> None:
    """Take an incomplete last line away, so that the next one begins on its own."""
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - size)


def _reply(line: dict[str, Any]) -> Reply:
    return Reply(
        _whole(line["move"]),
        np.asarray(line["position"], dtype=float),
        np.asarray(line["force"], dtype=float),
        float(line["clock"]),
        TripCode[line["trip"]],
        float(line["value"]),
        float(line["limit"]),
        {str(name): np.asarray(value, dtype=float) for name, value in line["extras"].items()},
    )
