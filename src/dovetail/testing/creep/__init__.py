"""The creep mode: pseudo-dynamic tests, in which the test's time stands still while a robot moves.

Depends on: core, specimens, transfer.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.testing.creep.cell import Cell, Move, Reply
    from dovetail.testing.creep.gate import AlwaysNear, ContactGate, NearPlane, NearSignal
    from dovetail.testing.creep.settings import Stepping
    from dovetail.testing.creep.virtual_cell import VirtualCell

lazily(__name__)


__all__ = [
    "AlwaysNear",
    "Cell",
    "ContactGate",
    "Move",
    "NearPlane",
    "NearSignal",
    "Reply",
    "Stepping",
    "VirtualCell",
]
