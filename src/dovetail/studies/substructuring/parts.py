"""Parts of this study: the table of compensators of the benchmark, as a map."""

from __future__ import annotations

import equinox as eqx
import xarray as xr

from dovetail.core import count, kind
from dovetail.core.errors import Fault
from dovetail.core.parameter_map import ParameterMap
from dovetail.studies.substructuring import rths


@kind("rths-table")
class RthsTable(ParameterMap):
    """All criteria of the benchmark for each compensator, case and plant."""

    compensators: tuple[str, ...] = eqx.field(default=tuple(rths.COMPENSATORS), static=True)
    cases: tuple[int, ...] = eqx.field(default=tuple(rths.CASES), static=True)
    perturbed_count: int = count("perturbed plants besides the nominal one", default=20, at_least=0)

    def faults(self) -> list[Fault]:
        """Return a fault for each compensator or case that does not exist."""
        return [
            *_unknown("map.compensators", self.compensators, rths.COMPENSATORS),
            *_unknown("map.cases", self.cases, rths.CASES),
        ]

    def compute(self) -> xr.Dataset:
        """Compute the criteria, (compensator, case, plant, criterion); see `rths.table`."""
        return rths.table(self.compensators, cases=self.cases, perturbed_count=self.perturbed_count)

    def summary(self, data: xr.Dataset) -> str:
        """Return the table, with requirements and drawbacks of each compensator."""
        lines = [rths.summary(data), ""]
        for name in data["compensator"].values:
            entry = rths.COMPENSATORS[str(name)]
            lines.append(f"{name}\n    requires {entry.requirements}\n    drawback: {entry.drawback}")
        return "\n".join(lines)


def _unknown(path: str, names, known) -> list[Fault]:
    valid = ", ".join(str(name) for name in known)
    return [Fault(path, f"unknown value {name!r}; use {valid}") for name in names if name not in known]
