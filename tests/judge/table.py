"""Grades of assessments against the truth, and their table."""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Iterable

from .truth import Truth

GRADES = ("unsafe", "false alarm", "useless", "no verdict")
ALLOWED = {"unsafe": 0.0, "false alarm": 0.01, "useless": 0.05, "no verdict": 0.0}  # fractions of the draws
TOLERANCE = (0.02, 1e-4)  # of a margin: relative, and [s]
USELESS = 0.3  # fraction of the smallest limit below which a margin is useless
ACCURATE = 0.1  # rms error below which a run reproduces the reference


@dataclasses.dataclass(frozen=True)
class Graded:
    """Printed verdict on one random test, its truth, and what is wrong with it."""

    number: int
    family: str
    stable: bool
    margin: float  # [s] as printed
    truth: Truth
    seconds: float  # of processor time

    @property
    def grades(self) -> set[str]:
        """What is wrong with the verdict."""
        relative, absolute = TOLERANCE
        truth, margin = self.truth, self.margin
        if math.isnan(margin):
            return {"no verdict"}
        grades = set()
        if (self.stable and truth.as_given.grows) or margin > truth.grows * (1 + relative) + absolute:
            grades.add("unsafe")
        bears = not (truth.as_given.grows or truth.half_a_millisecond_more.grows)
        if not self.stable and bears and truth.as_given.error < ACCURATE:
            grades.add("false alarm")
        if truth.margin > 0 and margin < USELESS * min(truth.margin, truth.up_to):
            grades.add("useless")
        return grades


def table(graded: Iterable[Graded]) -> str:
    """Return the number of wrong verdicts by family, and their total with what is allowed."""
    graded = list(graded)
    families = list(dict.fromkeys(sorted(one.family for one in graded)))
    count = collections.Counter((one.family, grade) for one in graded for grade in one.grades)
    lines = ["| family | draws | " + " | ".join(GRADES) + " |", "|---" * (len(GRADES) + 2) + "|"]
    for family in families:
        size = sum(one.family == family for one in graded)
        lines.append(f"| {family} | {size} | " + " | ".join(str(count[family, g]) for g in GRADES) + " |")
    total = [sum(count[family, grade] for family in families) for grade in GRADES]
    lines.append(f"| **all** | {len(graded)} | " + " | ".join(f"**{n}**" for n in total) + " |")
    allowed = [f"{ALLOWED[grade] * len(graded):.0f}" for grade in GRADES]
    lines.append("| allowed | | " + " | ".join(allowed) + " |")
    return "\n".join(lines)


def passes(graded: list[Graded]) -> bool:
    """Return whether no grade occurs more often than allowed."""
    return all(sum(grade in one.grades for one in graded) <= ALLOWED[grade] * len(graded) for grade in GRADES)
