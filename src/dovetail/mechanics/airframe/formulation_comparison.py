r"""Comparison of the published and the consistent formulation: posture and loads at rest over the centre of gravity.

The hinge of the source transmits its force to the airframe but not its moment [Schock 2020, eq. 5.3]. At rest on a
level deck this causes an error if the centre of gravity is off the centre plane. For each offset, the equilibrium of
both formulations is computed. The sum of the loads must be the weight in both. The moment about the centre of gravity,

.. math:: \sum_f (x_f - x_G)\,N_f = g\,S_x

with the first moment :math:`S` of the gear, whose weight does not act at the airframe's centre, balances only in the
consistent formulation. The moment residual is the error of the published formulation, in newton metres.
"""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import xarray as xr

from dovetail.core import Parameter, kind, parameter
from dovetail.core.parameter_map import ParameterMap
from dovetail.mechanics.airframe.aircraft import DeckAircraft
from dovetail.mechanics.airframe.statics import equilibrium, foot_loads, node_places

FORMS = ("published", "consistent")


@kind("formulation-comparison")
class FormulationComparison(ParameterMap):
    """Foot loads and roll at rest in both formulations, over lateral offsets of the centre of gravity (planar)."""

    figure: ClassVar[str] = "lines"
    line_coordinate: ClassVar[str] = "offset"

    system: DeckAircraft
    offsets: Parameter = parameter(
        "m", "lateral offsets of the centre of gravity, positive to port", default=(-0.3, 0.0, 0.1, 0.2, 0.3)
    )

    def at_rest(self, form: str, offset: float) -> dict[str, np.ndarray]:
        """Return foot loads, roll, and the residuals of force and moment at equilibrium."""
        craft = self.system
        start = np.array(craft.initial_pose) + np.array([offset, 0.0, 0.0])
        airframe = dataclasses.replace(craft.airframe, centre=np.array([0.0, offset, 0.0]))
        craft = dataclasses.replace(craft, airframe=airframe, initial_pose=start, formulation=form)
        x = equilibrium(craft)
        loads = foot_loads(craft, x)
        feet = node_places(craft, x)[list(craft.feet)]
        weight = float(craft.gravity) * (float(craft.airframe.mass) + craft.model.mass)
        deformation = np.asarray(craft.model.displacement(x["shape"]))
        first = craft.model.first_moment + craft.model.weight.T @ deformation.ravel()
        gear = float(craft.gravity) * (np.asarray(craft.dim.rotation(x["attitude"])) @ first)[0]
        return {
            "load": loads[:, 1],
            "roll": np.asarray(x["attitude"])[0],
            "force_left": loads[:, 1].sum() - weight,
            "moment_left": ((feet[:, 0] - float(x["position"][0])) * loads[:, 1]).sum() - gear,
        }

    def compute(self) -> xr.Dataset:
        """Return the dataset over (form, offset)."""
        rows = [[self.at_rest(form, float(o)) for o in np.ravel(self.offsets)] for form in FORMS]
        units = {"load": "N", "roll": "rad", "force_left": "N", "moment_left": "N m"}
        data = {}
        for name, unit in units.items():
            values = np.array([[cell[name] for cell in row] for row in rows])
            dims = ("form", "offset", "foot") if name == "load" else ("form", "offset")
            data[name] = (dims, values, {"units": unit})
        offsets = ("offset", np.ravel(self.offsets), {"units": "m", "long_name": "centre of gravity to port"})
        return xr.Dataset(data, {"form": list(FORMS), "offset": offsets})

    def labels(self, data: xr.Dataset) -> list[str]:
        """Return a line label for each formulation and foot."""
        return [f"{form}, foot {i + 1}" for form in FORMS for i in range(data.sizes["foot"])]

    def summary(self, data: xr.Dataset) -> str:
        """Return a text table with a row for each offset: both formulations and their difference."""
        lines = [
            "offset [m]   loads, published [N]    loads, consistent [N]   largest difference   roll [rad] of both"
            "   moment residual, published [N m]"
        ]
        for o in data.offset.values:
            published, ours = (data.sel(offset=o, form=form) for form in FORMS)
            loads, rolls = (
                (published[name], ours[name]) for name in ("load", "roll")
            )  # also names of Dataset methods
            apart = float(np.abs(loads[0] - loads[1]).max())
            lines.append(
                f"{o:>10.3g}   {_pair(loads[0]):<22}  {_pair(loads[1]):<22}  {apart:>8.2f} N"
                f"          {float(rolls[0]):+.4f}, {float(rolls[1]):+.4f}   {float(published.moment_left):+.3f}"
            )
        worst = float(np.abs(data.sel(form="consistent").moment_left).max())
        lines.append(f"consistent: largest moment residual {worst:.1e} N m")
        return "\n".join(lines)


def _pair(loads: xr.DataArray) -> str:
    return ", ".join(f"{v:.2f}" for v in loads.values)
