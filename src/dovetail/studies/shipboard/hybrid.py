"""Hybrid tests of a drop and a secured gear: error against delay and force bandwidth of the rig."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dovetail.studies.registry import find_test
from dovetail.testing import load

DELAYS = (0.5e-3, 1e-3, 2e-3, 5e-3, 10e-3, 20e-3)  # [s]
BANDWIDTHS = (20.0, 50.0, 100.0, 200.0, 500.0)  # [Hz]
SHARP, QUICK = 2000.0, 0.5e-3  # [Hz], [s]: the value of the parameter that is not varied


@cache
def _test(name: str) -> tuple[Any, float]:
    """Return the test and the peak of its reference solution: upward gear force, or clamp load."""
    test = load(find_test(f"shipboard/{name}"))
    return test, _peak(name, test.reference())


def _peak(name: str, run: Any) -> float:
    if name == "hybrid-drop":
        return float(np.max(run.data["feedback_force"].values[:, 2]))
    return float(np.max(run.data["securing_load"].values))


def error(name: str, delay: float, bandwidth: float) -> float:
    """Return the relative error of the peak for an actuator delay [s] and a sensor bandwidth [Hz].

    Infinite if the run was stopped by a limit.
    """
    test, reference_peak = _test(name)
    values = {"rig.actuator.delay": delay, "rig.sensor.tau": 1 / (2 * np.pi * bandwidth)}
    run = test.with_values(**values).rehearse()
    return _peak(name, run) / reference_peak - 1 if run.outcome.completed else np.inf


def by_delay(name: str) -> list[float]:
    """Return the errors for `DELAYS`, with the sensor bandwidth `SHARP`."""
    return [error(name, delay, SHARP) for delay in DELAYS]


def by_bandwidth(name: str) -> list[float]:
    """Return the errors for `BANDWIDTHS`, with the actuator delay `QUICK`."""
    return [error(name, QUICK, bandwidth) for bandwidth in BANDWIDTHS]


def drop_by_delay() -> list[float]:
    """HYB-01."""
    return by_delay("hybrid-drop")


def drop_by_bandwidth() -> list[float]:
    """HYB-02."""
    return by_bandwidth("hybrid-drop")


def secured_by_delay() -> list[float]:
    """HYB-03."""
    return by_delay("hybrid-secured")


def secured_by_bandwidth() -> list[float]:
    """HYB-04."""
    return by_bandwidth("hybrid-secured")
