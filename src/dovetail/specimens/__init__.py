"""Specimen models: force of the part under test from the imposed motion, with internal states.

Depends on: core, mechanics.
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.specimens.base import Memoryless, Specimen
    from dovetail.specimens.compliant_impact_pair import CompliantImpactPair
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
    from dovetail.specimens.standard_linear_solid import StandardLinearSolid
    from dovetail.specimens.storey import Storey
    from dovetail.specimens.tennis_ball import TennisBall

lazily(__name__)


__all__ = [
    "BallInCavity",
    "CompliantImpactPair",
    "DeckGear",
    "Funnel",
    "IdealLagDamper",
    "ImpactPair",
    "LagDamper",
    "LoadCell",
    "Memoryless",
    "MiddleMass",
    "ProbeInDrogue",
    "RibBasket",
    "ScaledSpecimen",
    "Specimen",
    "Spring",
    "StandardLinearSolid",
    "Storey",
    "TennisBall",
]
