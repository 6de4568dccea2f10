"""Rigid airframes with flexible landing gears: plane and space, gears, struts, loads, the whole aircraft.

Depends on: core, and of this package `beam`, `collision`, `contact`, `friction`,
`securing` and `spatial`.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.airframe.aircraft import Airframe, DeckAircraft
    from dovetail.mechanics.airframe.forms import FormsChart
    from dovetail.mechanics.airframe.gear import GearModel, NodalGear
    from dovetail.mechanics.airframe.loads import BodyLoad, BodyMotion, GivenForce
    from dovetail.mechanics.airframe.modal_gear import ModalGear
    from dovetail.mechanics.airframe.outcomes import DeckLimits, Fate, Phase, fate, phases
    from dovetail.mechanics.airframe.probe import ProbeAndGrid
    from dovetail.mechanics.airframe.skids import LandingGear, SkidGear, WheelGear
    from dovetail.mechanics.airframe.struts import Oleo, SpringDamperStrut, Strut, StrutLaw

lazily(__name__)


__all__ = [
    "Airframe",
    "BodyLoad",
    "BodyMotion",
    "DeckAircraft",
    "DeckLimits",
    "Fate",
    "FormsChart",
    "GearModel",
    "GivenForce",
    "LandingGear",
    "ModalGear",
    "NodalGear",
    "Oleo",
    "Phase",
    "ProbeAndGrid",
    "SkidGear",
    "SpringDamperStrut",
    "Strut",
    "StrutLaw",
    "WheelGear",
    "fate",
    "phases",
]
