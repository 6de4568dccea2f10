"""Blades and rotors: how a blade gives, what the air does to it, hub, controls, lag damper, a rotor on an airframe.

Depends on: core, mechanics, and of this package `wind`.

Axes: x forward, y to port, z up along the shaft; the rotor turns counter-clockwise seen from above, and azimuth
counts from the nose to port.

================ =================================================================================================
a blade          `Blade` (chord, twist, polars along the radius), `Section` (lift and drag), `BladeStructure` (modes)
its air          `Rotor` (elements over the disc, `inflow`), `PittPeters` (a wake's memory), `BladeAir` (on modes)
flapping         `tip_path` (cone and tilt), `FlappingRotor` (as states)
lag              `Attachment` (of a damper), `ModalBlade`, `RotatingBlade`, `CoupledRotor` (a hub that moves)
on an airframe   `RotorLoad`, `PilotedRotor`, `Controls`, `RotorSchedule`
================ =================================================================================================
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.air.rotor.beam_blade import BeamBlade
    from dovetail.air.rotor.blade import Blade, Elements
    from dovetail.air.rotor.blade_air import BladeAir
    from dovetail.air.rotor.blade_attachment import Attachment, piston_velocity
    from dovetail.air.rotor.controls import Controls, RotorSchedule
    from dovetail.air.rotor.coupled import CoupledRotor
    from dovetail.air.rotor.dynamic_inflow import PittPeters
    from dovetail.air.rotor.flapping import FlappingRotor
    from dovetail.air.rotor.forcing import coefficients_of, series
    from dovetail.air.rotor.hover import hover, merit_estimate
    from dovetail.air.rotor.modal import ModalBlade
    from dovetail.air.rotor.modes import BladeModes
    from dovetail.air.rotor.piloted import PilotedRotor
    from dovetail.air.rotor.rotating_blade import RotatingBlade
    from dovetail.air.rotor.rotor import Disc, Rotor, RotorLoads
    from dovetail.air.rotor.rotor_on_body import RotorLoad
    from dovetail.air.rotor.section import Section, kaplan
    from dovetail.air.rotor.structure import BladeStructure, HingedBlade, ListedBlade, Shapes, StiffBlade

lazily(__name__)


__all__ = [
    "Attachment",
    "BeamBlade",
    "Blade",
    "BladeAir",
    "BladeModes",
    "BladeStructure",
    "Controls",
    "CoupledRotor",
    "Disc",
    "Elements",
    "FlappingRotor",
    "HingedBlade",
    "ListedBlade",
    "ModalBlade",
    "PilotedRotor",
    "PittPeters",
    "RotatingBlade",
    "Rotor",
    "RotorLoad",
    "RotorLoads",
    "RotorSchedule",
    "Section",
    "Shapes",
    "StiffBlade",
    "coefficients_of",
    "hover",
    "kaplan",
    "merit_estimate",
    "piston_velocity",
    "series",
]
