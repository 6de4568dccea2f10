"""Models of bodies, contact, chains, airframes and numerical substructures.

Depends on: core.
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.airframe import DeckAircraft
    from dovetail.mechanics.base import Substructure
    from dovetail.mechanics.bodies import FreeBodies, MassProperties, RigidBody
    from dovetail.mechanics.bond_graph import BondGraph, Node
    from dovetail.mechanics.contact import FreePair
    from dovetail.mechanics.drop_mass import DropMass
    from dovetail.mechanics.frame import Frame
    from dovetail.mechanics.function_model import FunctionModel
    from dovetail.mechanics.geometry import Drogue, SolidCavity
    from dovetail.mechanics.oscillator import Oscillator
    from dovetail.mechanics.prescribed import PrescribedSine
    from dovetail.mechanics.state_space_model import StateSpaceModel
    from dovetail.mechanics.transfer_function_model import TransferFunctionModel

lazily(__name__)


__all__ = [
    "BondGraph",
    "DeckAircraft",
    "Drogue",
    "DropMass",
    "Frame",
    "FreeBodies",
    "FreePair",
    "FunctionModel",
    "MassProperties",
    "Node",
    "Oscillator",
    "PrescribedSine",
    "RigidBody",
    "SolidCavity",
    "StateSpaceModel",
    "Substructure",
    "TransferFunctionModel",
]
