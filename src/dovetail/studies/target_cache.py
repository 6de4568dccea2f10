"""Rows of a table of targets that was interrupted, kept on disk so that the table goes on where it stopped.

A table is what was asked for: all studies, one, or one test of it. Its rows are lines of one file, each written when it
was computed. The first line names what they rest on, by a fingerprint of Dovetail's own files (the targets are among
them) and of the libraries: after any change the file counts for nothing, so that no old number is shown as a new one.
A table that is whole takes its file away, and the next one is computed from its beginning.

Rows that failed are not kept: what made them fail may be gone the next time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import platform
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

from dovetail.studies.registry import FOLDER
from dovetail.studies.targets import Result, Target, judged

PACKAGE = FOLDER.parent
LIBRARIES = ("jax", "jaxlib", "equinox", "diffrax", "lineax", "optimistix", "numpy", "scipy")


def fingerprint(package: Path = PACKAGE) -> str:
    """A word that changes with any file of the package and with the libraries."""
    digest = hashlib.sha256(f"{platform.machine()} {platform.python_version()}".encode())
    for name in LIBRARIES:
        digest.update(f"{name} {metadata.version(name)}\n".encode())
    for file in sorted(package.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(f"{file.relative_to(package)}\n".encode() + file.read_bytes())
    return digest.hexdigest()


class Kept:
    """The rows of one table that are there already."""

    def __init__(self, folder: Path, asked: str | None, source: str | None = None):
        self.file = folder / f"{(asked or 'all').replace('/', '-')}.jsonl"
        self.source = source or fingerprint()
        self.fault = ""  # why nothing can be kept
        self._rows = self._read()

    def _read(self) -> dict[tuple[str, str], dict]:
        """What an interrupted table left; a line that was being written when it ended is not there."""
        try:
            head, *lines = self.file.read_text("utf-8").splitlines()
            if json.loads(head) != {"source": self.source}:
                return {}
        except (OSError, ValueError):
            return {}
        found = {}
        for line in lines:
            try:
                row = json.loads(line)
                found[row["study"], row["id"]] = row
            except (ValueError, KeyError, TypeError):
                continue
        return found

    def count(self, targets: Iterable[Target]) -> int:
        """How many of these targets are there."""
        return sum((t.study, t.id) in self._rows for t in targets)

    def result(self, target: Target) -> Result | None:
        """What was got for a target, judged; None if it is not there."""
        row = self._rows.get((target.study, target.id))
        return judged(target, row["got"], row["programs"]) if row else None

    def add(self, result: Result) -> None:
        """Keep a row that was just computed."""
        if result.status not in ("met", "missed") or self.fault:
            return
        row: dict[str, Any] = {"study": result.target.study, "id": result.target.id}
        row |= {"got": result.got, "programs": result.programs}
        try:
            if not self._rows:
                self.file.parent.mkdir(parents=True, exist_ok=True)
                self.file.write_text(json.dumps({"source": self.source}) + "\n", "utf-8")
            with self.file.open("a", encoding="utf-8") as file:
                file.write("\n" * self._torn() + json.dumps(row) + "\n")
        except (OSError, TypeError) as error:
            self.fault = f"{self.file}: {error}"
        self._rows[result.target.study, result.target.id] = row

    def _torn(self) -> bool:
        """True if the last line was not written to its end."""
        return not self.file.read_bytes().endswith(b"\n")

    def forget(self) -> None:
        """The table is whole, or is to begin anew."""
        self._rows = {}
        with contextlib.suppress(OSError):  # there is none
            self.file.unlink()
