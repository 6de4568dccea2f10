"""Which approaches dock: a map over attitude and offset, every point a docking, all in one batch."""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from dovetail.core import kind, parameter
from dovetail.core.errors import Fault
from dovetail.core.parameter_map import Chart
from dovetail.mechanics.bodies import MeetingBodies
from dovetail.mechanics.contact import NormalLaw
from dovetail.mechanics.friction import Friction
from dovetail.mechanics.geometry import Cavity
from dovetail.specimens.probe_in_drogue import BallInCavity, misfit
from dovetail.studies.docking.docking_record import outcomes
from dovetail.studies.docking.docking_steps import DOCKED, GOING, LEFT, Docking

SIGNS = {GOING: "?", DOCKED: "o", LEFT: "."}
WORDS = ["still going", "docked", "left"]


@kind("docking-map")
class DockingMap(Chart):
    """Success over the pitch of the chaser and the height of its probe, all else as `bodies` says."""

    picture: ClassVar[str] = "outcomes"

    bodies: MeetingBodies
    cavity: Cavity
    law: NormalLaw
    friction: Friction
    radius: jax.Array = parameter("m", "radius of the probe's tip", above=0.0)
    pitch: jax.Array = parameter("rad", "pitch of the chaser, one value a column")
    height: jax.Array = parameter("m", "height of the probe's tip, one value a row")
    duration: jax.Array = parameter("s", "longest docking", above=0.0, default=90.0)
    contact_step: jax.Array = parameter("s", "step in contact", above=0.0, default=50e-6)

    def faults(self) -> list[Fault]:
        """A tip that does not fit, and points of the grid at which it would overlap the wall at the start."""
        too_large = misfit(self.cavity, self.radius)
        if too_large:
            return [Fault("chart.radius", too_large)]
        deepest = float(np.min(_gaps_at_start(self)))
        if deepest < 0:
            return [
                Fault("chart.height", f"the tip overlaps the wall by {-1e3 * deepest:.3g} mm at the start")
            ]
        return []

    def dockings(self) -> Docking:
        """All dockings of the grid as one, with batched leaves; rows are heights."""
        return _dockings(self)

    def compute(self) -> xr.Dataset:
        """Ending (0 still going, 1 docked, 2 left), impacts and time of every docking."""
        ends = outcomes(self.dockings(), self.duration)
        shape = (np.size(self.height), np.size(self.pitch))
        about = {
            "ending": ("1", "0 still going, 1 docked, 2 left"),
            "impacts": ("1", "impacts"),
            "time": ("s", "end"),
        }
        names = ("height", "pitch")
        variables = {
            ("end_time" if name == "time" else name): (
                names,
                np.asarray(values).reshape(shape),
                {"units": about[name][0], "long_name": about[name][1]},
            )
            for name, values in ends.items()
        }
        coordinates = {
            "height": (
                "height",
                np.ravel(self.height),
                {"units": "m", "long_name": "height of the probe's tip"},
            ),
            "pitch": ("pitch", np.ravel(self.pitch), {"units": "rad", "long_name": "pitch of the chaser"}),
        }
        return xr.Dataset(variables, coordinates)

    def shown(self, data: xr.Dataset) -> xr.Dataset:
        """In degrees and millimetres."""
        names = {name: data[name].attrs["long_name"] for name in ("height", "pitch")}
        data = data.assign_coords(height=1e3 * data.height, pitch=np.degrees(data.pitch))
        data.height.attrs |= {"units": "mm", "long_name": names["height"]}
        data.pitch.attrs |= {"units": "deg", "long_name": names["pitch"]}
        return data.assign(ending=data.ending.assign_attrs(words=WORDS))

    def summary(self, data: xr.Dataset) -> str:
        """The map as text: o docked, . left, ? still going; and the worst cases that dock."""
        pitch, height = np.degrees(data.pitch.values), 1e3 * data.height.values
        lines = ["height [mm] \\ pitch [deg]  " + " ".join(f"{p:6.3g}" for p in pitch)]
        for i in np.argsort(height)[::-1]:
            row = " ".join(f"{SIGNS[int(e)]:>6}" for e in data.ending.values[i])
            lines.append(f"{height[i]:>25.4g}  {row}")
        docked = int((data.ending == DOCKED).sum())
        lines.append(
            f"{docked} of {data.ending.size} dock (o), {int((data.ending == LEFT).sum())} leave (.), "
            f"{int((data.ending == GOING).sum())} were still in the drogue when time was up (?)"
        )
        worst = worst_successes(data)
        if worst:
            told = "; ".join(f"{h:+.4g} mm with {p:+.3g} deg" for h, p in worst)
            lines.append(f"worst that dock: {told}")
        return "\n".join(lines)


def worst_successes(data: xr.Dataset) -> list[tuple[float, float]]:
    """At the lowest and the greatest height that docks: height [mm] and the least pitch [deg] that does."""
    pitch, height = np.degrees(data.pitch.values), 1e3 * data.height.values
    docks = data.ending.values == DOCKED
    rows = np.flatnonzero(docks.any(axis=1))
    if not rows.size:
        return []
    ends = dict.fromkeys((rows[np.argmin(height[rows])], rows[np.argmax(height[rows])]))
    least = {i: pitch[docks[i]][np.argmin(np.abs(pitch[docks[i]]))] for i in ends}
    return [(float(height[i]), float(least[i])) for i in ends]


@eqx.filter_jit
def _gaps_at_start(chart: DockingMap) -> jax.Array:
    def gap(z):
        return chart.cavity.touch(chart.bodies.position.at[2].set(z), chart.radius).gap

    return jax.vmap(gap)(jnp.ravel(chart.height))


@eqx.filter_jit
def _dockings(chart: DockingMap) -> Docking:
    height, pitch = jnp.meshgrid(jnp.ravel(chart.height), jnp.ravel(chart.pitch), indexing="ij")
    ball = BallInCavity(chart.cavity, chart.law, chart.friction, chart.radius)

    def one(height, pitch):
        bodies = eqx.tree_at(
            lambda b: (b.position, b.attitude),
            chart.bodies,
            (chart.bodies.position.at[2].set(height), chart.bodies.attitude.at[1].set(pitch)),
        )
        return Docking.of(bodies, ball, contact_step=chart.contact_step)

    return eqx.filter_vmap(one)(height.ravel(), pitch.ravel())
