"""What a test and a simulation are as a whole: a whole number of ticks, and a name of its own for each axis."""

from __future__ import annotations

import math

from dovetail.core.errors import Fault

NEAR = 1e-3  # [ticks] by which a duration may differ from a whole number of them: rates are written with few digits


def length_faults(duration: float, rate: float, tick: str) -> list[Fault]:
    """A duration [s] that is shorter than one tick, or not a whole number of them, at a rate [Hz]."""
    ticks = duration * rate
    if not ticks < 2**53:
        return [Fault("duration", f"{duration:g} s at {rate:g} Hz are too many {tick}s to count")]
    if ticks < 1 - NEAR:
        return [Fault("duration", f"{duration:g} s is shorter than one {tick} of {1 / rate:g} s")]
    if abs(ticks - round(ticks)) <= NEAR:
        return []
    below, above = math.floor(ticks) / rate, math.ceil(ticks) / rate
    text = f"{duration:.9g} s is {ticks:.9g} {tick}s of {1 / rate:g} s; give a whole number of them, "
    return [Fault("duration", text + f"for example {below:.9g} s or {above:.9g} s")]


def axis_faults(axes: tuple[str, ...], shape: tuple[int, ...]) -> list[Fault]:
    """Names of axes that are given twice, or do not fit an interface of some shape."""
    count = math.prod(shape)
    twice = sorted({name for name in axes if axes.count(name) > 1})
    if twice:
        return [Fault("axes", f'"{twice[0]}" is the name of two axes; give each its own')]
    if axes and len(axes) != count:
        has = "one axis" if count == 1 else f"{count} axes"
        return [Fault("axes", f"names {len(axes)} ({', '.join(axes)}); the interface has {has}")]
    return []
