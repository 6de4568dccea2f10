"""Maps of impacts without instruments: contact laws over restitution and speed, and pairs of materials.

Realised restitution, peak force, penetration and contact time of one impact between free bodies [Bondoky 2020, ch. 4,
secs 4.4.3.1 and 4.4.3.2].
"""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from dovetail.core import Parameter, choice, kind, parameter
from dovetail.core.kind_names import name_of
from dovetail.core.kinds import find
from dovetail.core.parameter_map import ParameterMap
from dovetail.mechanics.contact import (
    ConstantStiffness,
    ContactStiffness,
    DampingFactor,
    DissipativeLaw,
    HertzPair,
    Material,
    realised_restitution,
)
from dovetail.studies.docking.impact import Instruments, first_impact
from dovetail.studies.docking.impact_validation import LAWS, law_names

SHOWN = (("peak_force", "N"), ("peak_depth", "m"), ("duration", "s"), ("restitution", "1"))


class ContactLawMap(ParameterMap):
    """Base of maps that compare all dissipative contact laws for one impact."""

    stiffness: ContactStiffness
    mass: Parameter = parameter("kg", "reduced mass", above=0.0)
    speed: Parameter = parameter("m/s", "impact speed, or a list", above=0.0)
    restitution: Parameter = parameter(
        "1", "projected coefficient of restitution, or a list", above=0.0, at_most=1.0, default=0.8
    )

    def factors(self) -> jax.Array:
        """Return the damping factor of each law at each restitution, (law,) or (law, restitution)."""
        laws = (find(name, DissipativeLaw)(stiffness=1.0) for name in law_names())
        return jnp.stack([law.damping_factor(self.restitution) for law in laws])


@kind("contact-law-map")
class ContactLawRestitutionMap(ContactLawMap):
    """All dissipative laws over projected restitution: realised restitution, peaks, duration."""

    line_coordinate: ClassVar[str] = "restitution"

    def compute(self) -> xr.Dataset:
        """Compute peaks, duration and realised restitution, (law, restitution)."""
        factors = self.factors().reshape(len(law_names()), -1)
        of = self.speed, self.stiffness.value, self.mass
        speed, stiffness, mass = (jnp.broadcast_to(v, factors.shape) for v in of)
        dims, c = ("law", "restitution"), np.atleast_1d(self.restitution)
        ideal = _impacts(factors, speed, stiffness, mass, slowest=0.05)
        out = _table(ideal, dims, {"law": list(law_names()), "restitution": c}, restitution="simulated")
        return out.assign(realised=(dims, np.asarray(realised_restitution(factors)), {"units": "1"}))

    def summary(self, data: xr.Dataset) -> str:
        """Return realised restitution and peak force by law, one column for each projected restitution."""
        head = " " * 22 + "".join(f"{c:9.2f}" for c in data.restitution.values)
        lines = ["realised restitution, columns: projected restitution", head, *_rows("9.4f", data.realised)]
        return "\n".join([*lines, "", "peak force [N]", head, *_rows("9.1f", data.peak_force)])


@kind("contact-speed-map")
class ContactSpeedMap(ContactLawMap):
    """All dissipative laws over the impact speed."""

    line_coordinate: ClassVar[str] = "speed"

    def compute(self) -> xr.Dataset:
        """Compute peaks, duration and realised restitution, (law, speed)."""
        speed = jnp.atleast_1d(self.speed)
        ideal = _impacts(*_grid(self.factors(), speed, self.stiffness.value, self.mass))
        about = {"units": "m/s", "long_name": "impact speed"}
        return _table(
            ideal, ("law", "speed"), {"law": list(law_names()), "speed": ("speed", np.asarray(speed), about)}
        )

    def summary(self, data: xr.Dataset) -> str:
        """Return the peak force by law, one column for each speed."""
        head = " " * 22 + "".join(f"{1e3 * v:9.3g}" for v in data.speed.values)
        spread = data.peak_force.max("law") - data.peak_force.min("law")
        last = f"difference between laws: {float(spread[0]):.1f} N at the lowest speed"
        last += f", {float(spread[-1]):.1f} N at the highest"
        return "\n".join(
            ["peak force [N], columns: speed [mm/s]", head, *_rows("9.1f", data.peak_force), last]
        )


@kind("contact-material-map")
class ContactMaterialMap(ParameterMap):
    """One contact law for pairs of materials, a sphere on a flat."""

    line_coordinate: ClassVar[str] = "pair"

    body_1: tuple[Material, ...]
    body_2: tuple[Material, ...]
    mass: Parameter = parameter("kg", "reduced mass", above=0.0)
    speed: Parameter = parameter("m/s", "impact speed", above=0.0)
    restitution: Parameter = parameter(
        "1", "projected coefficient of restitution", above=0.0, at_most=1.0, default=0.8
    )
    radius: Parameter = parameter("m", "radius of the sphere", above=0.0, default=0.025)
    law: str = choice(*LAWS, about="contact law", default="flores")

    def compute(self) -> xr.Dataset:
        """Compute stiffness, peaks, duration and realised restitution of each pair."""
        pairs = list(zip(self.body_1, self.body_2, strict=True))
        stiffness = jnp.array([HertzPair(a, b, self.radius).value for a, b in pairs])
        factor = find(self.law, DissipativeLaw)(stiffness=1.0).damping_factor(self.restitution)
        factors, speeds, masses = (
            jnp.broadcast_to(v, stiffness.shape) for v in (factor, self.speed, self.mass)
        )
        ideal = _impacts(factors, speeds, stiffness, masses)
        names = [f"{name_of(type(a))} on {name_of(type(b))}" for a, b in pairs]
        out = _table(ideal, ("pair",), {"pair": names})
        out["stiffness"] = ("pair", np.asarray(stiffness), {"units": "N/m^1.5"})
        return out

    def summary(self, data: xr.Dataset) -> str:
        """Return one line for each pair."""
        lines = [f"{self.law}, restitution {float(self.restitution):g}, {float(self.speed):g} m/s"]
        lines.append(f"{'':<30}   k [N/m^1.5]     peak [N]   depth [um]  contact [ms]")
        for name in data.pair.values:
            at = data.sel(pair=name)
            lines.append(
                f"{name:<30} {float(at.stiffness):13.4g} {float(at.peak_force):12.1f}"
                f" {1e6 * float(at.peak_depth):12.2f} {1e3 * float(at.duration):13.3f}"
            )
        return "\n".join(lines)


def _grid(factor, speed, stiffness, mass):
    factors, speeds = jnp.meshgrid(factor, speed, indexing="ij")
    return factors, speeds, jnp.broadcast_to(stiffness, factors.shape), jnp.broadcast_to(mass, factors.shape)


@eqx.filter_jit
def _impacts(factor, speed, stiffness, mass, slowest=0.5):
    def one(factor, speed, stiffness, mass):
        law = DampingFactor(stiffness=ConstantStiffness(stiffness), factor=factor)
        return first_impact(law, mass, speed, Instruments(1e5, 1e5), steps=4000, slowest=slowest).ideal

    shape = factor.shape
    flat = jax.vmap(one)(*(jnp.ravel(v) for v in (factor, speed, stiffness, mass)))
    return jax.tree.map(lambda leaf: leaf.reshape(shape), flat)


def _table(ideal, dims, coordinates, **names) -> xr.Dataset:
    """Return a dataset of impact measures; `names` renames some of them."""
    shown = {names.get(name, name): (np.asarray(getattr(ideal, name)), unit) for name, unit in SHOWN}
    return xr.Dataset({name: (dims, v, {"units": unit}) for name, (v, unit) in shown.items()}, coordinates)


def _rows(form: str, values: xr.DataArray) -> list[str]:
    """Return one line for each law."""
    laws = law_names()
    return [f"  {law:<20}" + "".join(f"{v:{form}}" for v in values.sel(law=law).values) for law in laws]
