"""Map file: `kind = "map"`, with the parameter map and its grid in `[map]`."""

from __future__ import annotations

import equinox as eqx

from dovetail.core import Part
from dovetail.core.errors import Fault, collect_faults
from dovetail.core.parameter_map import ParameterMap


class MapFile(Part):
    """Parameter map with title and source."""

    map: ParameterMap
    title: str = eqx.field(default="", static=True)
    source: str = eqx.field(default="", static=True)

    def faults(self) -> list[Fault]:
        """Return the faults of the map, beyond the checks of each part."""
        return collect_faults("map", self.map.faults)
