"""Virtual stand-ins for the part under test: motion in, force out, with memory.

Depends on: core, mechanics.
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.specimens.base import Memoryless, Specimen
    from dovetail.specimens.compliant_impact_pair import YieldingPair
    from dovetail.specimens.deck_gear import DeckGear
    from dovetail.specimens.funnel import Funnel
    from dovetail.specimens.impact_pair import ImpactPair
    from dovetail.specimens.lag_damper import IdealLagDamper, LagDamper
    from dovetail.specimens.load_cell import LoadCell
    from dovetail.specimens.middle_mass import MiddleMass
    from dovetail.specimens.probe_in_drogue import BallInCavity, ProbeInDrogue
    from dovetail.specimens.rib_basket import RibBasket
    from dovetail.specimens.scaled_specimen import ScaledSpecimen
    from dovetail.specimens.spring import Spring
    from dovetail.specimens.standard_linear_solid import RelaxingSpring
    from dovetail.specimens.storey import Storey
    from dovetail.specimens.tennis_ball import TennisBall

lazily(__name__)


__all__ = [
    "BallInCavity",
    "DeckGear",
    "Funnel",
    "IdealLagDamper",
    "ImpactPair",
    "LagDamper",
    "LoadCell",
    "Memoryless",
    "MiddleMass",
    "ProbeInDrogue",
    "RelaxingSpring",
    "RibBasket",
    "ScaledSpecimen",
    "Specimen",
    "Spring",
    "Storey",
    "TennisBall",
    "YieldingPair",
]
