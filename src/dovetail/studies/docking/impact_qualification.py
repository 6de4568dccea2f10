r"""Impacts that a piezo testbed can execute: all pairs of materials and masses at all speeds.

A stack is compliant under load: at a force F the fraction :math:`1 - F/F_{act}` of its stroke :math:`x_{act}` remains.
An impact with penetration d at the peak force F qualifies if

.. math:: x = d\,\frac{F_{act}}{F_{act} - F} < s\,x_{act}

where d and F are values of the modelled test and s is a safety factor [Bondoky 2020, eq. 8.5 and sec. 8.3.3].
"""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from dovetail.core import Parameter, choice, kind, parameter
from dovetail.core.errors import Fault
from dovetail.core.kind_names import name_of
from dovetail.core.kinds import find
from dovetail.core.parameter_map import ParameterMap
from dovetail.mechanics.contact import ConstantStiffness, DampingFactor, DissipativeLaw, HertzPair, Material
from dovetail.studies.docking.impact import Instruments, first_impact
from dovetail.studies.docking.impact_validation import LAWS


def needed_stroke(depth: np.ndarray, force: np.ndarray, blocking: float) -> np.ndarray:
    """Return the free stroke [m] that a stack with a blocking force [N] needs for a penetration [m] at a force [N].

    The stroke is infinite for a force above the blocking force.
    """
    left = np.maximum(blocking - force, 1e-9)
    return np.where(force < blocking, depth * blocking / left, np.inf)


@kind("impact-qualification")
class ImpactQualification(ParameterMap):
    """Qualification of impacts: all pairs of materials and masses at all speeds, with the testbed's instruments."""

    figure: ClassVar[str] = "none"

    body_1: tuple[Material, ...]
    body_2: tuple[Material, ...]
    instruments: Instruments
    m1: Parameter = parameter("kg", "masses of body 1, one for each mass pair", above=0.0)
    m2: Parameter = parameter("kg", "masses of body 2", above=0.0)
    speed: Parameter = parameter("m/s", "impact speeds", above=0.0)
    stroke: Parameter = parameter("m", "free stroke of the stack", above=0.0)
    blocking: Parameter = parameter("N", "blocking force of the stack", above=0.0)
    restitution: Parameter = parameter(
        "1", "projected coefficient of restitution", above=0.0, at_most=1.0, default=0.8
    )
    radius: Parameter = parameter("m", "radius of the sphere", above=0.0, default=0.025)
    safety: Parameter = parameter("1", "usable fraction of the stroke", above=0.0, at_most=1.0, default=0.8)
    law: str = choice(*LAWS, about="contact law", default="flores")

    def faults(self) -> list[Fault]:
        """Return faults: lists of different length that form pairs."""
        faults = []
        for one, other in (("body_1", "body_2"), ("m1", "m2")):
            a, b = (
                len(v) if isinstance(v, tuple) else np.size(v)
                for v in (getattr(self, one), getattr(self, other))
            )
            if a != b:
                faults.append(
                    Fault(f"map.{other}", f"{b} entries, but {one} has {a}; give one entry for each pair")
                )
        return faults

    def compute(self) -> xr.Dataset:
        """Compute peaks of the modelled test, required stroke and qualification, (speed, pair, masses)."""
        pairs = list(zip(self.body_1, self.body_2, strict=True))
        stiffness = jnp.array([HertzPair(a, b, self.radius).value for a, b in pairs])
        mass = jnp.ravel(self.m1 * self.m2 / (self.m1 + self.m2))
        factor = find(self.law, DissipativeLaw)(stiffness=1.0).damping_factor(self.restitution)
        speeds, stiff, masses = jnp.meshgrid(jnp.ravel(self.speed), stiffness, mass, indexing="ij")
        hil = _modelled(speeds, stiff, masses, factor, self.instruments)
        dims = ("speed", "pair", "masses")
        depth, force = np.asarray(hil.peak_depth), np.asarray(hil.peak_contact_force)
        stroke = needed_stroke(depth, force, float(self.blocking))
        out = xr.Dataset(
            {
                "peak_force": (dims, force, {"units": "N"}),
                "peak_depth": (dims, depth, {"units": "m"}),
                "needed_stroke": (dims, stroke, {"units": "m"}),
                "possible": (dims, stroke < float(self.stroke), {"units": "1"}),
                "qualified": (dims, stroke < float(self.safety * self.stroke), {"units": "1"}),
            },
            {
                "speed": ("speed", np.ravel(self.speed), {"units": "m/s"}),
                "pair": [f"{name_of(type(a))} on {name_of(type(b))}" for a, b in pairs],
                "masses": [f"{float(a):g}-{float(b):g} kg" for a, b in zip(self.m1, self.m2, strict=True)],
            },
        )
        return out

    def summary(self, data: xr.Dataset) -> str:
        """Return the required stroke of each impact and the number that qualify."""
        lines = [
            "required stroke [um]; * qualifies with safety factor, + without safety factor, - does not qualify"
        ]
        for v in data.speed.values:
            lines.append(f"{float(v):g} m/s".ljust(34) + "".join(f"{m:>14}" for m in data.masses.values))
            for pair in data.pair.values:
                at = data.sel(speed=v, pair=pair)
                marks = np.where(at.qualified, "*", np.where(at.possible, "+", "-"))
                texts = [
                    f"{1e6 * x:12.1f} {m}" if x < 1e-2 else f"{'no stroke':>12} {m}"
                    for x, m in zip(at.needed_stroke.values, marks, strict=True)
                ]
                lines.append(f"  {pair:<32}" + "".join(texts))
        n = data.possible.size
        lines.append(
            f"{int(data.possible.sum())} of {n} possible with {1e6 * float(self.stroke):g} um and "
            f"{float(self.blocking):g} N, {int(data.qualified.sum())} with a safety factor of {float(self.safety):g}"
        )
        return "\n".join(lines)


@eqx.filter_jit
def _modelled(speed, stiffness, mass, factor, tools):
    def one(speed, stiffness, mass):
        law = DampingFactor(stiffness=ConstantStiffness(stiffness), factor=factor)
        return first_impact(law, mass, speed, tools, steps=3000).hil

    flat = jax.vmap(one)(*(jnp.ravel(v) for v in (speed, stiffness, mass)))
    return jax.tree.map(lambda leaf: leaf.reshape(speed.shape), flat)
