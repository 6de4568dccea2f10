"""The creep mode: pseudo-dynamic tests, in which the test's time stands still while a robot moves.

Depends on: core, specimens, transfer.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.testing.pseudodynamic.cell import Cell, Move, Reply
    from dovetail.testing.pseudodynamic.gate import AlwaysNear, ContactGate, NearPlane, NearSignal
    from dovetail.testing.pseudodynamic.settings import Stepping
    from dovetail.testing.pseudodynamic.virtual_cell import VirtualCell

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
