"""Parts that only one study has, charts above all: imported where a file names a kind that is not known yet."""

from dovetail.studies.docking import (  # noqa: F401
    contact_charts,
    docking_energy,
    docking_map,
    first_impact_sweep,
    impact_charts,
    impact_qualification,
    impact_validation,
)
from dovetail.studies.refuelling import funnel_map, hung_drogue, reel_in  # noqa: F401
from dovetail.studies.substructuring import parts  # noqa: F401
