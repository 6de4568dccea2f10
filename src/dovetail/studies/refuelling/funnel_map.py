"""How strikes end over offset, speed and incidence: thousands of them in blocks, each kept when it is done.

With a `folder` a finished block is written there and found again, so that a map that was interrupted goes on where it
was; a block of other parameters has another name.
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
from dovetail.core import count, kind, parameter
from dovetail.core.parameter_map import Chart
from dovetail.specimens.funnel import Funnel
from dovetail.studies.refuelling.assembly import drogue_hose
from dovetail.studies.refuelling.funnel_strike import TORQUE_LIMIT, Ending, Strike, StrikeRecord, strike

SIGNS = dict(zip(Ending, "mr-bc!o", strict=True))
KEPT = {
    "ending": (
        "1",
        "0 miss, 1 rim, 2 contact lost, 3 beyond ribs, 4 caught on edge, 5 limit trip, 6 latched",
    ),
    "tipping": ("rad", "largest tip of the drogue until latched or stopped"),
    "peak_moment": ("N m", "largest moment on the drogue until latched or stopped"),
    "losses": ("1", "times that contact was lost"),
}


@kind("strike-map")
class StrikeMap(Chart):
    """Endings of strikes over offset, closure speed and incidence, all else as `hose` and `funnel` say.

    A strike ends where it is latched, or stopped at the limit as the published tests were.
    """

    picture: ClassVar[str] = "none"

    hose: DrogueHose = eqx.field(default_factory=drogue_hose)
    funnel: Funnel = Funnel()
    offset: jax.Array = parameter("m", "offsets", default=(0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3))
    speed: jax.Array = parameter("m/s", "closure speeds", default=(0.5, 1.0, 1.5, 2.0), above=0.0)
    incidence: jax.Array = parameter("rad", "incidences, towards the axis", default=(0.0,))
    limit: jax.Array = parameter("N m", "of the moment on the drogue", default=TORQUE_LIMIT, above=0.0)
    way: jax.Array = parameter("m", "that the nozzle is followed for", default=1.1, above=0.0)
    step: jax.Array = parameter("s", "of the integration", default=1e-3, above=0.0)
    block: int = count("strikes in one batch", default=100, at_least=1)
    folder: str = eqx.field(default="", static=True)

    def points(self) -> np.ndarray:
        """Offset, speed, incidence of every strike, (n, 3): sorted by speed, since slow ones take longer."""
        grid = np.meshgrid(
            np.ravel(self.offset), np.ravel(self.speed), np.ravel(self.incidence), indexing="ij"
        )
        return np.stack([g.ravel() for g in grid], axis=1)

    def compute(self, progress=None) -> xr.Dataset:
        """Ending, tip, moment and losses of every strike."""
        points = self.points()
        order = np.argsort(points[:, 1], kind="stable")
        found = {name: np.full(len(points), np.nan) for name in KEPT}
        for start in range(0, len(points), self.block):
            chosen = order[start : start + self.block]
            values = self._block(points[chosen])
            for name, column in values.items():
                found[name][chosen] = column
            if progress:
                progress(min((start + self.block) / len(points), 1.0), f"{start + len(chosen)} strikes")
        names = ("offset", "speed", "incidence")
        shape = tuple(np.size(getattr(self, name)) for name in names)
        variables = {
            name: (names, column.reshape(shape), {"units": KEPT[name][0], "long_name": KEPT[name][1]})
            for name, column in found.items()
        }
        units = {"offset": "m", "speed": "m/s", "incidence": "rad"}
        coordinates = {n: (n, np.ravel(getattr(self, n)), {"units": units[n], "long_name": n}) for n in names}
        return xr.Dataset(variables, coordinates)

    def _block(self, points: np.ndarray) -> dict[str, np.ndarray]:
        file = self._file(points)
        if file is not None and file.is_file():
            with np.load(file) as stored:
                return {name: stored[name] for name in KEPT}
        # every batch has the same shape, so that one compiled function serves all; what is added is dropped
        filled = np.resize(points, (self.block, 3))
        found: dict[str, Any] = {name: column[: len(points)] for name, column in self.strikes(filled).items()}
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part.npz")
            np.savez(part, **found)
            part.replace(file)  # at once, so that a block is there as a whole or not at all
        return found

    def strikes(self, points: np.ndarray) -> dict[str, np.ndarray]:
        """What is kept of strikes at offset, speed and incidence (n, 3), as one batch that runs as long as its slowest.

        Each strike ends with its own way, so that it is the same alone and among others.
        """
        records, endings = _strikes(self, jnp.asarray(points), self.step)
        found = {name: np.asarray(getattr(records, name)) for name in KEPT if name != "ending"}
        return found | {"ending": np.asarray(endings).astype(float)}

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
        """The map as text, a table for each incidence, a sign for each ending, and how many of each."""
        lines = []
        for i, incidence in enumerate(np.degrees(data.incidence.values)):
            lines.append(f"incidence {incidence:.3g} deg")
            lines.append("  offset [mm] \\ speed [m/s]  " + " ".join(f"{v:5.3g}" for v in data.speed.values))
            for j, offset in enumerate(1e3 * data.offset.values):
                row = " ".join(f"{SIGNS[Ending(int(e))]:>5}" for e in data.ending.values[j, :, i])
                lines.append(f"{offset:>26.4g}  {row}")
        number = {e: int((data.ending == e).sum()) for e in Ending}
        told = ", ".join(f"{n} {e.words} ({SIGNS[e]})" for e, n in number.items() if n)
        return "\n".join([*lines, f"{data.ending.size} strikes: {told}"])


@eqx.filter_jit
def _strikes(chart: StrikeMap, points: jax.Array, step: jax.Array) -> tuple[StrikeRecord, jax.Array]:
    def one(point):
        flow = Strike.at(chart.hose, chart.funnel, offset=point[0], speed=point[1], incidence=point[2])
        record = strike(flow, chart.way / point[1], step, chart.limit, stops=True)
        return record, record.ending()

    return jax.vmap(one)(points)
