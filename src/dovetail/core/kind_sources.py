"""Kinds of Dovetail, read from the sources of the package.

A test file with a delay needs the module of the delay and not all of Dovetail. Therefore modules are not imported to
find a kind: the decorators `@kind("delay")` are searched for in the sources, which takes 15 ms, once per process. Base
classes and first sentences are read when they are needed. Names of classes are unique in the package (a test).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parents[1]
KIND = re.compile(r'^@kind\("([^"]+)"\)$', re.M)
CLASS = re.compile(
    r"^(?P<decorators>(?:@.*\n)*)class (?P<name>\w+)(?:\((?P<bases>[^)]*)\))?:"
    r'(?:\s+r?"""(?P<about>.*?)(?:"""|\n))?',
    re.M,
)


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


def plain(sentence: str) -> str:
    """Return the first sentence of a docstring without mark-up."""
    return re.sub(r":\w+:`([^`]*)`", r"\1", sentence).replace("`", "")


@cache
def modules() -> dict[str, str]:
    """Return the module of each kind of Dovetail."""
    return {kind: module for module, text in _sources().items() for kind in KIND.findall(text)}


@cache
def entries() -> dict[str, Entry]:
    """Return the kinds of Dovetail by name."""
    classes = {
        match["name"]: (module, match)
        for module, text in _sources().items()
        for match in CLASS.finditer(text)
    }

    def lineage(name: str) -> Iterator[str]:
        for base in re.findall(r"(\w+)(?:\[[^\]]*\])?\s*(?:,|$)", classes[name][1]["bases"] or ""):
            if base in classes:
                yield base
                yield from lineage(base)

    entries = {}
    for name, (module, match) in classes.items():
        for kind in KIND.findall(match["decorators"]):
            nearest_last = dict.fromkeys(
                reversed([*lineage(name)])
            )  # a base of several others comes after them
            bases = [f"{classes[base][0]}.{base}" for base in reversed(nearest_last)]
            entries[kind] = Entry(module, name, plain(match["about"] or ""), tuple(bases))
    return dict(sorted(entries.items()))


@cache
def _sources() -> dict[str, str]:
    """Return the text of each module of the package."""
    return {
        ".".join([PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts]): path.read_text("utf-8")
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.name != "__init__.py"
    }
