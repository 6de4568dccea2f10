"""Analysis tool for impacts: design spaces for bodies, instruments and contact, errors as measures.

Defaults and ranges are those of chapter 5 of Bondoky's thesis. For every point the impact is computed without and with
instruments; all points of a sweep are one batch.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from dovetail.campaign import (
    ActuatorRequirements,
    DesignSpace,
    DesignVariable,
    Point,
    admissible_value,
    one_at_a_time,
    requirements,
    requires,
)
from dovetail.campaign.actuator_requirements import RESOLUTION_FRACTION
from dovetail.core.kinds import find
from dovetail.mechanics.contact import DissipativeLaw
from dovetail.studies.docking.impact import Instruments
from dovetail.studies.docking.scenarios import SENSOR_CH5, Scenario, impacts

SPACECRAFT = DesignSpace(
    (
        DesignVariable("m1", 30.0, (10.0, 35.0, 50.0, 175.0), "kg", "mass of the chaser", "spacecraft"),
        DesignVariable(
            "m2", 75.0, (10.0, 35.0, 70.0, 100.0, 375.0), "kg", "mass of the target", "spacecraft"
        ),
        DesignVariable(
            "speed", 0.1, (0.075, 0.1, 0.125, 0.15, 0.175, 0.2), "m/s", "speed of approach", "spacecraft"
        ),
    )
)
INSTRUMENTS = DesignSpace(
    (
        DesignVariable(
            "actuator_delay",
            1e-3,
            (0.2e-3, 0.4e-3, 0.6e-3, 0.8e-3, 1e-3, 1.2e-3, 1.4e-3),
            "s",
            "total delay of the actuator",
            "instruments",
        ),
        DesignVariable(
            "actuator_resolution", 1e-6, (0.1e-6, 1e-6, 10e-6), "m", "position step", "instruments"
        ),
        DesignVariable(
            "sensor_omega",
            SENSOR_CH5,
            (2 * np.pi * 4e3, SENSOR_CH5, 2 * np.pi * 40e3),
            "rad/s",
            "natural angular frequency of the sensor, for total delays of 0.1 to 1 ms",
            "instruments",
        ),
        DesignVariable("sensor_resolution", 1.0, (0.1, 1.0, 10.0, 100.0), "N", "force step", "instruments"),
    )
)
CONTACT = DesignSpace(
    (
        DesignVariable("body_1", "polyimide", ("polyimide", "aluminium"), about="tip", group="contact"),
        DesignVariable("body_2", "aluminium", ("aluminium", "polyimide"), about="drogue", group="contact"),
        DesignVariable(
            "law",
            "flores",
            ("flores", "gonthier", "zhiying-qishao", "hunt-crossley", "lankarani-nikravesh"),
            about="contact law",
            group="contact",
        ),
        DesignVariable(
            "restitution", 0.8, (0.7, 0.8, 0.9), about="projected coefficient of restitution", group="contact"
        ),
    )
)
SPACE = SPACECRAFT + INSTRUMENTS + CONTACT


@requires(**SPACE.default)
def errors(points: list[Point]) -> dict[str, Any]:
    """Compute all measures of the points; each point is a scenario with instruments and contact law."""
    scenarios = [Scenario(p["body_1"], p["body_2"], p["m1"], p["m2"], p["speed"]) for p in points]
    factor = np.array(
        [
            float(find(p["law"], DissipativeLaw)(stiffness=1.0).damping_factor(np.float64(p["restitution"])))
            for p in points
        ]
    )
    tools = Instruments(
        4.0 / np.array([p["actuator_delay"] for p in points]),
        np.array([p["sensor_omega"] for p in points]),
        position_resolution=np.array([p["actuator_resolution"] for p in points]),
        force_resolution=np.array([p["sensor_resolution"] for p in points]),
    )
    pair = impacts(scenarios, instruments=tools, factor=factor)
    i, h = pair.ideal, pair.hil
    _warn_of_coarse_steps(points, np.asarray(i.peak_depth))
    return {
        "force_error": 100 * pair.force_difference / pair.force_then,
        "force_peak_error": 100 * (h.peak_force / i.peak_force - 1),
        "force_integral_error": 100 * pair.force_area / i.force_integral,
        "depth_error": 100 * pair.depth_difference / pair.depth_then,
        "depth_peak_error": 100 * (h.peak_depth / i.peak_depth - 1),
        "depth_integral_error": 100 * pair.depth_area / i.depth_integral,
        "velocity_error": 100 * (h.rebound / i.rebound - 1),
        "duration_error": h.duration - i.duration,
        "peak_force": h.peak_force,
        "peak_depth": h.peak_depth,
        "ideal_duration": i.duration,
    }


def actuator_requirements(accepted: float = 60.0, space: DesignSpace = SPACE) -> ActuatorRequirements:
    """Return the figures of merit of an actuator for the default impact at an accepted velocity error [%]."""
    table = one_at_a_time(space, errors, ["actuator_delay"])["actuator_delay"]
    delay = admissible_value(table.actuator_delay.values, table.velocity_error.values, accepted)
    measures = errors([space.point({"actuator_delay": delay})])
    at = space.default
    return requirements(
        delay=delay,
        force=float(measures["peak_force"][0]),
        penetration=float(measures["peak_depth"][0]),
        speed=at["speed"],
        mass=at["m1"] * at["m2"] / (at["m1"] + at["m2"]),
    )


def _warn_of_coarse_steps(points: list[Point], depth: np.ndarray) -> None:
    step = np.array([p["actuator_resolution"] for p in points])
    coarse = np.flatnonzero(step > RESOLUTION_FRACTION * depth)
    if len(coarse):
        i = int(coarse[0])
        warnings.warn(
            f"{len(coarse)} of {len(points)} points: the position step ({1e6 * step[i]:.3g} um) is more than 10 % of "
            f"the penetration ({1e6 * depth[i]:.3g} um); their errors are not reliable; "
            "use a smaller actuator_resolution",
            stacklevel=3,
        )
