"""Would this test be stable? Critical delays, characteristic roots, margins, sampled loops.

Depends on: core, compensation.
"""

from dovetail.stability import single_interface
from dovetail.stability.crossing import (
    Crossing,
    critical_delay,
    first_crossing,
    refine,
    switching_delays,
)
from dovetail.stability.delay_equation import DelayEquation, Roots
from dovetail.stability.history import Trace, exponentials, growth_rate, integrate

__all__ = [
    "Crossing",
    "DelayEquation",
    "Roots",
    "Trace",
    "critical_delay",
    "exponentials",
    "first_crossing",
    "growth_rate",
    "integrate",
    "refine",
    "single_interface",
    "switching_delays",
]
