"""The impact of the docking study as a model of one point, for campaigns: numbers in, errors of the test out."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from dovetail.core.registry import find
from dovetail.mechanics.contact import Dissipative, GivenDamping, GivenStiffness
from dovetail.specimens.contact_loop import Instruments, first_impact
from dovetail.studies.docking.scenarios import SENSOR_CH5, pair_stiffness


def impact(
    actuator_delay: Any = 1e-3,
    m1: Any = 30.0,
    m2: Any = 75.0,
    speed: Any = 0.1,
    restitution: Any = 0.8,
    sensor_frequency: Any = SENSOR_CH5,
    actuator_resolution: Any = 0.0,
    sensor_resolution: Any = 0.0,
    pair: str = "polyimide on aluminium",
    law: str = "flores",
    steps: int = 600,
) -> dict[str, Any]:
    """One impact twice, ideal and through its instruments [Bondoky 2020, sec. 5.2]; errors in per cent.

    `actuator_delay` is the total delay [s], `pair` names two materials, `steps` are those of RK4: 600 give the peak
    force to 1e-5.
    """
    one, _, other = pair.partition(" on ")
    with jax.ensure_compile_time_eval():  # words, so a number also while the rest is traced
        stiffness = pair_stiffness(one, other)
    factor = find(law, Dissipative)(stiffness=1.0).damping_factor(restitution)
    contact = GivenDamping(stiffness=GivenStiffness(stiffness), factor=factor)
    tools = Instruments(
        4.0 / actuator_delay,
        sensor_frequency,
        position_resolution=actuator_resolution,
        force_resolution=sensor_resolution,
    )
    mass = m1 * m2 / (m1 + m2)
    found = first_impact(contact, mass, speed, tools, steps=int(steps), slowest=0.75, lags=5.0)
    ideal, hil = found.ideal, found.hil
    return {
        "velocity_error": 100 * (hil.final_rebound / ideal.rebound - 1),
        "force_peak_error": 100 * (hil.peak_force / ideal.peak_force - 1),
        "depth_peak_error": 100 * (hil.peak_depth / ideal.peak_depth - 1),
        "force_integral_error": 100 * found.force_area / ideal.force_integral,
        "peak_force": hil.peak_force,
        "peak_depth": hil.peak_depth,
        "ideal_peak_force": ideal.peak_force,
        "ideal_duration": jnp.asarray(ideal.duration),
    }
