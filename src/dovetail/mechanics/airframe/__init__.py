"""Aircraft with a rigid airframe and flexible landing gear, in the plane and in space.

Depends on: core, and of this package `beam`, `bodies`, `collision`, `contact`, `friction`,
`motion`, `securing` and `spatial`.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.airframe.aircraft import DeckAircraft
    from dovetail.mechanics.airframe.deck_probe import ProbeAndGrid
    from dovetail.mechanics.airframe.formulation_comparison import FormulationComparison
    from dovetail.mechanics.airframe.gear import GearModel, NodalGear
    from dovetail.mechanics.airframe.modal_gear import ModalGear
    from dovetail.mechanics.airframe.outcomes import DeckLimits, DeckOutcome, Phase, deck_outcome, phases
    from dovetail.mechanics.airframe.reduced_aircraft import AirBody, DeckMotion, ReducedAircraft, deck_motion
    from dovetail.mechanics.airframe.skids import LandingGear, SkidGear, WheelGear
    from dovetail.mechanics.airframe.struts import Oleo, SpringDamperStrut, Strut, StrutLaw

lazily(__name__)


__all__ = [
    "AirBody",
    "DeckAircraft",
    "DeckLimits",
    "DeckMotion",
    "DeckOutcome",
    "FormulationComparison",
    "GearModel",
    "LandingGear",
    "ModalGear",
    "NodalGear",
    "Oleo",
    "Phase",
    "ProbeAndGrid",
    "ReducedAircraft",
    "SkidGear",
    "SpringDamperStrut",
    "Strut",
    "StrutLaw",
    "WheelGear",
    "deck_motion",
    "deck_outcome",
    "phases",
]
