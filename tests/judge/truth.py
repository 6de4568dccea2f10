"""Truth about a random test: the extra delay at which its loop in C grows, leaves the reference, or meets a limit.

*Grows*: the motion is not finite, or does not die away after the excitation has ended. *Leaves the reference*: rms
error above 100 %, or a peak above three times the reference's. *Meets a limit*: as the monitor would.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from .draws import (
    DURATION,
    PARAMETERS,
    PREDICTOR_ORDER,
    PREDICTOR_WINDOW,
    RATE,
    SINES,
    STATES,
    TABLE,
    WINDOW,
    Draw,
)

TICKS = round(DURATION * RATE)
FREE = (
    3 * TICKS,
    30 * TICKS,
    240 * TICKS,
)  # ticks of free motion; the next where one is too short to show its end
AT_REST = 0.05  # fraction of the reference's peak; free motion below it has died away
SLOW = 0.8  # ratio of these above which the free motion is too short to tell
DECAYED = 0.98  # ratio of the last two quarters of the free motion above which it does not die away
STEPS = (
    (0.1e-3, 10e-3),
    (0.25e-3, 30e-3),
    (1e-3, np.inf),
)  # [s] between two extra delays that are tried, up to
FINE = 1e-5  # [s] resolution of a limit
SOURCE = Path(__file__).with_name("truth.c")


class Case(ctypes.Structure):
    """Arguments of `truth.c`."""

    _fields_ = [
        ("A", ctypes.c_double * STATES * STATES),
        *((name, ctypes.c_double * STATES) for name in "BCE"),
        *((name, ctypes.c_double * SINES) for name in ("amplitude", "omega", "phase")),
        ("p", ctypes.c_double * PARAMETERS),
        *((name, ctypes.c_double * TABLE) for name in ("table_x", "table_f")),
        *((name, ctypes.c_double) for name in ("dt", "delay", "tau", "gap")),
        ("weights", ctypes.c_double * WINDOW),
        ("family", ctypes.c_int),
        ("window", ctypes.c_int),
    ]


@functools.cache
def library() -> ctypes.CDLL:
    """Compile `truth.c` with the system compiler and load it."""
    cache = Path(os.environ.get("DOVETAIL_CACHE", tempfile.gettempdir()))
    target = cache / f"judge-{hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]}.so"
    if not target.exists():
        cache.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(f".{os.getpid()}")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(partial), str(SOURCE), "-lm"], check=True)
        partial.replace(target)
    return ctypes.CDLL(str(target))


def predictor(horizon: float) -> np.ndarray:
    """Return the least-squares weights of the predictor, newest sample first."""
    ages = -np.arange(PREDICTOR_WINDOW, dtype=float)
    powers = np.vander(ages / PREDICTOR_WINDOW, PREDICTOR_ORDER + 1, increasing=True)
    ahead = np.vander([horizon * RATE / PREDICTOR_WINDOW], PREDICTOR_ORDER + 1, increasing=True)
    return (ahead @ np.linalg.pinv(powers))[0]


def _case(one: Draw) -> Case:
    case = Case(dt=1 / RATE, delay=one.delay, tau=one.tau, family=one.family)
    values = {name: getattr(one, name) for name in ("A", "B", "C", "E", "amplitude", "phase", "p")}
    values |= {
        "omega": 2 * np.pi * one.frequency,
        "table_x": one.table_x,
        "table_f": one.table_f,
        "weights": np.zeros(WINDOW),
    }
    if one.horizon:
        case.window = PREDICTOR_WINDOW
        values["weights"][:PREDICTOR_WINDOW] = predictor(one.horizon)
    for name, value in values.items():
        ctypes.memmove(
            ctypes.addressof(case) + getattr(Case, name).offset,
            np.ascontiguousarray(value, float).ctypes,
            value.size * 8,
        )
    return case


def simulate(one: Draw, extra: float = 0.0, ticks: int = TICKS) -> tuple[np.ndarray, np.ndarray]:
    """Return demand [m] and measured force [N] of the loop; the excitation ends with the test."""
    z, f = np.empty(ticks + 1), np.empty(ticks + 1)
    pointers = (array.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for array in (z, f))
    code = library().loop(
        ctypes.byref(_case(one)),
        ctypes.c_double(one.delay + extra),
        ctypes.c_double((TICKS + 0.25) / RATE),
        ticks,
        *pointers,
    )
    if code < 0:
        raise ValueError(f"delay of {one.delay + extra:g} s: not in the range of the buffer")
    return z, f


def reference(one: Draw, ticks: int = TICKS) -> np.ndarray:
    """Return the demand [m] with the specimen coupled directly."""
    z = np.full(ticks + 1, np.inf)
    pointer = z.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    library().reference(ctypes.byref(_case(one)), ctypes.c_double((TICKS + 0.25) / RATE), ticks, 4, pointer)
    return z


def reference_peak(one: Draw) -> float:
    """Return the largest demand [m] of the reference."""
    return float(np.abs(reference(one)).max())


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What happens with one extra delay."""

    grows: bool
    leaves: bool
    limited: bool
    error: float  # rms error over the rms of the reference


def verdict(one: Draw, ideal: np.ndarray, extra: float) -> Verdict:
    """Return what the loop does with an extra delay [s]."""
    size = float(np.abs(ideal).max())
    for free in FREE:
        z, _ = simulate(one, extra, TICKS + free)
        before, last = _last_quarters(z)
        if not last < np.inf or last <= AT_REST * size or last < SLOW * before or last > size:
            break
    tested = z[: TICKS + 1]
    grows = not last < np.inf or (last > AT_REST * size and last > DECAYED * before)
    error = _rms(tested - ideal) / _rms(ideal) if np.isfinite(tested).all() else np.inf
    peak = np.abs(tested).max()
    leaves = not error <= 1.0 or peak > 3 * size
    return Verdict(bool(grows), bool(leaves), bool(peak > one.limit), float(error))


def _last_quarters(z: np.ndarray) -> tuple[float, float]:
    """Return half the range of the motion in the third and fourth quarter of the free motion."""
    if not np.isfinite(z).all():
        return 0.0, np.inf
    third, fourth = (float(np.ptp(part)) / 2 for part in np.array_split(z[TICKS + 1 :], 4)[2:])
    return third, fourth


def _rms(signal: np.ndarray) -> float:
    return float(np.sqrt(np.mean(signal**2)))


@dataclasses.dataclass(frozen=True)
class Truth:
    """Extra delays [s] at which the loop first grows, leaves the reference, or meets a limit; infinite for none."""

    grows: float
    leaves: float
    limited: float
    as_given: Verdict
    half_a_millisecond_more: Verdict
    up_to: float  # [s] largest extra delay that was tried

    @property
    def margin(self) -> float:
        """Smallest of the three."""
        return min(self.grows, self.leaves, self.limited)


def truth(one: Draw) -> Truth:
    """Return the truth about a random test, with extra delays of up to ten times the delay, at least 150 ms."""
    ideal, seen = reference(one), {}

    def at(extra: float) -> Verdict:
        if extra not in seen:
            seen[extra] = verdict(one, ideal, extra)
        return seen[extra]

    up_to = max(10 * (one.delay + one.tau), 0.15)
    starts = [0.0, *(end for _, end in STEPS)]
    grid = np.concatenate(
        [np.arange(low, min(high, up_to), step) for low, (step, high) in zip(starts, STEPS, strict=False)]
    )
    first = {name: np.inf for name in ("grows", "leaves", "limited")}
    for last, extra in zip([0.0, *grid[:-1]], grid, strict=True):
        now = at(float(extra))
        for name in first:
            if np.isinf(first[name]) and getattr(now, name):
                first[name] = _refined(lambda delay, name=name: getattr(at(delay), name), last, float(extra))
        if np.isfinite(first["grows"]):  # what comes later is larger than the margin
            break
    return Truth(**first, as_given=at(0.0), half_a_millisecond_more=at(0.5e-3), up_to=up_to)


def _refined(happens: Callable[[float], bool], below: float, above: float) -> float:
    """Return the smallest extra delay [s] at which something happens, between one without it and one with it."""
    while above - below > FINE:
        middle = (below + above) / 2
        below, above = (below, middle) if happens(middle) else (middle, above)
    return above
