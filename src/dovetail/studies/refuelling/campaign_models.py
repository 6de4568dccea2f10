"""Strikes for campaigns: on the validation rig, and on a drogue in flight."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from dovetail.campaign import gives, takes
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
    """What differs in this run from the next, (6,): it follows from the point alone, not from those beside it."""
    seed = [round(1e3 * point["speed"]), round(1e3 * point["angle"]), int(point["run"])]
    return draws(FULL_SPEED_SCATTER, 1, int(np.random.SeedSequence(seed).generate_state(1)[0]))[0]


@gives(swing="m", tipping="rad", force="N", moment="N m", contact_time="s")
@takes("speed", "angle", "run")
def strike_matrix(points: list[dict[str, Any]]) -> dict[str, Any]:
    """Strikes by `angle` [deg], `speed` [m/s] and number of the `run`, each with its own scatter.

    Largest swing [m] and tipping [rad] of the drogue, force [N] and moment [N m] on the probe; time in contact [s].
    Points of one speed are one batch.
    """
    speeds = np.array([p["speed"] for p in points])
    rest = np.array([0.0, 0.0, float(HungDrogue().chain.length + HungDrogue().centre)])
    found = {
        name: np.full(len(points), np.nan) for name in ("swing", "tipping", "force", "moment", "contact_time")
    }
    for speed in np.unique(speeds):
        places = np.flatnonzero(speeds == speed)
        angles = jnp.radians(jnp.array([points[i]["angle"] for i in places], float))
        drawn = jnp.asarray(np.stack([scatter(points[i]) for i in places]))
        shown = strike_batch(angles, jnp.asarray(float(speed)), drawn, FAST, duration_of(float(speed)))

        def largest(values):
            return np.linalg.norm(np.asarray(values), axis=-1).max(axis=1)

        found["swing"][places] = largest(shown["drogue_position"] - rest)
        found["tipping"][places] = largest(shown["tipping"])
        found["force"][places] = largest(shown["force"][..., :3])
        found["moment"][places] = largest(shown["force"][..., 3:])
        found["contact_time"][places] = RECORD_STEP * np.sum(np.asarray(shown["contact_zone"]) > 0, axis=1)
    return found


FLIGHT = StrikeMap(step=5e-4)  # [s]; hose, funnel and limit of the full-scale test


@gives(tipping="rad", peak_moment="N m", losses="1", ending="1", coupled="1")
@takes("offset", "speed", "incidence")
def strike_outcomes(points: list[dict[str, Any]]) -> dict[str, Any]:
    """Strikes on a drogue in flight by `offset` [m], `speed` [m/s] and `incidence` [deg]: how they end.

    Number of the ending (see `funnel_strike.Ending`), whether it is the wanted one, largest tip [rad] and moment [N m]
    until latched, and how often contact was lost. A batch is as long as its slowest strike, so let the speed be the
    campaign's first axis.
    """
    where = np.array([[p["offset"], p["speed"], np.radians(p["incidence"])] for p in points], float)
    found = FLIGHT.strikes(where)
    return {**found, "coupled": (found["ending"] == Ending.LATCHED).astype(float)}
