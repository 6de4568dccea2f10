"""Rotors by blade elements and momentum: blade, sections, inflow, controls, flapping, dynamic inflow.

Depends on: core, mechanics, and of this package `air_wake`.

Axes: x forward, y to port, z up along the shaft; the rotor turns counter-clockwise seen from above, and azimuth
counts from the nose to port.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.air.rotor.blade import Blade, Elements
    from dovetail.air.rotor.controls import Controls, RotorSchedule
    from dovetail.air.rotor.dynamic_inflow import PittPeters
    from dovetail.air.rotor.flapping import FlappingRotor
    from dovetail.air.rotor.hover import hover, merit_estimate
    from dovetail.air.rotor.on_body import RotorLoad
    from dovetail.air.rotor.rotor import Disc, Rotor, RotorLoads
    from dovetail.air.rotor.section import Section, kaplan

lazily(__name__)


__all__ = [
    "Blade",
    "Controls",
    "Disc",
    "Elements",
    "FlappingRotor",
    "PittPeters",
    "Rotor",
    "RotorLoad",
    "RotorLoads",
    "RotorSchedule",
    "Section",
    "hover",
    "kaplan",
    "merit_estimate",
]
