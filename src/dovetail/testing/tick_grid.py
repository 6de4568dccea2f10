"""Checks of a test: duration in whole ticks, computing time, number and names of the axes."""

from __future__ import annotations

import math

from dovetail.core.errors import Fault, shortened

MAX_AXES = (
    128  # as many as a datagram of the rig protocol holds; with the square of it grows the computing time
)
MIN_TICK_TIME, MIN_STEP_TIME = 1e-6, 1e-8  # [s] shortest typical computing times of a tick and of a substep
DAY = 86400.0  # [s]
MAX_COMPUTING_TIME = 7 * DAY  # [s]
NEAR = 1e-3  # [ticks] tolerance of the duration, because rates are written with few digits


def length_faults(duration: float, rate: float) -> list[Fault]:
    """Return a fault if a duration [s] is shorter than one tick or not a whole number of ticks at a rate [Hz]."""
    ticks = duration * rate
    if not ticks < 2**53:
        return [
            Fault(
                "duration",
                f"{duration:g} s at {rate:g} Hz are more than 2^53 ticks; reduce one of them",
            )
        ]
    if ticks < 1 - NEAR:
        return [Fault("duration", f"{duration:g} s is shorter than one tick of {1 / rate:g} s; increase it")]
    if abs(ticks - round(ticks)) <= NEAR:
        return []
    below, above = math.floor(ticks) / rate, math.ceil(ticks) / rate
    text = f"{duration:.9g} s is {ticks:.9g} ticks of {1 / rate:g} s; give a whole number of ticks, "
    return [Fault("duration", text + f"for example {below:.9g} s or {above:.9g} s")]


def computing_faults(ticks: int, substeps: int) -> list[Fault]:
    """Return a fault if a run takes more than `MAX_COMPUTING_TIME`, even of the simplest test."""
    time = ticks * (MIN_TICK_TIME + substeps * MIN_STEP_TIME)
    if time <= MAX_COMPUTING_TIME:
        return []
    text = f"{ticks:.3g} ticks of {substeps:.3g} integration steps take at least {time / DAY:.3g} days to compute; "
    return [Fault("substeps" if substeps > 1 else "duration", text + "reduce duration, rate or substeps")]


def axis_faults(axes: tuple[str, ...], shape: tuple[int, ...]) -> list[Fault]:
    """Return faults of axis names: duplicates, or a number that does not fit the interface."""
    count = math.prod(shape)
    if max(count, len(axes)) > MAX_AXES:
        return [
            Fault("axes", f"the interface has {max(count, len(axes))} axes; at most {MAX_AXES} are possible")
        ]
    twice = sorted({name for name in axes if axes.count(name) > 1})
    if twice:
        return [Fault("axes", f'"{twice[0]}" is the name of two axes; give each axis a unique name')]
    if axes and len(axes) != count:
        has = "one axis" if count == 1 else f"{count} axes"
        return [
            Fault(
                "axes",
                f"has {len(axes)} names ({shortened(', '.join(axes), 200)}); the interface has {has}",
            )
        ]
    return []
