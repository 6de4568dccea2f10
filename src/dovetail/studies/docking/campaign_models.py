"""Campaign models of docking impacts: one traced impact, testbed scenarios, six degrees of freedom."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.campaign import requires, returns
from dovetail.core.kinds import find
from dovetail.mechanics.contact import ConstantStiffness, DampingFactor, DissipativeLaw
from dovetail.studies.docking.impact import Instruments, first_impact, simulated_time
from dovetail.studies.docking.impact_qualification import needed_stroke
from dovetail.studies.docking.scenarios import SENSOR_CH5, Scenario, impacts, pair_stiffness

SLOWEST, LAGS = 0.75, 5.0  # minimum restitution, and waiting time after the impact in lags
STABLE = 2.6  # stability limit of RK4: step times frequency of a lag with damping ratio 0.7
PERCENT = dict.fromkeys(
    ("velocity_error", "force_peak_error", "depth_peak_error", "force_integral_error"), "%"
)
ACTUATOR_FORCE = 8000.0  # [N] blocking force of the testbed's piezo actuator


@returns(**PERCENT, peak_force="N", peak_depth="m", ideal_peak_force="N", ideal_duration="s")
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
    """Compute an impact without and with instruments [Bondoky 2020, sec. 5.2]; errors in per cent.

    `actuator_delay` is the total delay [s], `pair` names two materials, `steps` is the number of RK4 steps: 600 give
    the peak force to 1e-5. If a step is too long for the fastest instrument, all measures are NaN.
    """
    one, _, other = pair.partition(" on ")
    with jax.ensure_compile_time_eval():  # material names are static, so this value is concrete
        stiffness = pair_stiffness(one, other)
    factor = find(law, DissipativeLaw)(stiffness=1.0).damping_factor(restitution)
    contact = DampingFactor(stiffness=ConstantStiffness(stiffness), factor=factor)
    tools = Instruments(
        4.0 / actuator_delay,
        sensor_omega,
        position_resolution=actuator_resolution,
        force_resolution=sensor_resolution,
    )
    mass = m1 * m2 / (m1 + m2)
    pairing = first_impact(contact, mass, speed, tools, steps=int(steps), slowest=SLOWEST, lags=LAGS)
    ideal, hil = pairing.ideal, pairing.hil
    step = simulated_time(contact, mass, speed, tools, SLOWEST, LAGS) / int(steps)
    followed = step * jnp.maximum(tools.actuator_omega, tools.sensor_omega) < STABLE
    measures = {
        "velocity_error": 100 * (hil.final_rebound / ideal.rebound - 1),
        "force_peak_error": 100 * (hil.peak_force / ideal.peak_force - 1),
        "depth_peak_error": 100 * (hil.peak_depth / ideal.peak_depth - 1),
        "force_integral_error": 100 * pairing.force_area / ideal.force_integral,
        "peak_force": hil.peak_force,
        "peak_depth": hil.peak_depth,
        "ideal_peak_force": ideal.peak_force,
        "ideal_duration": ideal.duration,
    }
    return {name: jnp.where(followed, value, jnp.nan) for name, value in measures.items()}


@returns(stroke_needed="m", peak_force="N", peak_depth="m", velocity_error="%", force_peak_error="%")
@requires("pair", "masses", "speed", restitution=0.8)
def scenarios(points: list[dict[str, Any]]) -> dict[str, Any]:
    """Compute impacts on the testbed of chapter 8; `masses` and `pair` are text: "of 35 and 70 kg", "peek on ptfe".

    `stroke_needed` is the required free stroke of eq. 8.5: penetration plus loss of stroke by the force. It is 1 m if
    the force exceeds the blocking force.
    """
    rows = []
    for p in points:
        one, _, other = p["pair"].partition(" on ")
        m1, m2 = (float(word) for word in p["masses"].split() if word.isdigit())
        rows.append(Scenario(one, other, m1, m2, p["speed"]))
    pairing = impacts(rows, np.array([p["restitution"] for p in points]))
    reach = needed_stroke(
        np.asarray(pairing.hil.peak_depth), np.asarray(pairing.hil.peak_contact_force), ACTUATOR_FORCE
    )
    return {
        "stroke_needed": np.minimum(reach, 1.0),
        "peak_force": pairing.hil.peak_force,
        "peak_depth": pairing.hil.peak_depth,
        "velocity_error": 100 * (pairing.hil.rebound / pairing.ideal.rebound - 1),
        "force_peak_error": 100 * (pairing.hil.peak_force / pairing.ideal.peak_force - 1),
    }


@returns(force_error="%", depth_error="%", speed_error="%", peak_force="N", depth_integral="m s")
@requires("robot_delay", "robot_resolution")
def six_dof(points: list[dict[str, Any]]) -> dict[str, Any]:
    """Compute the errors of the first impact in six degrees of freedom, chapter 7, in per cent."""
    from dovetail.studies.docking.reproduce_six_dof import first_errors

    rows = [first_errors(p["robot_delay"], p["robot_resolution"]) for p in points]
    errors = {f"{name}_error": name for name in ("force", "depth", "speed")}
    named = errors | {"peak_force": "peak_force", "depth_integral": "depth_integral"}
    return {shown: np.array([row[name] for row in rows]) for shown, name in named.items()}
