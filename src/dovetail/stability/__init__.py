"""Would this test be stable? Critical delays, characteristic roots, margins, sampled loops.

==========================  ====================================================================
`single_interface`          one mass, one late spring: closed forms, charts, maps in one call
`damper_modes`              a damper as specimen, mode by mode: closed form
`DelayEquation`             rightmost roots of any linear delay equation
`critical_delay`            the delay, common to all delayed terms, at which stability is lost
`switches`                  all delays at which it is lost or regained, islands, what is left
`first_crossing`            the first for any parameter; `stable_ranges` for all of them
`follow_roots`              roots along a parameter; `continue_crossing` in a second one
`maps`                      unequal delays; critical delay over a plane
`margin`                    phase margin, lead, small gain; `robustness` compares compensators
`neutral`                   delayed inertia: when no delay equation decides
`open_loop`                 both substructures joined and cut at the force
`linear_loop`               the delay equation of numerical part, actuator, specimen, sensor
`with_predictor`            a polynomial predictor in the loop; `stable_horizons`
`sampled_poles`             the loop as sampled; `loop_poles` for any step function
`energy`                    what a late specimen feeds in each cycle
`departure_from_linear`     whether what holds for small motion holds for a larger one
`integrate`                 time histories of a delay equation; `growth_rate` read from a trace
==========================  ====================================================================

Depends on: core, transfer, compensation.
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.stability import (
        damper_modes,
        energy,
        maps,
        margin,
        neutral,
        robustness,
        single_interface,
    )
    from dovetail.stability.assemble import linear_loop, open_loop
    from dovetail.stability.continuation import (
        Branch,
        RootPaths,
        StableRange,
        continue_crossing,
        follow_roots,
        stable_ranges,
    )
    from dovetail.stability.crossing import RootCrossing, first_crossing, refine
    from dovetail.stability.delay_equation import DelayEquation, Roots
    from dovetail.stability.history import DelaySolution, exponentials, growth_rate, integrate
    from dovetail.stability.linearity import departure_from_linear
    from dovetail.stability.predictor_loop import (
        forward_limit,
        predictor_taps,
        stable_horizons,
        with_predictor,
    )
    from dovetail.stability.sampled import (
        Poles,
        loop_poles,
        sampled_critical_delay,
        sampled_loop,
        sampled_poles,
    )
    from dovetail.stability.state_space import StateSpace
    from dovetail.stability.switching import (
        RootSwitch,
        Switches,
        critical_delay,
        critical_lead,
        switches,
        switching_delays,
    )

lazily(__name__)


__all__ = [
    "Branch",
    "DelayEquation",
    "DelaySolution",
    "Poles",
    "RootCrossing",
    "RootPaths",
    "RootSwitch",
    "Roots",
    "StableRange",
    "StateSpace",
    "Switches",
    "continue_crossing",
    "critical_delay",
    "critical_lead",
    "damper_modes",
    "departure_from_linear",
    "energy",
    "exponentials",
    "first_crossing",
    "follow_roots",
    "forward_limit",
    "growth_rate",
    "integrate",
    "linear_loop",
    "loop_poles",
    "maps",
    "margin",
    "neutral",
    "open_loop",
    "predictor_taps",
    "refine",
    "robustness",
    "sampled_critical_delay",
    "sampled_loop",
    "sampled_poles",
    "single_interface",
    "stable_horizons",
    "stable_ranges",
    "switches",
    "switching_delays",
    "with_predictor",
]
