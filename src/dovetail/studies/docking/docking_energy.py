r"""Energy that a rig feeds into a docking, over its delay and the contact's restitution.

At every point the whole docking runs through the instruments. What the map shows is the energy balance at
the end over that at the start (one: nothing generated), and the restitution of the first impact as the bodies
feel it; where that passes one the impact leaves with more than it came with. The border between is the
contact loop's own kind of stability limit: a loop that is open at rest has no other.
"""

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
from dovetail.mechanics.contact import Dissipative
from dovetail.mechanics.friction import Friction
from dovetail.mechanics.geometry import Cavity
from dovetail.specimens.probe_in_drogue import BallInCavity, misfit
from dovetail.studies.docking.docking_steps import (
    GOING,
    Docking,
    SixAxisInstruments,
    advance,
    begin,
    energy,
    view,
)


@kind("docking-energy-map")
class DockingEnergyMap(Chart):
    """Generated energy over the robot's total delay and the projected restitution."""

    picture: ClassVar[str] = "map"

    bodies: MeetingBodies
    cavity: Cavity
    law: Dissipative
    friction: Friction
    radius: jax.Array = parameter("m", "radius of the probe's tip", above=0.0)
    delay: jax.Array = parameter("s", "total delay of the robot, one value a column", above=0.0)
    restitution: jax.Array = parameter("1", "projected restitution, one value a row", above=0.0, at_most=1.0)
    sensor_delay: jax.Array = parameter("s", "total delay of the sensor", above=0.0, default=0.1e-3)
    duration: jax.Array = parameter("s", "longest docking", above=0.0, default=5.0)
    contact_step: jax.Array = parameter("s", "step in contact", above=0.0, default=10e-6)

    def faults(self) -> list[Fault]:
        """A tip that does not fit."""
        too_large = misfit(self.cavity, self.radius)
        return [Fault("chart.radius", too_large)] if too_large else []

    def compute(self) -> xr.Dataset:
        """Energy ratio and restitution of the first impact at every point."""
        restitution, delay = jnp.meshgrid(jnp.ravel(self.restitution), jnp.ravel(self.delay), indexing="ij")
        ratio, first = _energies(self, restitution.ravel(), delay.ravel())
        names, shape = ("restitution", "delay"), restitution.shape
        about = {
            "energy_ratio": "energy balance at the end over that at the start",
            "first_restitution": "restitution of the first impact, as the bodies feel it",
        }
        values = {"energy_ratio": ratio, "first_restitution": first}
        return xr.Dataset(
            {
                n: (names, np.asarray(v).reshape(shape), {"units": "1", "long_name": about[n]})
                for n, v in values.items()
            },
            {
                "restitution": ("restitution", np.ravel(self.restitution), {"units": "1"}),
                "delay": (
                    "delay",
                    np.ravel(self.delay),
                    {"units": "s", "long_name": "total delay of the robot"},
                ),
            },
        )

    def summary(self, data: xr.Dataset) -> str:
        """Both tables, and from which delay on the first impact gains energy."""
        head = "restitution \\ delay [ms]  " + " ".join(f"{1e3 * d:7.3g}" for d in data.delay.values)
        lines = []
        for name in data.data_vars:
            lines += [str(data[name].attrs["long_name"]), head]
            for row, c in zip(data[name].values, data.restitution.values, strict=True):
                lines.append(f"{c:>24.3g}  " + " ".join(f"{v:7.3g}" for v in row))
        for c, delay in neutral_delays(data).items():
            lines.append(
                f"restitution {c:g}: the first impact gains energy "
                + (f"from {1e3 * delay:.3g} ms on" if np.isfinite(delay) else "at none of these delays")
            )
        return "\n".join(lines)


def neutral_delays(data: xr.Dataset) -> dict[float, float]:
    """Total delay [s] at which the first impact's restitution passes one; infinite if never."""
    found = {}
    for row, c in zip(data.first_restitution.values, data.restitution.values, strict=True):
        above = np.flatnonzero(row > 1)
        d = data.delay.values
        if not above.size:
            found[float(c)] = np.inf
        elif above[0] == 0:
            found[float(c)] = float(d[0])
        else:
            i = above[0]
            found[float(c)] = float(np.interp(1.0, row[i - 1 : i + 1], d[i - 1 : i + 1]))
    return found


@eqx.filter_jit
def _energies(chart: DockingEnergyMap, restitution, delay):
    def one(restitution, delay):
        law = eqx.tree_at(lambda law: law.restitution, chart.law, restitution)
        tools = SixAxisInstruments(robot_delay=delay, sensor_delay=chart.sensor_delay)
        ball = BallInCavity(chart.cavity, law, chart.friction, chart.radius)
        docking = Docking.of(chart.bodies, ball, tools, contact_step=chart.contact_step)
        start = begin(docking)

        def going(carry):
            return (carry[0].ending == GOING) & (carry[0].t < chart.duration)

        def body(carry):
            moment, came, left = carry
            new = advance(docking, moment, chart.duration)
            # the bodies' own speed along the normal when the first contact ends
            before, after = (view(docking, m.t, m.x) for m in (moment, new))
            parted = (before["depth"] > 0) & (after["depth"] <= 0) & (new.impacts == 1) & jnp.isnan(left)
            came = jnp.where(parted, before["impact_speed"], came)
            return new, came, jnp.where(parted, -after["body_rate"], left)

        unknown = jnp.asarray(jnp.nan)
        end, came, left = jax.lax.while_loop(going, body, (start, unknown, unknown))
        return energy(view(docking, end.t, end.x)) / energy(view(docking, start.t, start.x)), left / came

    return jax.vmap(one)(restitution, delay)
