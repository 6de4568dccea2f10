"""Parts that only this study has: the benchmark's table of compensators, as a chart."""

from __future__ import annotations

import equinox as eqx
import xarray as xr

from dovetail.core import count, kind
from dovetail.core.errors import Fault
from dovetail.core.parameter_map import Chart
from dovetail.studies.substructuring import rths


@kind("rths-table")
class RthsTable(Chart):
    """Every criterion of the benchmark for each compensator, in each case, on each plant."""

    compensators: tuple[str, ...] = eqx.field(default=tuple(rths.COMPENSATORS), static=True)
    cases: tuple[int, ...] = eqx.field(default=tuple(rths.CASES), static=True)
    perturbed: int = count("perturbed plants besides the nominal one", default=20, at_least=0)

    def faults(self) -> list[Fault]:
        """Compensators and cases that do not exist."""
        return [
            *_unknown("chart.compensators", self.compensators, rths.COMPENSATORS),
            *_unknown("chart.cases", self.cases, rths.CASES),
        ]

    def compute(self) -> xr.Dataset:
        """(compensator, case, plant, criterion); see `rths.table`."""
        return rths.table(self.compensators, cases=self.cases, perturbed=self.perturbed)

    def summary(self, data: xr.Dataset) -> str:
        """The table, and what each compensator needs and trades away."""
        lines = [rths.summary(data), ""]
        for name in data["compensator"].values:
            entry = rths.COMPENSATORS[str(name)]
            lines.append(f"{name}\n    needs {entry.needs}\n    gives away {entry.trades}")
        return "\n".join(lines)


def _unknown(where: str, found, known) -> list[Fault]:
    listed = ", ".join(str(name) for name in known)
    return [Fault(where, f"there is no {name!r}; there are {listed}") for name in found if name not in known]
