"""Map of docking success over attitude and offset; every point is a docking, computed as one batch."""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from dovetail.core import Parameter, kind, parameter
from dovetail.core.errors import Fault
from dovetail.core.parameter_map import ParameterMap
from dovetail.mechanics.bodies import ContactingBodies
from dovetail.mechanics.contact import NormalLaw
from dovetail.mechanics.friction import Friction
from dovetail.mechanics.geometry import Cavity
from dovetail.specimens.probe_in_drogue import BallInCavity, misfit_message
from dovetail.studies.docking.docking_record import outcomes
from dovetail.studies.docking.docking_steps import DOCKED, GOING, LEFT, DockingSystem

SIGNS = {GOING: "?", DOCKED: "o", LEFT: "."}
WORDS = ["not finished", "docked", "separated"]


@kind("docking-map")
class DockingMap(ParameterMap):
    """Docking success over pitch of the chaser and height of its probe; other initial values from `bodies`."""

    figure: ClassVar[str] = "outcomes"

    bodies: ContactingBodies
    cavity: Cavity
    law: NormalLaw
    friction: Friction
    radius: Parameter = parameter("m", "radius of the probe's tip", above=0.0)
    pitch: Parameter = parameter("rad", "pitch of the chaser, one value per column")
    height: Parameter = parameter("m", "height of the probe's tip, one value per row")
    duration: Parameter = parameter("s", "maximum duration of a docking", above=0.0, default=90.0)
    contact_step: Parameter = parameter("s", "step in contact", above=0.0, default=50e-6)

    def faults(self) -> list[Fault]:
        """Return faults: a tip that does not fit, or grid points with initial overlap of tip and wall."""
        too_large = misfit_message(self.cavity, self.radius)
        if too_large:
            return [Fault("map.radius", too_large)]
        deepest = float(np.min(_gaps_at_start(self)))
        if deepest < 0:
            return [
                Fault(
                    "map.height",
                    f"initial overlap of tip and wall: {-1e3 * deepest:.3g} mm; reduce the height",
                )
            ]
        return []

    def dockings(self) -> DockingSystem:
        """Return all dockings of the grid as one object with batched leaves; rows are heights."""
        return _dockings(self)

    def compute(self) -> xr.Dataset:
        """Compute ending (0 not finished, 1 docked, 2 separated), impacts and end time of every docking."""
        ends = outcomes(self.dockings(), self.duration)
        shape = (np.size(self.height), np.size(self.pitch))
        about = {
            "ending": ("1", "0 not finished, 1 docked, 2 separated"),
            "impacts": ("1", "number of impacts"),
            "time": ("s", "end time"),
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

    def figure_data(self, data: xr.Dataset) -> xr.Dataset:
        """Return the map with pitch in degrees and height in millimetres."""
        names = {name: data[name].attrs["long_name"] for name in ("height", "pitch")}
        data = data.assign_coords(height=1e3 * data.height, pitch=np.degrees(data.pitch))
        data.height.attrs |= {"units": "mm", "long_name": names["height"]}
        data.pitch.attrs |= {"units": "deg", "long_name": names["pitch"]}
        return data.assign(ending=data.ending.assign_attrs(words=WORDS))

    def summary(self, data: xr.Dataset) -> str:
        """Return the map as text (o docked, . separated, ? not finished) and the worst cases that dock."""
        pitch, height = np.degrees(data.pitch.values), 1e3 * data.height.values
        lines = ["height [mm] \\ pitch [deg]  " + " ".join(f"{p:6.3g}" for p in pitch)]
        for i in np.argsort(height)[::-1]:
            row = " ".join(f"{SIGNS[int(e)]:>6}" for e in data.ending.values[i])
            lines.append(f"{height[i]:>25.4g}  {row}")
        docked = int((data.ending == DOCKED).sum())
        lines.append(
            f"{docked} of {data.ending.size} docked (o), {int((data.ending == LEFT).sum())} separated (.), "
            f"{int((data.ending == GOING).sum())} not finished within the duration (?)"
        )
        worst = worst_successes(data)
        if worst:
            positions = "; ".join(f"{h:+.4g} mm with {p:+.3g} deg" for h, p in worst)
            lines.append(f"worst cases that dock: {positions}")
        return "\n".join(lines)


def worst_successes(data: xr.Dataset) -> list[tuple[float, float]]:
    """Return the lowest and the highest height [mm] that docks, each with the smallest pitch [deg] that docks."""
    pitch, height = np.degrees(data.pitch.values), 1e3 * data.height.values
    docks = data.ending.values == DOCKED
    rows = np.flatnonzero(docks.any(axis=1))
    if not rows.size:
        return []
    ends = dict.fromkeys((rows[np.argmin(height[rows])], rows[np.argmax(height[rows])]))
    least = {i: pitch[docks[i]][np.argmin(np.abs(pitch[docks[i]]))] for i in ends}
    return [(float(height[i]), float(least[i])) for i in ends]


@eqx.filter_jit
def _gaps_at_start(settings: DockingMap) -> jax.Array:
    def gap(z):
        return settings.cavity.touch(settings.bodies.position.at[2].set(z), settings.radius).gap

    return jax.vmap(gap)(jnp.ravel(settings.height))


@eqx.filter_jit
def _dockings(settings: DockingMap) -> DockingSystem:
    height, pitch = jnp.meshgrid(jnp.ravel(settings.height), jnp.ravel(settings.pitch), indexing="ij")
    ball = BallInCavity(settings.cavity, settings.law, settings.friction, settings.radius)

    def one(height, pitch):
        bodies = eqx.tree_at(
            lambda b: (b.position, b.attitude),
            settings.bodies,
            (settings.bodies.position.at[2].set(height), settings.bodies.attitude.at[1].set(pitch)),
        )
        return DockingSystem.of(bodies, ball, contact_step=settings.contact_step)

    return eqx.filter_vmap(one)(height.ravel(), pitch.ravel())
