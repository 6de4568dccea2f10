"""Strikes of the validation rig for campaigns: how far the drogue swings and what the probe feels."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail.studies.refuelling.validation import FAST, FULL_SPEED_SCATTER, strikes


def strike_matrix(points: list[dict[str, Any]]) -> dict[str, Any]:
    """Strikes by `angle` [deg], `speed` [m/s] and number of the `run`, each with its own scatter.

    Largest swing [m] and tipping [rad] of the drogue, force [N] and moment [N m] on the probe; time in contact [s].
    Points of one speed are one batch.
    """
    found: dict[str, np.ndarray] = {}
    speeds = np.array([p["speed"] for p in points])
    angles = np.radians([p["angle"] for p in points])
    runs = np.array([int(p["run"]) for p in points])
    for speed in np.unique(speeds):
        places = np.flatnonzero(speeds == speed)
        wanted = sorted(set(angles[places]))
        count = int(runs[places].max()) + 1
        rows = strikes(float(speed), wanted, FAST, FULL_SPEED_SCATTER, count, seed=int(1000 * speed))
        for i in places:
            record = rows[wanted.index(angles[i])]
            k = runs[i]
            force = np.linalg.norm(record.wrench[k, :, :3], axis=-1)
            values = {
                "swing": np.linalg.norm(record.position[k], axis=-1).max(),
                "tipping": np.linalg.norm(record.tipping[k], axis=-1).max(),
                "force": force.max(),
                "moment": np.linalg.norm(record.wrench[k, :, 3:], axis=-1).max(),
                "contact_time": float(np.sum(record.zone[k] > 0) * (record.time[1] - record.time[0])),
            }
            for name, value in values.items():
                found.setdefault(name, np.full(len(points), np.nan))[i] = value
    return found
