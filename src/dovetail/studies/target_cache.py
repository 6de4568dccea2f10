"""Cache of computed targets on disk, so that an interrupted `dovetail reproduce` continues where it stopped.

One file contains the rows of one table: all studies, one study or one test. A row is appended when it is computed. The
first line is a fingerprint of the files of the package, including the targets, and of the library versions. If the
fingerprint has changed, the file is ignored, so that no outdated number is shown. When the table is complete, the file
is deleted, and the next table is computed from the start.

Rows that failed are not cached, since the cause may be temporary.
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
from dovetail.studies.targets import Result, Target, compare_target

PACKAGE = FOLDER.parent
LIBRARIES = ("jax", "jaxlib", "equinox", "lineax", "optimistix", "numpy", "scipy")


def fingerprint(package: Path = PACKAGE) -> str:
    """Return a hash of all files of the package and of the library versions."""
    digest = hashlib.sha256(f"{platform.machine()} {platform.python_version()}".encode())
    for name in LIBRARIES:
        digest.update(f"{name} {metadata.version(name)}\n".encode())
    for file in sorted(package.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(f"{file.relative_to(package)}\n".encode() + file.read_bytes())
    return digest.hexdigest()


class TargetCache:
    """Cached rows of one table."""

    def __init__(self, folder: Path, asked: str | None, source: str | None = None):
        self.file = folder / f"{(asked or 'all').replace('/', '-')}.jsonl"
        self.source = source or fingerprint()
        self.fault = ""  # reason why rows cannot be written
        self._rows = self._read()

    def _read(self) -> dict[tuple[str, str], dict]:
        """Read the rows of an interrupted table; an incomplete last line is skipped."""
        try:
            head, *lines = self.file.read_text("utf-8").splitlines()
            if json.loads(head) != {"source": self.source}:
                return {}
        except (OSError, ValueError):
            return {}
        rows = {}
        for line in lines:
            try:
                row = json.loads(line)
                rows[row["study"], row["id"]] = row
            except (ValueError, KeyError, TypeError):
                continue
        return rows

    def count(self, targets: Iterable[Target]) -> int:
        """Return the number of these targets that are cached."""
        return sum((t.study, t.id) in self._rows for t in targets)

    def result(self, target: Target) -> Result | None:
        """Return the cached result of a target; None if it is not cached."""
        row = self._rows.get((target.study, target.id))
        return compare_target(target, row["value"], row["programs"]) if row else None

    def add(self, result: Result) -> None:
        """Append a row that was just computed."""
        if result.status not in ("met", "missed") or self.fault:
            return
        row: dict[str, Any] = {"study": result.target.study, "id": result.target.id}
        row |= {"value": result.value, "programs": result.programs}
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
        """Return True if the last line is incomplete."""
        return not self.file.read_bytes().endswith(b"\n")

    def delete(self) -> None:
        """Delete the cache file: the table is complete or is to be recomputed."""
        self._rows = {}
        with contextlib.suppress(OSError):  # no file
            self.file.unlink()
