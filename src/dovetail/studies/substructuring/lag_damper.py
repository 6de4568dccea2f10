"""CS3, the helicopter lag damper: tests, identification sequence, and the two dampers of the comparison.

The numbers are in `blade_surrogate.toml` and in the test files.
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
from functools import cache
from typing import Any

from dovetail.specimens import LagDamper
from dovetail.studies.registry import FOLDER, load
from dovetail.testing import Run, Test

STUDY = FOLDER / "substructuring"


@cache
def surrogate() -> dict[str, Any]:
    """Return published and assumed values of blade, damper and actuator."""
    return tomllib.loads((STUDY / "blade_surrogate.toml").read_text("utf-8"))


def five_blades() -> Any:
    """Return the test with five blades coupled through the hub, each with its damper on its actuator.

    It is not available on the command line: with 109 states, stability analysis takes minutes and gigabytes of memory.
    """
    return load(STUDY / "five_blades.toml")


def half_stroke(speed: float) -> float:
    """Return the half stroke [m] of a sine with a peak speed [m/s] at the rotor frequency."""
    return speed / (2 * math.pi * surrogate()["printed"]["rotor_frequency"])


def first_damper() -> LagDamper:
    """Return the damper of the tests."""
    return LagDamper(**surrogate()["assumed"]["damper"])


def second_damper() -> LagDamper:
    """Return the damper that is out of certification."""
    assumed = surrogate()["assumed"]
    return LagDamper(**assumed["damper"] | assumed["second_damper"])


def identification(speed: float, damper: LagDamper | None = None) -> Test:
    """Return a test of the identification sequence: a sine with a peak speed [m/s] and online amplitude correction."""
    amplitude = half_stroke(speed)
    values = {"numerical.amplitude": amplitude, "compensator.length_unit": amplitude}
    test = with_damper(load("substructuring/lag-damper-identification"), damper or first_damper())
    return dataclasses.replace(test.with_values(**values), title=f"lag damper at {1e3 * speed:g} mm/s")


def identify(
    damper: LagDamper | None = None, points: tuple[int, ...] = tuple(range(1, 12))
) -> dict[int, Run]:
    """Rehearse the identification sequence, by test number; test 12 exceeds the speed of the actuator."""
    speeds = surrogate()["printed"]["identification_speeds"]
    return {point: identification(1e-3 * speeds[point - 1], damper).rehearse() for point in points}


def with_damper(test: Test, damper: LagDamper) -> Test:
    """Return the test with another damper on the rig."""
    rig: Any = test.rig
    return dataclasses.replace(test, rig=dataclasses.replace(rig, specimen=damper))
