"""Rigid airframes with flexible landing gears: plane and space, gears, struts, loads, the whole aircraft.

Depends on: core, and of this package `beam`, `collision`, `securing` and `spatial`.
"""

from dovetail.mechanics.airframe.aircraft import Airframe, DeckAircraft
from dovetail.mechanics.airframe.gear import GearModel, ModalGear, NodalGear
from dovetail.mechanics.airframe.loads import BodyLoad, BodyMotion, GivenForce
from dovetail.mechanics.airframe.skids import LandingGear, SkidGear, WheelGear
from dovetail.mechanics.airframe.struts import Oleo, SpringDamperStrut, Strut, StrutLaw

__all__ = [
    "Airframe",
    "BodyLoad",
    "BodyMotion",
    "DeckAircraft",
    "GearModel",
    "GivenForce",
    "LandingGear",
    "ModalGear",
    "NodalGear",
    "Oleo",
    "SkidGear",
    "SpringDamperStrut",
    "Strut",
    "StrutLaw",
    "WheelGear",
]
