"""A design's plan put into the test on the desk: what it decided, and nothing else of the file.

A plan has the whole test, resolved. Here the parts that a design decides are compared with those of the desk's test: a
part of another kind is taken as a whole, of the same kind the values that differ.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from dovetail.app.document import Document, leaves
from dovetail.core.errors import reason
from dovetail.testing import dump

DECIDED = ("compensator", "feedback", "numerical")  # of a test, by a design
FILE = "test.toml"  # of a plan


def adopted(document: Document, folder: str | Path) -> str:
    """Put what the design in a folder decided into a test; what is wrong, and then nothing has changed."""
    file = Path(folder) / FILE
    try:
        planned = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        return f"{file}: the plan cannot be read ({reason(error)}); design the test again"
    now = dump(document.test)
    if planned.get("title") != now.get("title"):
        return f'the plan is of another test, "{planned.get("title")}"; put that on the desk first'
    changes: dict[str, Any] = {}
    for name in DECIDED:
        before, wanted = now.get(name), planned.get(name)
        if wanted is None or wanted == before:
            continue
        if isinstance(before, dict) and before.get("kind") == wanted.get("kind"):
            changes |= {f"{name}.{path}": value for path, value in leaves(before, wanted)}
        else:
            changes[name] = wanted
    return document.change(changes) if changes else ""
