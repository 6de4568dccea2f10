"""Atmosphere, wind, turbulence, wake, the drag of cables and bodies, what is towed, and rotors.

Depends on: core, mechanics.

Axes of everything towed: x downstream, y down, z to starboard, with the towing aircraft's attachment point as
origin and translating with it.
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
        PulledTip,
        RigidDevice,
        TipDevice,
        WingedStage,
    )
    from dovetail.air.receiver import Receiver
    from dovetail.air.rotor import (
        Attachment,
        BeamBlade,
        Blade,
        BladeAir,
        BladeModes,
        BladeStructure,
        Controls,
        CoupledRotor,
        FlappingRotor,
        HingedBlade,
        ListedBlade,
        ModalBlade,
        PilotedRotor,
        RotatingBlade,
        Rotor,
        RotorLoad,
        RotorSchedule,
        StiffBlade,
    )
    from dovetail.air.saved_state import RopeStepper
    from dovetail.air.settling_measures import Settling, settling
    from dovetail.air.speed_sweep import TowedLinks
    from dovetail.air.tanker import TankerAir
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
    "BladeAir",
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
    "ListedBlade",
    "ModalBlade",
    "NoCommand",
    "NoDevice",
    "PilotedRotor",
    "PointDevice",
    "PulledTip",
    "RampCommand",
    "Receiver",
    "RecordedAcceleration",
    "RigidDevice",
    "RopeFleet",
    "RopeStepper",
    "RotatingBlade",
    "Rotor",
    "RotorLoad",
    "RotorSchedule",
    "Settling",
    "SineSquaredPulse",
    "StandardAtmosphere",
    "SteadyWind",
    "StepCommand",
    "StiffBlade",
    "StillAir",
    "TabulatedCylinder",
    "TankerAir",
    "TipDevice",
    "TowedDrogue",
    "TowedLinks",
    "TowedRope",
    "Tug",
    "VortexPair",
    "WindDrag",
    "WindField",
    "WindFields",
    "WindTable",
    "WingedStage",
    "settling",
]
