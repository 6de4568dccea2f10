r"""Comparison of measured impacts with a contact law, without and with the testbed's instruments.

For every impact and every coefficient of restitution: d, the reference solution; m, the model of the test; h, the
measurement; their differences and the fidelity :math:`\zeta = (m-d)/(h-d)` [Bondoky 2020, sec. 8.4.1.3].
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
from dovetail.core.kinds import find, names
from dovetail.core.parameter_map import ParameterMap
from dovetail.mechanics.contact import ConstantStiffness, DampingFactor, DissipativeLaw, HertzPair, Material
from dovetail.studies.docking.impact import Instruments, first_impact


def law_names() -> tuple[str, ...]:
    """Return the kinds of all contact laws with a target restitution."""
    return tuple(name for name in names(DissipativeLaw) if name != "damping-factor")


LAWS = law_names()


@kind("impact-validation")
class ImpactValidation(ParameterMap):
    """Measured impacts of a sphere on a flat; lists have one entry for each impact."""

    figure: ClassVar[str] = "bars"

    body_1: tuple[Material, ...]
    body_2: tuple[Material, ...]
    instruments: Instruments
    m1: Parameter = parameter("kg", "masses of body 1", above=0.0)
    m2: Parameter = parameter("kg", "masses of body 2", above=0.0)
    speed: Parameter = parameter("m/s", "impact speeds", above=0.0)
    force: Parameter = parameter("N", "measured peak forces", above=0.0)
    depth: Parameter = parameter("m", "measured peak depths", above=0.0)
    restitution: Parameter = parameter(
        "1", "projected coefficients of restitution", above=0.0, at_most=1.0, default=(0.8, 0.9)
    )
    radius: Parameter = parameter("m", "radius of the sphere", above=0.0, default=0.025)
    law: str = choice(*LAWS, about="contact law", default="flores")

    def faults(self) -> list[Fault]:
        """Return faults: lists without one entry for each impact."""
        count = len(self.body_1)
        lists = {"body_2": len(self.body_2)}
        lists |= {name: np.size(getattr(self, name)) for name in ("m1", "m2", "speed", "force", "depth")}
        return [
            Fault(f"map.{name}", f"{size} entries, but body_1 has {count}; give one for each impact")
            for name, size in lists.items()
            if size != count
        ]

    def compute(self) -> xr.Dataset:
        """Compute d, m, h of peak force and penetration, and d, m of rebound and duration, (restitution, impact)."""
        stiffness = jnp.array(
            [HertzPair(a, b, self.radius).value for a, b in zip(self.body_1, self.body_2, strict=True)]
        )
        law: type[DissipativeLaw] = find(self.law, DissipativeLaw)
        factor = law(ConstantStiffness(1.0)).damping_factor(jnp.atleast_1d(self.restitution))
        pair = _impacts(
            stiffness, self.m1 * self.m2 / (self.m1 + self.m2), self.speed, factor, self.instruments
        )
        dims = ("restitution", "impact")
        out = xr.Dataset(
            coords={
                "restitution": np.atleast_1d(self.restitution),
                "impact": np.arange(1, len(self.body_1) + 1),
            }
        )
        for name, field, unit in _SHOWN:
            out[f"{name}_d"] = (dims, np.asarray(getattr(pair.ideal, field)), {"units": unit})
            out[f"{name}_m"] = (dims, np.asarray(getattr(pair.hil, field)), {"units": unit})
        shape = (len(out.restitution), len(out.impact))
        out["force_h"] = (dims, np.broadcast_to(self.force, shape), {"units": "N"})
        out["depth_h"] = (dims, np.broadcast_to(self.depth, shape), {"units": "m"})
        for name in ("force", "depth"):
            d, m, h = (out[f"{name}_{letter}"] for letter in "dmh")
            out[f"{name}_md"], out[f"{name}_hd"], out[f"{name}_hm"] = m / d - 1, h / d - 1, h / m - 1
            out[f"{name}_fidelity"] = (m - d) / (h - d)
        return out

    def summary(self, data: xr.Dataset) -> str:
        """Return one line for each impact, force first, then penetration; percentages are of d, d and m."""
        lines = [f"{self.law}: d reference, m modelled test, h measured; fidelity (m-d)/(h-d)", ""]
        head = "  #   c_r         d         m         h      m-d      h-d      h-m  fidelity"
        for name, scale, unit in (("force", 1.0, "N"), ("depth", 1e6, "um")):
            lines += [f"peak {name} [{unit}]", head]
            for i in range(data.sizes["impact"]):
                for j in range(data.sizes["restitution"]):
                    at = data.isel(impact=i, restitution=j)
                    d, m, h = (scale * float(at[f"{name}_{letter}"]) for letter in "dmh")
                    shares = [100 * float(at[f"{name}_{key}"]) for key in ("md", "hd", "hm", "fidelity")]
                    row = "".join(f"{share:8.1f}%" for share in shares)
                    lines.append(
                        f"{int(at.impact):3d}  {float(at.restitution):4.2f} {d:9.2f} {m:9.2f} {h:9.2f} {row}"
                    )
            mean = 100 * float(data[f"{name}_fidelity"].mean())
            off = 100 * float(np.sqrt((data[f"{name}_hm"] ** 2).mean()))
            lines += [
                f"mean fidelity {mean:.1f} %; rms error of the modelled peaks {off:.1f} % of the measured peaks",
                "",
            ]
        return "\n".join(lines).rstrip()


_SHOWN = (
    ("force", "peak_contact_force", "N"),
    ("depth", "peak_depth", "m"),
    ("rebound", "rebound", "m/s"),
    ("duration", "duration", "s"),
)


@eqx.filter_jit
def _impacts(stiffness, mass, speed, factors, tools):
    def one(factor, stiffness, mass, speed):
        law = DampingFactor(stiffness=ConstantStiffness(stiffness), factor=factor)
        return first_impact(law, mass, speed, tools, steps=3000)

    return jax.vmap(jax.vmap(one, (None, 0, 0, 0)), (0, None, None, None))(factors, stiffness, mass, speed)
