"""Apply the plan of a design to the open test.

The folder of a plan contains the complete resolved test. Only the parts that a design decides are compared with the
open test: a part of another kind is replaced as a whole; of a part of the same kind, only different values are set.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from dovetail.app.document import Document, changed_values
from dovetail.core.errors import reason
from dovetail.testing import dump

DESIGNED_PARTS = ("compensator", "feedback", "numerical")  # parts of a test that a design decides
FILE = "test.toml"  # test file in the folder of a plan


def apply_plan(document: Document, folder: str | Path) -> str:
    """Apply the decisions of the design in a folder to a test; return a message if the test was not changed."""
    file = Path(folder) / FILE
    try:
        planned = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        return f"{file}: the plan cannot be read ({reason(error)}); design the test again"
    now = dump(document.test)
    if planned.get("title") != now.get("title"):
        return f'the plan belongs to another test, "{planned.get("title")}"; open that test first'
    changes: dict[str, Any] = {}
    for name in DESIGNED_PARTS:
        before, new = now.get(name), planned.get(name)
        if new is None or new == before:
            continue
        if isinstance(before, dict) and before.get("kind") == new.get("kind"):
            changes |= {f"{name}.{path}": value for path, value in changed_values(before, new)}
        else:
            changes[name] = new
    return document.change(changes) if changes else ""
