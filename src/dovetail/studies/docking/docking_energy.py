r"""Map of the energy that a rig adds to a docking, over its delay and the restitution of the contact.

The complete docking is simulated with instruments at every point. The map contains the ratio of the energy balance at
the end to that at the start (1: no generated energy), and the effective restitution of the first impact. Where this
restitution exceeds 1, the impact adds energy. The boundary is the stability limit of the contact loop: without
contact at rest the loop is open and has no other limit.
"""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float, Int

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Time
from dovetail.core.errors import Fault
from dovetail.core.keep import Keep
from dovetail.core.parameter_map import ParameterMap
from dovetail.core.system import Signals
from dovetail.mechanics.bodies import ContactingBodies
from dovetail.mechanics.contact import DissipativeLaw
from dovetail.mechanics.friction import Friction
from dovetail.mechanics.geometry import Cavity
from dovetail.specimens.probe_in_drogue import BallInCavity, misfit_message
from dovetail.studies.docking.docking_steps import DockingSystem, SixAxisInstruments, advance_to_end, energy


@kind("docking-energy-map")
class DockingEnergyMap(ParameterMap):
    """Generated energy over the robot's total delay and the projected restitution."""

    figure: ClassVar[str] = "map"

    bodies: ContactingBodies
    cavity: Cavity
    law: DissipativeLaw
    friction: Friction
    radius: Parameter = parameter("m", "radius of the probe's tip", above=0.0)
    delay: Parameter = parameter("s", "total delay of the robot, one value per column", above=0.0)
    restitution: Parameter = parameter(
        "1", "projected restitution, one value per row", above=0.0, at_most=1.0
    )
    sensor_delay: Parameter = parameter("s", "total delay of the sensor", above=0.0, default=0.1e-3)
    duration: Parameter = parameter("s", "maximum duration of a docking", above=0.0, default=5.0)
    contact_step: Parameter = parameter("s", "step in contact", above=0.0, default=10e-6)

    def faults(self) -> list[Fault]:
        """Return a fault if the tip does not fit into the cavity."""
        too_large = misfit_message(self.cavity, self.radius)
        return [Fault("map.radius", too_large)] if too_large else []

    def compute(self) -> xr.Dataset:
        """Compute energy ratio and restitution of the first impact at every point."""
        restitution, delay = jnp.meshgrid(jnp.ravel(self.restitution), jnp.ravel(self.delay), indexing="ij")
        ratio, first = _energies(self, restitution.ravel(), delay.ravel())
        names, shape = ("restitution", "delay"), restitution.shape
        about = {
            "energy_ratio": "energy balance at the end over energy balance at the start",
            "first_restitution": "effective restitution of the first impact",
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
        """Return both tables, and the delay above which the first impact gains energy."""
        head = "restitution \\ delay [ms]  " + " ".join(f"{1e3 * d:7.3g}" for d in data.delay.values)
        lines = []
        for name in data.data_vars:
            lines += [str(data[name].attrs["long_name"]), head]
            for row, c in zip(data[name].values, data.restitution.values, strict=True):
                lines.append(f"{c:>24.3g}  " + " ".join(f"{v:7.3g}" for v in row))
        for c, delay in neutral_delays(data).items():
            lines.append(
                f"restitution {c:g}: the first impact gains energy "
                + (f"above {1e3 * delay:.3g} ms" if np.isfinite(delay) else "at none of these delays")
            )
        return "\n".join(lines)


def neutral_delays(data: xr.Dataset) -> dict[float, float]:
    """Return the total delay [s] at which the restitution of the first impact reaches 1; infinite if it does not."""
    delays = {}
    for row, c in zip(data.first_restitution.values, data.restitution.values, strict=True):
        above = np.flatnonzero(row > 1)
        d = data.delay.values
        if not above.size:
            delays[float(c)] = np.inf
        elif above[0] == 0:
            delays[float(c)] = float(d[0])
        else:
            i = above[0]
            delays[float(c)] = float(np.interp(1.0, row[i - 1 : i + 1], d[i - 1 : i + 1]))
    return delays


class Rebound(eqx.Module):
    """Energies of a docking, and speeds of its first impact; NaN where it has not ended."""

    start_energy: Float[Array, ""]  # [J]
    energy: Float[Array, ""]  # [J] at the last sample
    impacts: Int[Array, ""]  # so far
    penetration: Float[Array, ""]  # [m] at the last sample
    impact_speed: Float[Array, ""]  # [m/s] at the last sample
    speed_in: Float[Array, ""]  # [m/s] of the first impact
    speed_out: Float[Array, ""]  # [m/s] of the bodies along the normal at the end of the first impact


class FirstRebound(Keep):
    """Measures the first rebound and the energy, and keeps no rows."""

    def start(self, shown: Signals) -> Rebound:
        start, none, unknown = energy(shown), jnp.zeros((), int), jnp.asarray(jnp.nan)
        return Rebound(start, start, none, shown["penetration"], shown["impact_speed"], unknown, unknown)

    def row(self, kept: Rebound, t: Time, h: Time, shown: Signals) -> tuple[Rebound, Signals]:
        before, after = kept.penetration, shown["penetration"]
        impacts = kept.impacts + ((before <= 0) & (after > 0))
        parted = (before > 0) & (after <= 0) & (impacts == 1) & jnp.isnan(kept.speed_out)
        rebound = Rebound(
            kept.start_energy,
            energy(shown),
            impacts,
            after,
            shown["impact_speed"],
            speed_in=jnp.where(parted, kept.impact_speed, kept.speed_in),
            speed_out=jnp.where(parted, -shown["body_rate"], kept.speed_out),
        )
        return rebound, {}


@eqx.filter_jit
def _energies(settings: DockingEnergyMap, restitution, delay):
    def one(restitution, delay):
        law = eqx.tree_at(lambda law: law.restitution, settings.law, restitution)
        tools = SixAxisInstruments(robot_delay=delay, sensor_delay=settings.sensor_delay)
        ball = BallInCavity(settings.cavity, law, settings.friction, settings.radius)
        docking = DockingSystem.of(settings.bodies, ball, tools, contact_step=settings.contact_step)
        end = advance_to_end(docking, docking.monitor, FirstRebound(), settings.duration).kept
        return end.energy / end.start_energy, end.speed_out / end.speed_in

    return jax.vmap(one)(restitution, delay)
