"""References of a test as BibTeX entries, each with the reason why it is cited.

A part names its sources in a class attribute, by key in `references.bib`:

.. code-block:: python

    class AdaptiveForwardPrediction(Compensator):
        references: ClassVar[dict[str, str]] = {"wallace2005adaptive": "the predictor and its triggers"}

The references of a test are those of all its parts and of its study.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from dovetail import __version__
from dovetail.core.block import Part
from dovetail.core.errors import UnknownNameError
from dovetail.studies.registry import FOLDER, sources_of

SOFTWARE = f"""\
@software{{dovetail,
  author  = {{{{The Dovetail developers}}}},
  title   = {{Dovetail: design, simulate and run hybrid tests}},
  version = {{{__version__}}},
}}"""


def cite(test: Any, path: Path | None = None) -> str:
    """Return the BibTeX of a test, or that of Dovetail if it has no source; `path` determines the study."""
    reasons = references(test, path)
    if not reasons:
        return f"% no part of this test names a source; cite Dovetail itself\n{SOFTWARE}\n"
    blocks = [f"% {'; '.join(why)}\n{entry(key)}" for key, why in reasons.items()]
    return "\n\n".join(blocks) + "\n"


def references(test: Any, path: Path | None = None, folder: Path = FOLDER) -> dict[str, list[str]]:
    """Return the keys of the references of a test with the reasons for each; the study's source comes first."""
    sentences: dict[str, list[str]] = {}
    for name, source in sources_of(path, folder).items() if path is not None else ():
        sentences[source] = [f"{name}: the published system, its parameters and results"]
    for part in _parts(test):
        for key, why in part.references.items() if isinstance(part, Part) else ():
            sentence = f"{type(part).__name__}: {why}"
            if sentence not in sentences.setdefault(key, []):
                sentences[key].append(sentence)
    return sentences


def entry(key: str) -> str:
    """Return the BibTeX entry of a key; the error for an unknown key lists the known keys."""
    known = bibliography()
    if key not in known:
        raise UnknownNameError("reference", key, known)
    return known[key]


@cache
def bibliography() -> dict[str, str]:
    """Return all entries of `references.bib` by key, unchanged."""
    text = resources.files("dovetail").joinpath("references.bib").read_text("utf-8")
    return {match[2]: match[0] for match in re.finditer(r"^@(\w+)\{([^,\s]+),\n.*?^\}", text, re.M | re.S)}


def _parts(value: Any) -> Iterator[Any]:
    """Yield every dataclass instance in a tree of parts, outermost first."""
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
