"""The literature behind a test: BibTeX entries, each with a sentence that says what it is there for.

A part names its sources in a class attribute, by key in `references.bib`:

.. code-block:: python

    class AdaptiveForwardPrediction(Compensator):
        references: ClassVar[dict[str, str]] = {"wallace2005adaptive": "the predictor and its triggers"}

The sources of a test are those of all its parts, and that of the study it belongs to.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from dovetail.core.block import Part
from dovetail.core.errors import UnknownNameError
from dovetail.studies.registry import FOLDER, sources_of


def cite(test: Any, path: Path | None = None) -> str:
    """BibTeX for a test; `path` is its file, from which its study is known."""
    reasons = references(test, path)
    if not reasons:
        return "% this test uses no part that names a source\n"
    blocks = [f"% {'; '.join(why)}\n{entry(key)}" for key, why in reasons.items()]
    return "\n\n".join(blocks) + "\n"


def references(test: Any, path: Path | None = None, folder: Path = FOLDER) -> dict[str, list[str]]:
    """Keys of the sources of a test, each with what it is there for; the study's own source first."""
    found: dict[str, list[str]] = {}
    for name, source in sources_of(path, folder).items() if path is not None else ():
        found[source] = [f"{name}: the published system, its parameters and results"]
    for part in _parts(test):
        for key, why in part.references.items() if isinstance(part, Part) else ():
            sentence = f"{type(part).__name__}: {why}"
            if sentence not in found.setdefault(key, []):
                found[key].append(sentence)
    return found


def entry(key: str) -> str:
    """The BibTeX entry of a key; an unknown key lists the known ones."""
    known = bibliography()
    if key not in known:
        raise UnknownNameError("reference", key, known)
    return known[key]


@cache
def bibliography() -> dict[str, str]:
    """All entries of `references.bib` by key, as they stand in the file."""
    text = resources.files("dovetail").joinpath("references.bib").read_text("utf-8")
    return {found[2]: found[0] for found in re.finditer(r"^@(\w+)\{([^,\s]+),\n.*?^\}", text, re.M | re.S)}


def _parts(value: Any) -> Iterator[Any]:
    """Every object with fields in a tree of parts, outermost first."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield value
        inner = [getattr(value, field.name, None) for field in dataclasses.fields(value)]
    elif isinstance(value, dict):
        inner = list(value.values())
    elif isinstance(value, tuple | list):
        inner = list(value)
    else:
        return
    for one in inner:
        yield from _parts(one)
