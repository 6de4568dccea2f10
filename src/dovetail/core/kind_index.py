"""The index of kinds: which module has which part, what it is one of, and its first sentence.

It lies beside this file (`kinds.json`, a line a kind) and is read without importing any of those modules, so that a
test file that names a delay loads the delay and not the whole of Dovetail. `python -m dovetail.core.kind_index`
writes it from the classes themselves, and a test holds the two together. Where a kind is not where the index says, as
while a module is being written or moved, its module is looked for in the sources.
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
    """What is known of a kind without its class."""

    module: str
    name: str  # of the class
    about: str
    bases: tuple[
        str, ...
    ]  # module and name of each class of Dovetail that it derives from, the nearest first

    def is_one_of(self, bases: tuple[type, ...]) -> bool:
        """Whether the class is, or derives from, one of these."""
        line = (f"{self.module}.{self.name}", *self.bases)
        return any(cls is object or full_name(cls) in line for cls in bases)


def full_name(cls: type) -> str:
    """Module and name of a class."""
    return f"{cls.__module__}.{cls.__qualname__}"


@cache
def entries() -> dict[str, Entry]:
    """Every kind of Dovetail by its name; none where the index cannot be read, to be looked for in the sources."""
    try:
        rows = json.loads(FILE.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {kind: Entry(row[0], row[1], row[2], tuple(row[3:])) for kind, row in rows.items()}


def load(kind: str) -> None:
    """Import the module that registers a kind of Dovetail; nothing happens where there is none."""
    if kind in entries():
        try:
            module = import_module(entries()[kind].module)
        except ModuleNotFoundError:
            module = None
        if hasattr(module, entries()[kind].name):
            return
    _load_all_with(f'\n@kind("{kind}")\n')


def _load_all_with(text: str) -> None:
    """Import every module whose source has a text."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if text in path.read_text("utf-8"):
            import_module(".".join([PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts]))


def entry_of(cls: type) -> Entry:
    """What the index says of a class."""
    bases = [full_name(base) for base in cls.__mro__[1:] if base.__module__.startswith(f"{PACKAGE.name}.")]
    return Entry(cls.__module__, cls.__qualname__, sentence(cls), tuple(bases))


def sentence(cls: type) -> str:
    """The first line of a class's docstring, without its mark-up."""
    first = (inspect.getdoc(cls) or "").partition("\n")[0]
    return re.sub(r":\w+:`([^`]*)`", r"\1", first).replace("`", "")


def written() -> str:
    """The index as it must be: every module with parts is imported, and its classes are asked."""
    from dovetail.core.kinds import registered

    _load_all_with('\n@kind("')
    rows = {kind: entry_of(cls) for kind, cls in sorted(registered().items())}
    lines = (
        f"{json.dumps(kind)}: {json.dumps([*row[:-1], *row.bases], ensure_ascii=False)}"
        for kind, row in rows.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(written(), "utf-8")
