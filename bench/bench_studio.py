"""How often a second the studio answers while a slider moves, and what it holds after a thousand answers.

In the process that computes, without the page: medians over many different values, wall clock and processor time. An
answer has response, tracking and stability; its ideal where that is quick, else when the slider rests (`beside`).
"""

import time

import numpy as np
import pytest

from dovetail.core.programs import guard, held
from dovetail.studies.registry import find_test
from dovetail.studio import Feel
from dovetail.studio.beside import AT_ONCE
from dovetail.testing.file import read_table

CASES = {  # test: a knob of the rig, one of the simulated part, one of the specimen
    "substructuring/cs1": ("rig.actuator.delay", "numerical.c", "rig.specimen.k"),
    "substructuring/rths-benchmark": (
        "compensator.delay",
        "numerical.damping_ratio",
        "rig.specimen.stiffness",
    ),
    "substructuring/lag-damper": (
        "rig.actuator.parts[1].delay",
        "rig.actuator.parts[0].tau",
        "rig.specimen.setting",
    ),
}
COUNT = 60  # answers of which the median is taken


def moved(feel: Feel, path: str, count: int, seed: int = 0) -> list[dict[str, float]]:
    """Values that one slider passes through, around that of the test."""
    value = feel.knobs[path].value
    return [{path: value * factor} for factor in np.random.default_rng(seed).uniform(0.7, 1.3, count)]


@pytest.mark.parametrize("name", CASES)
def test_answers_a_second(name, benchmark):
    feel = Feel(read_table(find_test(name)), CASES[name], name)
    begin, programs = time.perf_counter(), guard.programs
    feel.answer({})
    first, compiled = time.perf_counter() - begin, guard.programs - programs
    print(f"\n{name}: the first answer after {first:.1f} s, {compiled} programs")
    for path in CASES[name]:
        feel.answer(moved(feel, path, 1, seed=9)[0])  # an ideal of other values, to know how long it takes
        wait = feel.ideal_seconds < AT_ONCE
        walls, shares, programs = [], [], guard.programs
        for values in moved(feel, path, COUNT):
            begin, spent = time.perf_counter(), time.process_time()
            assert not feel.answer(values, wait=wait).fault
            walls.append(time.perf_counter() - begin)
            shares.append(time.process_time() - spent)
        late = "" if wait else f"; the ideal, {feel.ideal_seconds:.2f} s, comes when it rests"
        print(
            f"  {path:<30} {1 / np.median(walls):5.1f} /s, {1 / np.median(shares):5.1f} /s of processor time, "
            f"slowest {1e3 * max(walls):.0f} ms, {guard.programs - programs} programs compiled{late}"
        )
    values = iter(moved(feel, CASES[name][0], 100_000, seed=1))
    benchmark.pedantic(lambda: feel.answer(next(values), wait=False), rounds=20)


def test_memory_after_a_thousand_answers():
    name = "substructuring/cs1"
    feel = Feel(read_table(find_test(name)), CASES[name], name)
    feel.answer({})
    before, programs = held().memory, guard.programs
    for path in CASES[name][:2]:
        for values in moved(feel, path, 500, seed=2):
            feel.answer(values)
    after = held().memory
    print(
        f"\n{name}: {before / 1e6:.0f} MB after the first answer, {after / 1e6:.0f} MB after 1,000 more, "
        f"{guard.programs - programs} programs compiled"
    )
    assert after - before < 200e6
