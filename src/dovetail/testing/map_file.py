"""A file that asks for a chart: `kind = "map"`, and under `chart` what is drawn over which grid."""

from __future__ import annotations

import equinox as eqx

from dovetail.core import Part
from dovetail.core.errors import Fault, guarded
from dovetail.core.parameter_map import Chart


class ChartFile(Part):
    """A chart with its title and source; no time advances in it as a whole."""

    chart: Chart
    title: str = eqx.field(default="", static=True)
    source: str = eqx.field(default="", static=True)

    def faults(self) -> list[Fault]:
        """All that is wrong with it beyond what each part checks for itself."""
        return guarded("chart", self.chart.faults)
