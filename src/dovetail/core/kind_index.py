"""Index of kinds: module, class, first sentence and base classes of each part.

The index is the file `kinds.json`, one line for each kind. It is read without importing the modules, so that a test
file with a delay loads the delay and not all of Dovetail. `python -m dovetail.core.kind_index` writes it from the
classes, and a test compares both. A kind that is not in the module given by the index, for example after a move, is
searched for in the sources.
"""

from __future__ import annotations

import inspect
import json
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("kinds.json")
PACKAGE = FILE.parents[1]


class Entry(NamedTuple):
    """Data of a kind that are available without importing its class."""

    module: str
    name: str  # of the class
    about: str
    bases: tuple[str, ...]  # module and name of its base classes in Dovetail, nearest first

    def is_one_of(self, bases: tuple[type, ...]) -> bool:
        """Return whether the class is one of these or derives from one."""
        lineage = (f"{self.module}.{self.name}", *self.bases)
        return any(cls is object or full_name(cls) in lineage for cls in bases)


def full_name(cls: type) -> str:
    """Return module and name of a class."""
    return f"{cls.__module__}.{cls.__qualname__}"


@cache
def entries() -> dict[str, Entry]:
    """Return the kinds of Dovetail by name; empty if the index cannot be read."""
    try:
        rows = json.loads(FILE.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {kind: Entry(row[0], row[1], row[2], tuple(row[3:])) for kind, row in rows.items()}


def load(kind: str) -> None:
    """Import the module that registers a kind of Dovetail; do nothing for an unknown kind."""
    if kind in entries():
        try:
            module = import_module(entries()[kind].module)
        except ModuleNotFoundError:
            module = None
        if hasattr(module, entries()[kind].name):
            return
    _load_all_with(f'\n@kind("{kind}")\n')


def _load_all_with(text: str) -> None:
    """Import every module whose source contains a text."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if text in path.read_text("utf-8"):
            import_module(".".join([PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts]))


def entry_of(cls: type) -> Entry:
    """Return the index entry of a class."""
    bases = [full_name(base) for base in cls.__mro__[1:] if base.__module__.startswith(f"{PACKAGE.name}.")]
    return Entry(cls.__module__, cls.__qualname__, sentence(cls), tuple(bases))


def sentence(cls: type) -> str:
    """Return the first line of the docstring of a class, without mark-up."""
    first = (inspect.getdoc(cls) or "").partition("\n")[0]
    return re.sub(r":\w+:`([^`]*)`", r"\1", first).replace("`", "")


def index_text() -> str:
    """Return the current index as text, after importing every module with parts."""
    from dovetail.core.kinds import imported_kinds

    _load_all_with('\n@kind("')
    rows = {kind: entry_of(cls) for kind, cls in sorted(imported_kinds().items())}
    lines = (
        f"{json.dumps(kind)}: {json.dumps([*row[:-1], *row.bases], ensure_ascii=False)}"
        for kind, row in rows.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(index_text(), "utf-8")
