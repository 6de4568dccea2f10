"""Bodies and what acts between them; knows no study.

Depends on: core.
"""

from dovetail.mechanics.base import Substructure
from dovetail.mechanics.bond_graph import BondGraph, Node
from dovetail.mechanics.frame import Frame
from dovetail.mechanics.function_model import FunctionModel
from dovetail.mechanics.oscillator import Oscillator
from dovetail.mechanics.state_space_model import StateSpaceModel
from dovetail.mechanics.transfer_function_model import TransferFunctionModel

__all__ = [
    "BondGraph",
    "Frame",
    "FunctionModel",
    "Node",
    "Oscillator",
    "StateSpaceModel",
    "Substructure",
    "TransferFunctionModel",
]
