"""Stability of hybrid tests: critical delays, characteristic roots, margins, sampled loops.

==========================  ====================================================================
`single_interface`          one mass and one delayed spring: closed forms, charts, maps
`damper_modes`              damper as specimen, per mode: closed form
`DelayEquation`             dominant poles of any linear delay equation
`critical_delay`            common delay of all delayed terms at which stability is lost
`stability_switches`        all delays at which stability is lost or regained; stable intervals, margin
`first_crossing`            first crossing along any parameter; `stable_ranges` for all of them
`follow_roots`              roots along a parameter; `continue_crossing` in a second parameter
`maps`                      unequal delays; critical delay over a plane
`margin`                    phase margin, lead, small gain; `robustness` compares compensators
`neutral`                   delayed inertia (neutral delay equations)
`open_loop`                 both substructures joined, cut at the force
`linear_loop`               delay equation of numerical substructure, actuator, specimen, sensor
`with_predictor`            polynomial predictor in the loop; `stable_horizons`
`sampled_poles`             poles of the sampled loop; `loop_poles` for any step function
`energy`                    energy per cycle added by a delayed specimen
`integrate`                 time histories of a delay equation; `growth_rate` of a signal
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
        CrossingCurve,
        RootPaths,
        StableRange,
        continue_crossing,
        follow_roots,
        stable_ranges,
    )
    from dovetail.stability.crossing import RootCrossing, first_crossing, refine_root
    from dovetail.stability.delay_equation import DelayEquation, Roots
    from dovetail.stability.history import DelaySolution, exponentials, growth_rate, integrate
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
        StabilitySwitch,
        StabilitySwitches,
        critical_delay,
        critical_lead,
        stability_switches,
        switching_delays,
    )

lazily(__name__)


__all__ = [
    "CrossingCurve",
    "DelayEquation",
    "DelaySolution",
    "Poles",
    "RootCrossing",
    "RootPaths",
    "Roots",
    "StabilitySwitch",
    "StabilitySwitches",
    "StableRange",
    "StateSpace",
    "continue_crossing",
    "critical_delay",
    "critical_lead",
    "damper_modes",
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
    "refine_root",
    "robustness",
    "sampled_critical_delay",
    "sampled_loop",
    "sampled_poles",
    "single_interface",
    "stability_switches",
    "stable_horizons",
    "stable_ranges",
    "switching_delays",
    "with_predictor",
]
