"""Functions of packages above the one that needs them, found by entry points.

A package never imports one that depends on it. It names the function that it needs, and the package above provides it:

| group | needed by | provides |
|---|---|---|
| `dovetail.display` | parts, tests, runs, results | figures, reports, views and notebook output |
| `dovetail.modes` | `testing` | modes of a test, such as `realtime` of `links` |
| `dovetail.tests` | `campaign` | files of the tests of the studies |
| `dovetail.commands` | `app` | the command line |
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Any

from dovetail.core.errors import UnknownNameError

DISPLAY = "dovetail.display"


@cache
def extension(group: str, name: str) -> Any:
    """Return what a package provides under a name in a group of entry points."""
    points = entry_points(group=group, name=name)
    if not points:
        known = [point.name for point in entry_points(group=group)]
        raise UnknownNameError(f"entry point of the group {group}", name, known, "install Dovetail again")
    return next(iter(points)).load()


def display(name: str, *arguments: Any) -> Any:
    """Return the display of an object by the function with a name in the group `dovetail.display`."""
    return extension(DISPLAY, name)(*arguments)
