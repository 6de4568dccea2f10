"""Atmosphere, wind, turbulence, wake, the drag of cables, and what is towed on them.

Depends on: core, mechanics.

Axes of everything towed: x downstream, y down, z to starboard, with the towing aircraft's attachment point as
origin and translating with it.
"""

from dovetail.air.aircraft import (
    Accelerating,
    RecordedAcceleration,
    SineSquaredPulse,
    SteadyFlight,
    SupportMotion,
    Tug,
)
from dovetail.air.atmosphere import StandardAtmosphere
from dovetail.air.commands import Command, Doublet, HoldPosition, NoCommand, RampCommand, StepCommand
from dovetail.air.cylinder import CableDrag, CrossFlow, TabulatedCylinder
from dovetail.air.device import (
    LaggedDevice,
    NoDevice,
    PointDevice,
    PulledTip,
    RigidDevice,
    TipDevice,
    WingedStage,
)
from dovetail.air.fleet import RopeFleet
from dovetail.air.settling import Settling, settling
from dovetail.air.towed import TowedRope
from dovetail.air.turbulence import Dryden, StillAir
from dovetail.air.wake import GriddedWake, NoWake, VortexPair, Wake

__all__ = [
    "Accelerating",
    "CableDrag",
    "Command",
    "CrossFlow",
    "Doublet",
    "Dryden",
    "GriddedWake",
    "HoldPosition",
    "LaggedDevice",
    "NoCommand",
    "NoDevice",
    "NoWake",
    "PointDevice",
    "PulledTip",
    "RampCommand",
    "RecordedAcceleration",
    "RigidDevice",
    "RopeFleet",
    "Settling",
    "SineSquaredPulse",
    "StandardAtmosphere",
    "SteadyFlight",
    "StepCommand",
    "StillAir",
    "SupportMotion",
    "TabulatedCylinder",
    "TipDevice",
    "TowedRope",
    "Tug",
    "VortexPair",
    "Wake",
    "WingedStage",
    "settling",
]
