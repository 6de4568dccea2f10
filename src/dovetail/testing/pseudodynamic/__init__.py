"""Pseudo-dynamic tests: simulation time is paused while a robot moves; the force is measured at rest.

Depends on: core, specimens, transfer, excitation.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.testing.pseudodynamic.cell import Cell, MoveReply, MoveRequest
    from dovetail.testing.pseudodynamic.gate import AlwaysOn, ClearanceGate, ContactGate, PlaneGate
    from dovetail.testing.pseudodynamic.settings import PseudodynamicSettings
    from dovetail.testing.pseudodynamic.virtual_cell import VirtualCell

lazily(__name__)


__all__ = [
    "AlwaysOn",
    "Cell",
    "ClearanceGate",
    "ContactGate",
    "MoveReply",
    "MoveRequest",
    "PlaneGate",
    "PseudodynamicSettings",
    "VirtualCell",
]
