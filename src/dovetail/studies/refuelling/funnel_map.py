"""Map of strike outcomes over offset, speed and incidence, computed in blocks.

If `folder` is set, each finished block is written there and read again, so that an interrupted map continues. The file
name of a block depends on all parameters.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from dovetail.air import DrogueHose
from dovetail.core import Parameter, count, kind, parameter
from dovetail.core.parameter_map import ParameterMap
from dovetail.specimens.funnel import Funnel
from dovetail.studies.refuelling.assembly import drogue_hose
from dovetail.studies.refuelling.funnel_strike import TORQUE_LIMIT, Ending, Strike, strike

SIGNS = dict(zip(Ending, "mr-bc!o", strict=True))
KEPT = {
    "ending": (
        "1",
        "0 miss, 1 rim, 2 contact lost, 3 beyond ribs, 4 caught on edge, 5 limit trip, 6 latched",
    ),
    "drogue_attitude_change": ("rad", "largest attitude change of the drogue until latched or stopped"),
    "peak_moment": ("N m", "largest moment on the drogue until latched or stopped"),
    "losses": ("1", "number of contact losses"),
}


@kind("strike-map")
class StrikeMap(ParameterMap):
    """Map of strike outcomes over offset, closure speed and incidence; all other parameters from `hose` and `funnel`.

    A strike ends when it is latched, or when it is stopped at the limit as in the published tests.
    """

    figure: ClassVar[str] = "none"

    hose: DrogueHose = eqx.field(default_factory=drogue_hose)
    funnel: Funnel = Funnel()
    offset: Parameter = parameter("m", "offsets", default=(0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3))
    speed: Parameter = parameter("m/s", "closure speeds", default=(0.5, 1.0, 1.5, 2.0), above=0.0)
    incidence: Parameter = parameter("rad", "incidences, towards the axis", default=(0.0,))
    moment_limit: Parameter = parameter(
        "N m", "limit of the moment on the drogue", default=TORQUE_LIMIT, above=0.0, finite=False
    )
    tracking_distance: Parameter = parameter(
        "m", "distance over which the nozzle is tracked", default=1.1, above=0.0
    )
    step: Parameter = parameter("s", "integration step", default=1e-3, above=0.0)
    batch: int = count("strikes in one batch", default=100, at_least=1)
    folder: str = eqx.field(default="", static=True)

    def points(self) -> np.ndarray:
        """Return offset, speed and incidence of every strike, (n, 3)."""
        grid = np.meshgrid(
            np.ravel(self.offset), np.ravel(self.speed), np.ravel(self.incidence), indexing="ij"
        )
        return np.stack([g.ravel() for g in grid], axis=1)

    def compute(self, progress=None) -> xr.Dataset:
        """Compute ending, attitude change, moment and contact losses of every strike."""
        points = self.points()
        order = np.argsort(points[:, 1], kind="stable")
        columns = {name: np.full(len(points), np.nan) for name in KEPT}
        for start in range(0, len(points), self.batch):
            chosen = order[start : start + self.batch]
            values = self._block(points[chosen])
            for name, column in values.items():
                columns[name][chosen] = column
            if progress:
                progress(min((start + self.batch) / len(points), 1.0), f"{start + len(chosen)} strikes")
        names = ("offset", "speed", "incidence")
        shape = tuple(np.size(getattr(self, name)) for name in names)
        variables = {
            name: (names, column.reshape(shape), {"units": KEPT[name][0], "long_name": KEPT[name][1]})
            for name, column in columns.items()
        }
        units = {"offset": "m", "speed": "m/s", "incidence": "rad"}
        coordinates = {n: (n, np.ravel(getattr(self, n)), {"units": units[n], "long_name": n}) for n in names}
        return xr.Dataset(variables, coordinates)

    def _block(self, points: np.ndarray) -> dict[str, np.ndarray]:
        file = self._file(points)
        if file is not None and file.is_file():
            with np.load(file) as stored:
                return {name: stored[name] for name in KEPT}
        # all batches have the same shape and share one compiled function; padded rows are dropped
        filled = np.resize(points, (self.batch, 3))
        columns: dict[str, Any] = {
            name: column[: len(points)] for name, column in self.strikes(filled).items()
        }
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part.npz")
            np.savez(part, **columns)
            part.replace(file)  # atomic, so that a block file is always complete
        return columns

    def strikes(self, points: np.ndarray) -> dict[str, np.ndarray]:
        """Compute strikes at offset, speed and incidence (n, 3) as one batch, which runs as long as its slowest strike.

        Each strike ends after its own distance, so its result does not depend on the batch.
        """
        measures = _strikes(self, jnp.asarray(points), self.step)
        return {name: np.asarray(measures[name]).astype(float) for name in KEPT}

    def _file(self, points: np.ndarray) -> Path | None:
        if not self.folder:
            return None
        about = eqx.tree_at(
            lambda m: (m.offset, m.speed, m.incidence), self, (jnp.zeros(()),) * 2 + (jnp.zeros(()),)
        )
        leaves = [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(eqx.filter(about, eqx.is_array))]
        name = hashlib.sha256(b"".join([*leaves, points.tobytes()])).hexdigest()[:16]
        return Path(self.folder) / f"strikes-{name}.npz"

    def summary(self, data: xr.Dataset) -> str:
        """Return the map as text: a table for each incidence, a sign for each ending, and counts."""
        lines = []
        for i, incidence in enumerate(np.degrees(data.incidence.values)):
            lines.append(f"incidence {incidence:.3g} deg")
            lines.append("  offset [mm] \\ speed [m/s]  " + " ".join(f"{v:5.3g}" for v in data.speed.values))
            for j, offset in enumerate(1e3 * data.offset.values):
                row = " ".join(f"{SIGNS[Ending(int(e))]:>5}" for e in data.ending.values[j, :, i])
                lines.append(f"{offset:>26.4g}  {row}")
        number = {e: int((data.ending == e).sum()) for e in Ending}
        counts = ", ".join(f"{n} {e.words} ({SIGNS[e]})" for e, n in number.items() if n)
        return "\n".join([*lines, f"{data.ending.size} strikes: {counts}"])


@eqx.filter_jit
def _strikes(settings: StrikeMap, points: jax.Array, step: jax.Array) -> dict[str, jax.Array]:
    def one(point):
        flow = Strike.at(settings.hose, settings.funnel, offset=point[0], speed=point[1], incidence=point[2])
        duration = settings.tracking_distance / point[1]
        events, extremes = strike(flow, duration, step, settings.moment_limit, stops=True)
        return {
            "ending": events.ending(),
            "drogue_attitude_change": extremes.drogue_attitude_change,
            "peak_moment": extremes.peak_moment,
            "losses": events.losses,
        }

    return jax.vmap(one)(points)
