"""The two hybrid tests: which delay and which force bandwidth a drop and a secured gear need of the rig."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dovetail.studies.registry import find_test
from dovetail.testing import load

DELAYS = (0.5e-3, 1e-3, 2e-3, 5e-3, 10e-3, 20e-3)  # [s]
BANDWIDTHS = (20.0, 50.0, 100.0, 200.0, 500.0)  # [Hz]
SHARP, QUICK = 2000.0, 0.5e-3  # [Hz], [s] of the other, so that one is seen alone


@cache
def _test(name: str) -> tuple[Any, float]:
    """The test, and the ideal's largest value of what counts: the gear's force up, or the clamps' load."""
    test = load(find_test(f"shipboard/{name}"))
    return test, _peak(name, test.emulate())


def _peak(name: str, run: Any) -> float:
    if name == "hybrid-drop":
        return float(np.max(run.data["force"].values[:, 2]))
    return float(np.max(run.data["securing_load"].values))


def error(name: str, delay: float, bandwidth: float) -> float:
    """Relative error of the peak with a delay [s] of the actuators and a sensor of a bandwidth [Hz].

    Not finite where a limit of the rig ended the run.
    """
    test, ideal = _test(name)
    values = {"rig.actuator.delay": delay, "rig.sensor.tau": 1 / (2 * np.pi * bandwidth)}
    run = test.with_values(**values).rehearse()
    return _peak(name, run) / ideal - 1 if run.outcome.completed else np.inf


def by_delay(name: str) -> list[float]:
    """Errors over `DELAYS`, with a sharp sensor."""
    return [error(name, delay, SHARP) for delay in DELAYS]


def by_bandwidth(name: str) -> list[float]:
    """Errors over `BANDWIDTHS`, with quick actuators."""
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
