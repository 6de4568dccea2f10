"""Command `dovetail parts`: list families and kinds of parts, or describe one part with its parameters."""

from __future__ import annotations

import dataclasses
import textwrap
from importlib import import_module
from typing import Any

from dovetail.app.part_examples import shortest_uses
from dovetail.core import Block, Flow, Part
from dovetail.core.errors import UnknownNameError
from dovetail.core.kind_sources import Entry, full_name
from dovetail.core.kinds import entries, entry_of, find
from dovetail.core.parameter import declared_parameters
from dovetail.core.parameter_text import docstring, required, sentence, table
from dovetail.core.plain_math import plain_math, plain_text
from dovetail.core.random import Random

GENERAL = (Part, Block, Flow, Random)  # base classes that are not families


def print_parts(name: str | None) -> None:
    """Print all families with their kinds, one family, or the description of one kind."""
    kinds = entries()
    families: dict[str, dict[str, Entry]] = {}
    for kind, entry in kinds.items():
        families.setdefault(family(entry), {})[kind] = entry
    by_name = {base.rpartition(".")[-1]: base for base in families}
    by_lower_case = {text.lower(): text for text in [*by_name, *kinds]}  # a kind has priority over its family
    name = name if name is None or name in kinds or name in by_name else by_lower_case.get(name.lower(), name)
    if name is None:
        for base in sorted(by_name):
            _print_family(by_name[base], families[by_name[base]])
        print(
            "\n`dovetail parts KIND` shows its parameters and an example. To add a user part: "
            "`dovetail new part NAME`, then `--parts FILE.py` (docs/how-to/write-a-part.md)."
        )
    elif name in kinds:
        print(part_description(name, find(name)))
    elif name in by_name:
        _print_family(by_name[name], families[by_name[name]])
    else:
        raise UnknownNameError(
            "part", name, [*kinds, *by_name], "write a user part with: dovetail new part NAME"
        )


def family(entry: Entry) -> str:
    """Return the family of a kind: its most general base class below `Flow` and `Part`."""
    families = [base for base in entry.bases if base not in map(full_name, GENERAL)]
    return families[-1] if families else full_name(Flow if full_name(Flow) in entry.bases else Part)


def _print_family(base: str, kinds: dict[str, Entry]) -> None:
    module, _, name = base.rpartition(".")
    print(f"\n{name}: {plain_math(sentence(getattr(import_module(module), name)))}")
    for kind, entry in kinds.items():
        print(f"  {kind:<28} {plain_math(entry.about)}")


def part_description(name: str, cls: type) -> str:
    """Return the description of a part: docstring, parameters, nested parts and an example for a test file."""
    _, _, base = family(entry_of(cls)).rpartition(".")
    lines = [f"{name}: {cls.__name__}, a {base} ({cls.__module__})", ""]
    lines += [*textwrap.indent(plain_text(docstring(cls)), "  ").splitlines(), ""]
    lines += [f"  {line}" for line in table(cls)]
    return "\n".join([*lines, "", *example(name, cls).splitlines()])


def example(name: str, cls: type) -> str:
    """Return the shortest use of this kind in the files of the studies, or a skeleton if there is none."""
    if name in shortest_uses():
        path, table, test = shortest_uses()[name]
        return f"  # as in {test}\n" + textwrap.indent(_toml(path, table), "  ")
    values = {
        f.name: "..." for f in dataclasses.fields(cls) if f.name in declared_parameters(cls) and required(f)
    }
    return "  # in a test file\n" + textwrap.indent(_toml("PATH", {"kind": name, **values}), "  ")


def _toml(path: str, table: dict[str, Any]) -> str:
    import tomli_w

    nested: dict[str, Any] = table
    for key in reversed(path.split(".")):
        nested = {key: nested}
    return tomli_w.dumps(nested).strip()
