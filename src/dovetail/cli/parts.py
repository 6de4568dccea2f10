"""The parts that test files can name: families and kinds with a sentence each, and one part in full."""

from __future__ import annotations

import dataclasses
import re
import textwrap
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from dovetail.core import Block, Flow, Part
from dovetail.core.errors import UnknownNameError
from dovetail.core.kind_index import Entry, entry_of, full_name, sentence
from dovetail.core.kinds import entries, find
from dovetail.core.parameter import declared
from dovetail.core.parameter_text import docstring, required, table
from dovetail.core.random import Random

GENERAL = (Part, Block, Flow, Random)  # what is no family by itself


def print_parts(name: str | None) -> None:
    """All families with their kinds, those of one family, or one kind in full."""
    kinds = entries()
    families: dict[str, dict[str, Entry]] = {}
    for known, entry in kinds.items():
        families.setdefault(family(entry), {})[known] = entry
    by_name = {base.rpartition(".")[-1]: base for base in families}
    if name is None:
        for base in sorted(by_name):
            _print_family(by_name[base], families[by_name[base]])
        print(
            "\n`dovetail parts KIND` tells its parameters and an example. A part of your own: "
            "`dovetail new part NAME`, `--parts FILE.py` (docs/how-to/write-a-part.md)."
        )
    elif name in kinds:
        print(in_full(name, find(name)))
    elif name in by_name:
        _print_family(by_name[name], families[by_name[name]])
    else:
        raise UnknownNameError(
            "part", name, [*kinds, *by_name], "begin your own with: dovetail new part NAME"
        )


def family(entry: Entry) -> str:
    """What a kind is one of: the most general of its base classes that says more than `Flow` or `Part`."""
    own = [base for base in entry.bases if base not in map(full_name, GENERAL)]
    return own[-1] if own else full_name(Flow if full_name(Flow) in entry.bases else Part)


def _print_family(base: str, kinds: dict[str, Entry]) -> None:
    module, _, name = base.rpartition(".")
    print(f"\n{name}: {sentence(getattr(import_module(module), name))}")
    for kind, entry in kinds.items():
        print(f"  {kind:<28} {entry.about}")


def in_full(name: str, cls: type) -> str:
    """A part's sentence, equation, parameters, places for other parts, sources, and an example as a file has it."""
    _, _, base = family(entry_of(cls)).rpartition(".")
    lines = [f"{name}: {cls.__name__}, a {base} ({cls.__module__})", ""]
    lines += [*textwrap.indent(_plain(docstring(cls)), "  ").splitlines(), ""]
    lines += [f"  {line}" for line in table(cls)]
    return "\n".join([*lines, "", *example(name, cls).splitlines()])


def _plain(text: str) -> str:
    """A docstring without the roles of its mark-up."""
    return re.sub(r":\w+:`([^`]*)`", r"\1", text)


def example(name: str, cls: type) -> str:
    """The shortest use of this kind in a study's files; a skeleton where there is none."""
    if name in shortest_uses():
        path, used, where = shortest_uses()[name]
        return f"  # as in {where}\n" + textwrap.indent(_toml(path, used), "  ")
    values = {f.name: "..." for f in dataclasses.fields(cls) if f.name in declared(cls) and required(f)}
    return "  # in a test file\n" + textwrap.indent(_toml("PLACE", {"kind": name, **values}), "  ")


@cache
def shortest_uses() -> dict[str, tuple[str, dict[str, Any], str]]:
    """Place, table and test of the shortest use of every kind in the studies' files."""
    from dovetail.studies.registry import studies

    found: dict[str, tuple[str, dict[str, Any], str]] = {}
    sizes: dict[str, int] = {}
    for study in studies().values():
        for test in study.tests:
            for path, used in _uses(tomllib.loads(Path(test.path).read_text(encoding="utf-8"))):
                name, size = str(used["kind"]), len(str(used))
                if size < sizes.get(name, size + 1):
                    found[name], sizes[name] = (path, used, test.name), size
    return found


def _uses(node: Any, path: str = ""):
    """Places and tables of a file that have a kind."""
    if isinstance(node, dict):
        if "kind" in node and path:
            yield path, node
        for key, value in node.items():
            yield from _uses(value, f"{path}.{key}" if path else key)
    elif isinstance(node, list):
        for value in node:
            yield from _uses(value, path)


def _toml(path: str, table: dict[str, Any]) -> str:
    import tomli_w

    nested: dict[str, Any] = table
    for key in reversed(path.split(".")):
        nested = {key: nested}
    return tomli_w.dumps(nested).strip()
