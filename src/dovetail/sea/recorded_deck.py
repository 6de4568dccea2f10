r"""Deck motion from a record: measured at sea, or computed by a seakeeping program.

Between the rows the motion is a quintic. Its rate and acceleration at a row are those of the parabola through the row
and its neighbours. Position, velocity and acceleration are continuous, no equations are solved, and a parabola is
reproduced exactly. A run that lasts longer than the record is rejected (`check_covers`); beyond the end the
result is NaN.
"""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, kind, parameter
from dovetail.core.errors import OutputError, reason
from dovetail.core.parameter import all_concrete, file_name
from dovetail.mechanics.motion.base import NAMES, FrameMotion
from dovetail.mechanics.motion.table import check_table


@kind("recorded-deck")
class RecordedDeck(FrameMotion):
    """Rows of time and six displacements, given as values or from a file (see `read_motion`).

    A resolved test contains the rows, so it no longer needs the file.
    """

    file: str = file_name(default="")
    times: Parameter = parameter("s", "increasing times", default=())
    values: Parameter = parameter("1", "six displacements [m, rad] for each time", default=())

    def __post_init__(self):
        if self.file and isinstance(self.times, tuple | list) and not len(self.times):
            self.times, self.values = read_motion(self.file)

    def __check_init__(self) -> None:
        t, v = self.times, self.values
        if not all_concrete(t, v):
            return
        rows = np.asarray(v).reshape(-1, 6) if np.size(v) % 6 == 0 else np.asarray(v)
        check_table(self.file or "RecordedDeck", np.asarray(t), rows)

    @property
    def valid_until(self) -> float:
        return float(self.times[-1])

    def pose(self, t):
        t = jnp.asarray(t, float)
        inside = (t >= self.times[0]) & (t <= self.times[-1])
        return jnp.where(inside, quintic(self.times, self.values, t), jnp.nan)


def quintic(times: jax.Array, values: jax.Array, t: jax.Array) -> jax.Array:
    """Quintic interpolation at t of values (n, m) at `times` (n,) [s], with continuous second derivative."""
    last = times.shape[0] - 1
    i = jnp.clip(jnp.searchsorted(times, t, side="right") - 1, 0, last - 1)
    h = times[i + 1] - times[i]
    s = (t - times[i]) / h

    def shape(k):
        """Rate and acceleration at row k from the parabola through three rows (at an end, the nearest three)."""
        k = jnp.clip(k, 0, last)
        middle = jnp.clip(k, 1, last - 1) if last > 1 else k
        before, after = jnp.maximum(middle - 1, 0), jnp.minimum(middle + 1, last)
        h0, h1 = times[middle] - times[before], times[after] - times[middle]
        d0 = (values[middle] - values[before]) / jnp.where(h0 > 0, h0, 1.0)
        d1 = (values[after] - values[middle]) / jnp.where(h1 > 0, h1, 1.0)
        bend = jnp.where(last > 1, 2 * (d1 - d0) / (h0 + h1), 0.0)
        slope = jnp.where(last > 1, (h1 * d0 + h0 * d1) / (h0 + h1), d0 + d1)
        return slope + bend * (times[k] - times[middle]), bend

    (v0, a0), (v1, a1) = shape(i), shape(i + 1)
    p0, p1 = values[i], values[i + 1]
    v0, v1, a0, a1 = v0 * h, v1 * h, a0 * h**2, a1 * h**2
    jump = p1 - p0 - v0 - a0 / 2
    rate, bend = v1 - v0 - a0, a1 - a0
    c3 = 10 * jump - 4 * rate + bend / 2
    c4 = -15 * jump + 7 * rate - bend
    c5 = 6 * jump - 3 * rate + bend / 2
    return p0 + s * (v0 + s * (a0 / 2 + s * (c3 + s * (c4 + s * c5))))


def read_motion(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Read times [s] and displacements (n, 6) [m, rad] from a file of comma-separated values.

    The first line contains the column names: `time` and any of surge, sway, heave [m], roll, pitch, yaw [rad]. A name
    that ends in `_deg` is in degrees. Displacements without a column are zero.

    Raises
    ------
    OutputError
        If the file cannot be read, or a column is missing or unknown.
    """
    path = Path(path)
    try:
        lines = [line.strip() for line in path.read_text("utf-8-sig").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise OutputError(f"{path}: cannot be read ({reason(error)}); expected a deck motion file") from error
    names = [name.strip().lower() for name in lines[0].split(",")] if lines else []
    allowed = {"time", *NAMES, *(f"{name}_deg" for name in NAMES[3:])}
    unknown = [name for name in names if name not in allowed]
    if "time" not in names or unknown or len(names) < 2:
        raise OutputError(
            f"{path}: got the columns {', '.join(names) or 'none'}; expected a first line with time and some of "
            f"{', '.join(NAMES)} (angles may end in _deg)"
        )
    try:
        table = np.array([[float(word) for word in line.split(",")] for line in lines[1:]])
    except ValueError as error:
        raise OutputError(
            f"{path}: {error}; expected {len(names)} numbers in each line below the names"
        ) from error
    if table.ndim != 2 or table.shape[1] != len(names):
        raise OutputError(f"{path}: lines of different length; expected {len(names)} numbers in each line")
    values = np.zeros((len(table), 6))
    for column, name in zip(table.T, names, strict=True):
        if name != "time":
            scale = np.pi / 180 if name.endswith("_deg") else 1.0
            values[:, NAMES.index(name.removesuffix("_deg"))] = scale * column
    return table[:, names.index("time")], values
