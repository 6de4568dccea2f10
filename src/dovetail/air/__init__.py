"""Atmosphere, wind, turbulence, wakes, drag of cables and bodies, towed ropes and hoses, rotors.

Depends on: core, mechanics.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.air.aircraft import (
        Accelerating,
        RecordedAcceleration,
        SineSquaredPulse,
        Tug,
    )
    from dovetail.air.atmosphere import StandardAtmosphere
    from dovetail.air.bow_wave import HalfBody
    from dovetail.air.commands import Command, Doublet, HoldPosition, NoCommand, RampCommand, StepCommand
    from dovetail.air.cylinder import AlongAndAcross, CableDrag, CrossFlow, TabulatedCylinder
    from dovetail.air.drogue import TowedDrogue
    from dovetail.air.drogue_hose import DrogueHose
    from dovetail.air.flat_plate import FlatPlates, WindDrag
    from dovetail.air.fleet import RopeFleet
    from dovetail.air.latched_hose import LatchedHose
    from dovetail.air.latching_device import (
        LaggedDevice,
        NoDevice,
        PointDevice,
        RigidDevice,
        TipDevice,
        TipForce,
        WingedStage,
    )
    from dovetail.air.receiver import Receiver
    from dovetail.air.rotor import (
        Attachment,
        BeamBlade,
        Blade,
        BladeAerodynamics,
        BladeModes,
        BladeStructure,
        Controls,
        CoupledRotor,
        FlappingRotor,
        HingedBlade,
        ModalBlade,
        PilotedRotor,
        RigidBlade,
        RotatingBlade,
        Rotor,
        RotorLoad,
        RotorSchedule,
        TabulatedBlade,
    )
    from dovetail.air.saved_state import RopeStepper
    from dovetail.air.settling_measures import SettlingMeasures, settling_measures
    from dovetail.air.speed_sweep import TowedLinkBatch
    from dovetail.air.towed_line import TowedLine
    from dovetail.air.towed_rope import TowedRope
    from dovetail.air.turbulence import Dryden, GustyWind
    from dovetail.air.wake import GriddedWake, VortexPair
    from dovetail.air.wind import SteadyWind, StillAir, WindField, WindFields, WindTable

lazily(__name__)


__all__ = [
    "Accelerating",
    "AlongAndAcross",
    "Attachment",
    "BeamBlade",
    "Blade",
    "BladeAerodynamics",
    "BladeModes",
    "BladeStructure",
    "CableDrag",
    "Command",
    "Controls",
    "CoupledRotor",
    "CrossFlow",
    "Doublet",
    "DrogueHose",
    "Dryden",
    "FlappingRotor",
    "FlatPlates",
    "GriddedWake",
    "GustyWind",
    "HalfBody",
    "HingedBlade",
    "HoldPosition",
    "LaggedDevice",
    "LatchedHose",
    "ModalBlade",
    "NoCommand",
    "NoDevice",
    "PilotedRotor",
    "PointDevice",
    "RampCommand",
    "Receiver",
    "RecordedAcceleration",
    "RigidBlade",
    "RigidDevice",
    "RopeFleet",
    "RopeStepper",
    "RotatingBlade",
    "Rotor",
    "RotorLoad",
    "RotorSchedule",
    "SettlingMeasures",
    "SineSquaredPulse",
    "StandardAtmosphere",
    "SteadyWind",
    "StepCommand",
    "StillAir",
    "TabulatedBlade",
    "TabulatedCylinder",
    "TipDevice",
    "TipForce",
    "TowedDrogue",
    "TowedLine",
    "TowedLinkBatch",
    "TowedRope",
    "Tug",
    "VortexPair",
    "WindDrag",
    "WindField",
    "WindFields",
    "WindTable",
    "WingedStage",
    "settling_measures",
]
