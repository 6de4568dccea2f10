"""Impacts of the docking study for campaigns: one point traced, the testbed's scenarios, six degrees of freedom."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.campaign import gives, takes
from dovetail.core.kinds import find
from dovetail.mechanics.contact import Dissipative, GivenDamping, GivenStiffness
from dovetail.studies.docking.impact import Instruments, first_impact, hertz_depth
from dovetail.studies.docking.impact_qualification import needed_stroke
from dovetail.studies.docking.scenarios import SENSOR_CH5, Scenario, impacts, pair_stiffness

SLOWEST, LAGS = 0.75, 5.0  # least restitution, and lags that are waited for
STABLE = 2.6  # of RK4: step times frequency of a lag with a damping of 0.7
PERCENT = dict.fromkeys(
    ("velocity_error", "force_peak_error", "depth_peak_error", "force_integral_error"), "%"
)
ACTUATOR_FORCE = 8000.0  # [N] of the testbed's piezo actuator


@gives(**PERCENT, peak_force="N", peak_depth="m", ideal_peak_force="N", ideal_duration="s")
def impact(
    actuator_delay: Any = 1e-3,
    m1: Any = 30.0,
    m2: Any = 75.0,
    speed: Any = 0.1,
    restitution: Any = 0.8,
    sensor_omega: Any = SENSOR_CH5,
    actuator_resolution: Any = 0.0,
    sensor_resolution: Any = 0.0,
    pair: str = "polyimide on aluminium",
    law: str = "flores",
    steps: int = 600,
) -> dict[str, Any]:
    """One impact twice, ideal and through its instruments [Bondoky 2020, sec. 5.2]; errors in per cent.

    `actuator_delay` is the total delay [s], `pair` names two materials, `steps` are those of RK4: 600 give the peak
    force to 1e-5. Where a step is too long for the fastest instrument, nothing is a number.
    """
    one, _, other = pair.partition(" on ")
    with jax.ensure_compile_time_eval():  # words, so a number also while the rest is traced
        stiffness = pair_stiffness(one, other)
    factor = find(law, Dissipative)(stiffness=1.0).damping_factor(restitution)
    contact = GivenDamping(stiffness=GivenStiffness(stiffness), factor=factor)
    tools = Instruments(
        4.0 / actuator_delay,
        sensor_omega,
        position_resolution=actuator_resolution,
        force_resolution=sensor_resolution,
    )
    mass = m1 * m2 / (m1 + m2)
    found = first_impact(contact, mass, speed, tools, steps=int(steps), slowest=SLOWEST, lags=LAGS)
    ideal, hil = found.ideal, found.hil
    stop = hertz_depth(stiffness, contact.exponent, mass, speed) / speed
    step = ((1.8 + 1.6 / SLOWEST) * stop + LAGS * tools.lag) / int(steps)
    followed = step * jnp.maximum(tools.actuator_omega, tools.sensor_omega) < STABLE
    measures = {
        "velocity_error": 100 * (hil.final_rebound / ideal.rebound - 1),
        "force_peak_error": 100 * (hil.peak_force / ideal.peak_force - 1),
        "depth_peak_error": 100 * (hil.peak_depth / ideal.peak_depth - 1),
        "force_integral_error": 100 * found.force_area / ideal.force_integral,
        "peak_force": hil.peak_force,
        "peak_depth": hil.peak_depth,
        "ideal_peak_force": ideal.peak_force,
        "ideal_duration": ideal.duration,
    }
    return {name: jnp.where(followed, value, jnp.nan) for name, value in measures.items()}


@gives(stroke_needed="m", peak_force="N", peak_depth="m", velocity_error="%", force_peak_error="%")
@takes("pair", "masses", "speed", restitution=0.8)
def scenarios(points: list[dict[str, Any]]) -> dict[str, Any]:
    """Impacts on the testbed of chapter 8; `masses` and `pair` in words, "of 35 and 70 kg", "peek on ptfe".

    `stroke_needed` is what eq. 8.5 compares with the actuator's stroke: depth, and what the force costs it; a metre
    where no stroke would do.
    """
    rows = []
    for p in points:
        one, _, other = p["pair"].partition(" on ")
        m1, m2 = (float(word) for word in p["masses"].split() if word.isdigit())
        rows.append(Scenario(one, other, m1, m2, p["speed"]))
    found = impacts(rows, np.array([p["restitution"] for p in points]))
    reach = needed_stroke(
        np.asarray(found.hil.peak_depth), np.asarray(found.hil.peak_contact_force), ACTUATOR_FORCE
    )
    return {
        "stroke_needed": np.minimum(reach, 1.0),
        "peak_force": found.hil.peak_force,
        "peak_depth": found.hil.peak_depth,
        "velocity_error": 100 * (found.hil.rebound / found.ideal.rebound - 1),
        "force_peak_error": 100 * (found.hil.peak_force / found.ideal.peak_force - 1),
    }


@gives(force_error="%", depth_error="%", speed_error="%", peak_force="N", depth_integral="m s")
@takes("robot_delay", "robot_resolution")
def six_dof(points: list[dict[str, Any]]) -> dict[str, Any]:
    """Errors of the first impact in six degrees of freedom, of chapter 7, in per cent."""
    from dovetail.studies.docking.reproduce_six_dof import first_errors

    rows = [first_errors(p["robot_delay"], p["robot_resolution"]) for p in points]
    errors = {f"{name}_error": name for name in ("force", "depth", "speed")}
    named = errors | {"peak_force": "peak_force", "depth_integral": "depth_integral"}
    return {shown: np.array([row[name] for row in rows]) for shown, name in named.items()}
