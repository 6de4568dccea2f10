"""`make judge`: assess random tests and compare margins and verdicts with a loop in C; exit code 1 if one is wrong.

The judge checks itself: its loop against `rehearse`, and margins multiplied by 1.1 must be graded unsafe.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time

import numpy as np

from .draws import draw
from .table import Graded, passes, table
from .truth import simulate, truth

AGREEMENT = (
    3e-11  # largest difference between the loop in C and `rehearse`, as a fraction of the largest value
)


def judge(seed: int, number: int, family: int | None = None) -> Graded:
    """Return the graded assessment of one random test."""
    one = draw(seed, number, family)
    true, test = truth(one), one.test()
    start = time.process_time()
    printed = test.stability()
    seconds = time.process_time() - start
    return Graded(number, one.name, printed.stable, printed.margin, true, seconds)


def disagreement(seed: int, number: int) -> float:
    """Return the difference between the loop in C and `rehearse`, as a fraction of the largest value."""
    one = draw(seed, number)
    run = one.test().rehearse().data
    pairs = zip((run.displacement.values, run.measured_force.values), simulate(one), strict=True)
    return max(
        float(np.abs(ours - true[: len(ours)]).max() / np.abs(true[: len(ours)]).max())
        for ours, true in pairs
    )


def too_large(graded: list[Graded], factor: float = 1.1) -> list[Graded]:
    """Return the same verdicts with margins that are too large."""
    return [dataclasses.replace(one, margin=one.margin * factor) for one in graded]


def main() -> int:
    """Judge random tests and print every wrong verdict and the table."""
    parser = argparse.ArgumentParser(prog="make judge", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--family", type=int)
    given = parser.parse_args()
    graded = []
    for number in range(given.first, given.first + given.number):
        one = judge(given.seed, number, given.family)
        graded.append(one)
        if one.grades:
            t = one.truth
            extra = ", ".join(
                f"{name} {1e3 * getattr(t, name):.2f}" for name in ("grows", "leaves", "limited")
            )
            word = "stable" if one.stable else "unstable"
            print(
                f"{number} {one.family}: {', '.join(sorted(one.grades))}: printed {word}, {1e3 * one.margin:.2f} ms; "
                f"true {extra} ms; error {t.as_given.error:.2g}",
                flush=True,
            )
        if number % 20 == 19:
            print(f"{number + 1} tests", flush=True)
    print(table(graded))
    seconds = np.array([one.seconds for one in graded])
    print(
        f"processor time of an assessment: median {np.median(seconds):.2f} s, largest {seconds.max():.2f} s"
    )
    worst = max(disagreement(given.seed, number) for number in range(min(given.number, 30)))
    detected = sum("unsafe" in one.grades for one in too_large(graded))
    found = sum("unsafe" in one.grades for one in graded)
    print(
        f"loop in C and rehearse differ by {worst:.1e}; margins 1.1 times as large: {detected} unsafe of {len(graded)}"
    )
    return 0 if passes(graded) and worst < AGREEMENT and detected > found else 1


if __name__ == "__main__":
    sys.exit(main())
