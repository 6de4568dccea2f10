"""Rigid airframes with flexible landing gears: plane and space, gears, struts, loads, the whole aircraft.

Depends on: core, and of this package `beam`, `bodies`, `collision`, `contact`, `friction`,
`motion`, `securing` and `spatial`.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.airframe.aircraft import DeckAircraft
    from dovetail.mechanics.airframe.deck_probe import ProbeAndGrid
    from dovetail.mechanics.airframe.formulation_comparison import FormsChart
    from dovetail.mechanics.airframe.gear import GearModel, NodalGear
    from dovetail.mechanics.airframe.modal_gear import ModalGear
    from dovetail.mechanics.airframe.outcomes import DeckLimits, Fate, Phase, fate, phases
    from dovetail.mechanics.airframe.reduced_aircraft import AirBody, DeckFeel, SprungAircraft, deck_feel
    from dovetail.mechanics.airframe.skids import LandingGear, SkidGear, WheelGear
    from dovetail.mechanics.airframe.struts import Oleo, SpringDamperStrut, Strut, StrutLaw

lazily(__name__)


__all__ = [
    "AirBody",
    "DeckAircraft",
    "DeckFeel",
    "DeckLimits",
    "Fate",
    "FormsChart",
    "GearModel",
    "LandingGear",
    "ModalGear",
    "NodalGear",
    "Oleo",
    "Phase",
    "ProbeAndGrid",
    "SkidGear",
    "SpringDamperStrut",
    "SprungAircraft",
    "Strut",
    "StrutLaw",
    "WheelGear",
    "deck_feel",
    "fate",
    "phases",
]
