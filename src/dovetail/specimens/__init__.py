"""Virtual stand-ins for the part under test: motion in, force out, with memory.

Depends on: core, mechanics, sea, transfer.
"""

from dovetail.specimens.base import Specimen
from dovetail.specimens.contact_charts import ContactMaterialChart, ContactSpeedChart
from dovetail.specimens.contact_loop import Impact, ImpactPairing, Instruments, first_impact
from dovetail.specimens.deck_gear import DeckGear
from dovetail.specimens.docking_energy import DockingEnergyMap
from dovetail.specimens.docking_map import DockingMap
from dovetail.specimens.docking_record import DockingRecord, record
from dovetail.specimens.first_impact_sweep import FirstImpactSweep
from dovetail.specimens.funnel import Funnel
from dovetail.specimens.funnel_map import StrikeMap
from dovetail.specimens.funnel_strike import Ending, Strike, strike
from dovetail.specimens.impact_charts import ContactLawChart, DelaySweep
from dovetail.specimens.impact_flow import ImpactFlow
from dovetail.specimens.impact_pair import ImpactPair
from dovetail.specimens.impact_qualification import ImpactQualification
from dovetail.specimens.impact_validation import ImpactValidation
from dovetail.specimens.lag_damper import IdealLagDamper, LagDamper
from dovetail.specimens.load_cell import LoadCell
from dovetail.specimens.middle_mass import MiddleMass
from dovetail.specimens.probe_in_drogue import BallInCavity, ProbeInDrogue
from dovetail.specimens.relaxing_spring import RelaxingSpring
from dovetail.specimens.ribs import RibBasket
from dovetail.specimens.scaled import ScaledSpecimen
from dovetail.specimens.six_dof_loop import Docking, HilDocking, SixAxisInstruments
from dovetail.specimens.spring import Spring
from dovetail.specimens.storey import Storey
from dovetail.specimens.tennis_ball import TennisBall
from dovetail.specimens.yielding_pair import YieldingPair

__all__ = [
    "BallInCavity",
    "ContactLawChart",
    "ContactMaterialChart",
    "ContactSpeedChart",
    "DeckGear",
    "DelaySweep",
    "Docking",
    "DockingEnergyMap",
    "DockingMap",
    "DockingRecord",
    "Ending",
    "FirstImpactSweep",
    "Funnel",
    "HilDocking",
    "IdealLagDamper",
    "Impact",
    "ImpactFlow",
    "ImpactPair",
    "ImpactPairing",
    "ImpactQualification",
    "ImpactValidation",
    "Instruments",
    "LagDamper",
    "LoadCell",
    "MiddleMass",
    "ProbeInDrogue",
    "RelaxingSpring",
    "RibBasket",
    "ScaledSpecimen",
    "SixAxisInstruments",
    "Specimen",
    "Spring",
    "Storey",
    "Strike",
    "StrikeMap",
    "TennisBall",
    "YieldingPair",
    "first_impact",
    "record",
    "strike",
]
