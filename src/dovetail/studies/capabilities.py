"""Required capabilities of each study and the tests that verify them.

The list is `capabilities.toml`. A capability counts as working if it names at least one test. The tests are part of a
checkout of the source, not of the installed package.
"""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

LIST = Path(__file__).with_name("capabilities.toml")


@dataclass(frozen=True)
class Capability:
    """Required capability, whether its study needs it, and the tests that verify it."""

    id: str
    study: str
    core: bool  # needed to reproduce the study's source; otherwise an extension or a convenience
    text: str
    tests: tuple[str, ...] = ()  # pytest node ids, "tests/a/test_b.py::test_c"

    @property
    def works(self) -> bool:
        """True if at least one test verifies the capability."""
        return bool(self.tests)

    def record(self) -> dict[str, Any]:
        """Return the row that `dovetail capabilities --json` prints."""
        row = asdict(self) | {"works": self.works, "tests": list(self.tests)}
        return {key: row[key] for key in ("id", "study", "core", "text", "works", "tests")}


def capabilities(study: str | None = None, *, source: Path = LIST) -> list[Capability]:
    """Return all capabilities, or those of one study, in the order of the list."""
    rows = tomllib.loads(source.read_text("utf-8"))["capability"]
    every = [Capability(**row | {"tests": tuple(row["tests"])}) for row in rows]
    if study is None:
        return every
    known = {row.study for row in every}
    if study not in known:
        from dovetail.core.errors import UnknownNameError

        raise UnknownNameError("study", study, known)
    return [row for row in every if row.study == study]
