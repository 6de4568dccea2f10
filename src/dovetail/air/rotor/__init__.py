"""Blades and rotors: elastic blades, blade aerodynamics, hub, controls, lag damper, rotor on an airframe.

Depends on: core, mechanics, and `wind` of this package.

Axes: x forward, y to port, z up along the shaft. The rotor turns counter-clockwise seen from above. Azimuth is measured
from the nose to port.

================ =================================================================================================
blade            `Blade` (chord, twist, polars along the radius), `Section` (lift and drag), `BladeStructure` (modes)
aerodynamics     `Rotor` (elements over the disc, `inflow`), `PittPeters` (wake), `BladeAerodynamics` (modal forcing)
flapping         `tip_path` (coning and tilt), `FlappingRotor` (with states)
lag              `Attachment` (of the damper), `ModalBlade`, `RotatingBlade`, `CoupledRotor` (moving hub)
on an airframe   `RotorLoad`, `PilotedRotor`, `Controls`, `RotorSchedule`
================ =================================================================================================
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.air.rotor.beam_blade import BeamBlade
    from dovetail.air.rotor.blade import Blade, BladeElements
    from dovetail.air.rotor.blade_air import BladeAerodynamics
    from dovetail.air.rotor.blade_attachment import Attachment, piston_velocity
    from dovetail.air.rotor.controls import Controls, RotorSchedule
    from dovetail.air.rotor.coupled import CoupledRotor
    from dovetail.air.rotor.dynamic_inflow import PittPeters
    from dovetail.air.rotor.flapping import FlappingRotor
    from dovetail.air.rotor.forcing import fourier_coefficients, fourier_series
    from dovetail.air.rotor.hover import estimate_figure_of_merit, hover
    from dovetail.air.rotor.modal import ModalBlade
    from dovetail.air.rotor.modes import BladeModes
    from dovetail.air.rotor.piloted import PilotedRotor
    from dovetail.air.rotor.rotating_blade import RotatingBlade
    from dovetail.air.rotor.rotor import Rotor, RotorDiscState, RotorLoads
    from dovetail.air.rotor.rotor_on_body import RotorLoad
    from dovetail.air.rotor.section import Section, kaplan
    from dovetail.air.rotor.structure import (
        BladeShapes,
        BladeStructure,
        HingedBlade,
        RigidBlade,
        TabulatedBlade,
    )

lazily(__name__)


__all__ = [
    "Attachment",
    "BeamBlade",
    "Blade",
    "BladeAerodynamics",
    "BladeElements",
    "BladeModes",
    "BladeShapes",
    "BladeStructure",
    "Controls",
    "CoupledRotor",
    "FlappingRotor",
    "HingedBlade",
    "ModalBlade",
    "PilotedRotor",
    "PittPeters",
    "RigidBlade",
    "RotatingBlade",
    "Rotor",
    "RotorDiscState",
    "RotorLoad",
    "RotorLoads",
    "RotorSchedule",
    "Section",
    "TabulatedBlade",
    "estimate_figure_of_merit",
    "fourier_coefficients",
    "fourier_series",
    "hover",
    "kaplan",
    "piston_velocity",
]
