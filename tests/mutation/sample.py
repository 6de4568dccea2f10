"""A seeded sample of the mutations of a source tree, and those that are known to change nothing."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Sequence
from pathlib import Path

from .changes import Mutation, mutations

# Safety and the laws count three times as much as the rest.
WEIGHTS = {
    3.0: (
        "links",
        "testing/limit_monitor.py",
        "testing/hybrid_loop.py",
        "testing/pseudodynamic",
        "transfer/robot",
        "mechanics/contact",
        "mechanics/friction",
        "mechanics/collision",
        "mechanics/chain",
        "compensation",
        "stability",
    )
}
EQUIVALENT = Path(__file__).parents[1] / "equivalent_mutations.toml"


def belongs(file: str, packages: Sequence[str]) -> bool:
    """Whether a file of the source is one of these files or lies in one of these folders."""
    return any(file in (package, f"{package}.py") or file.startswith(f"{package}/") for package in packages)


def weight(file: str) -> float:
    return next((value for value, packages in WEIGHTS.items() if belongs(file, packages)), 1.0)


def sample(sources: dict[str, str], number: int, seed: int) -> list[Mutation]:
    """Draw mutations from `sources` (file: text), at most one for each place; in the order in which they are drawn.

    A longer sample of the same seed starts with the shorter one, and an edit of one file leaves what is drawn from the
    others as it is, as far as their number allows.
    """
    drawn = []
    for file, text in sorted(sources.items()):
        rng = random.Random(f"{seed} {file}")
        for place in mutations(text, file):
            # weighted sampling without replacement: Efraimidis and Spirakis, 2006
            drawn.append((rng.random() ** (1 / weight(file)), rng.choice(place)))
    drawn.sort(key=lambda pair: -pair[0])
    return [mutation for _, mutation in drawn[:number]]


def equivalents(file: Path = EQUIVALENT) -> dict[tuple[str, str], str]:
    """Place and mutation, as a survivor is printed: the reason why no test can notice it."""
    entries = tomllib.loads(file.read_text("utf-8")).get("equivalent", [])
    return {(entry["place"], entry["mutation"]): entry["reason"] for entry in entries}
