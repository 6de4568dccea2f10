"""Campaign models: strikes on the validation rig and on a drogue in flight."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from dovetail.campaign import requires, returns
from dovetail.studies.refuelling.funnel_map import StrikeMap
from dovetail.studies.refuelling.funnel_strike import Ending
from dovetail.studies.refuelling.hung_drogue import HungDrogue
from dovetail.studies.refuelling.validation import (
    FAST,
    FULL_SPEED_SCATTER,
    RECORD_STEP,
    draws,
    duration_of,
    strike_batch,
)


def scatter(point: dict[str, Any]) -> np.ndarray:
    """Return the scatter of one run, (6,); it depends only on the point, not on other points."""
    seed = [round(1e3 * point["speed"]), round(1e3 * point["angle"]), int(point["run"])]
    return draws(FULL_SPEED_SCATTER, 1, int(np.random.SeedSequence(seed).generate_state(1)[0]))[0]


@returns(swing="m", drogue_attitude_change="rad", force="N", moment="N m", contact_time="s")
@requires("speed", "angle", "run")
def strike_matrix(points: list[dict[str, Any]]) -> dict[str, Any]:
    """Compute strikes by `angle` [deg], `speed` [m/s] and `run` number, each with its own scatter.

    Measures: largest displacement [m] and attitude change [rad] of the drogue, force [N] and moment [N m] on the probe,
    time in contact [s]. Points with the same speed are one batch.
    """
    speeds = np.array([p["speed"] for p in points])
    rest = np.array([0.0, 0.0, -float(HungDrogue().chain.length + HungDrogue().centre)])
    measures = {
        name: np.full(len(points), np.nan)
        for name in ("swing", "drogue_attitude_change", "force", "moment", "contact_time")
    }
    for speed in np.unique(speeds):
        places = np.flatnonzero(speeds == speed)
        angles = jnp.radians(jnp.array([points[i]["angle"] for i in places], float))
        drawn = jnp.asarray(np.stack([scatter(points[i]) for i in places]))
        shown = strike_batch(angles, jnp.asarray(float(speed)), drawn, FAST, duration_of(float(speed)))

        def largest(values):
            return np.linalg.norm(np.asarray(values), axis=-1).max(axis=1)

        measures["swing"][places] = largest(shown["drogue_position"] - rest)
        measures["drogue_attitude_change"][places] = largest(shown["drogue_attitude_change"])
        measures["force"][places] = largest(shown["force"][..., :3])
        measures["moment"][places] = largest(shown["force"][..., 3:])
        measures["contact_time"][places] = RECORD_STEP * np.sum(np.asarray(shown["contact_zone"]) > 0, axis=1)
    return measures


FLIGHT = StrikeMap(step=5e-4)  # [s]; hose, funnel and limit of the full-scale test


@returns(drogue_attitude_change="rad", peak_moment="N m", losses="1", ending="1", coupled="1")
@requires("offset", "speed", "incidence")
def strike_outcomes(points: list[dict[str, Any]]) -> dict[str, Any]:
    """Compute strikes on a drogue in flight by `offset` [m], `speed` [m/s] and `incidence` [deg].

    Measures: number of the ending (see `funnel_strike.Ending`), 1 if coupled, largest attitude change [rad] and moment
    [N m] until latched, and number of contact losses. A batch takes as long as its slowest strike, so the speed should
    be the first parameter of the campaign.
    """
    where = np.array([[p["offset"], p["speed"], np.radians(p["incidence"])] for p in points], float)
    measures = FLIGHT.strikes(where)
    return {**measures, "coupled": (measures["ending"] == Ending.LATCHED).astype(float)}
