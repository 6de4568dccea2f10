"""Links to rigs and other programs: rig protocol, real-time mode, OpenSees, FMI, robots.

Depends on: core, mechanics, transfer, specimens, testing.
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.links import egm, fmi, ring
    from dovetail.links.address import Address, read_key, write_key
    from dovetail.links.cell_check import ProtocolCheck, check_cell
    from dovetail.links.cell_server import CellServer
    from dovetail.links.connection import RigConnection, connect
    from dovetail.links.handshake import Hello, Welcome
    from dovetail.links.opensees_adapter import AdapterPlant
    from dovetail.links.real_time import Operator, RealTime, RealTimeSettings, run_realtime
    from dovetail.links.remote_cell import RemoteCell
    from dovetail.links.remote_rig import RemoteRig
    from dovetail.links.rig_program import VirtualPlant
    from dovetail.links.rig_protocol import Datagram, RigState, SafeStateReason
    from dovetail.links.ring import RingReader
    from dovetail.links.serve import RigServer
    from dovetail.links.session import Plant, Session
    from dovetail.links.tick import PythonTick, TickSettings
    from dovetail.links.tick_budget import TickBudget, tick_budget

lazily(__name__)


__all__ = [
    "AdapterPlant",
    "Address",
    "CellServer",
    "Datagram",
    "Hello",
    "Operator",
    "Plant",
    "ProtocolCheck",
    "PythonTick",
    "RealTime",
    "RealTimeSettings",
    "RemoteCell",
    "RemoteRig",
    "RigConnection",
    "RigServer",
    "RigState",
    "RingReader",
    "SafeStateReason",
    "Session",
    "TickBudget",
    "TickSettings",
    "VirtualPlant",
    "Welcome",
    "check_cell",
    "connect",
    "egm",
    "fmi",
    "read_key",
    "ring",
    "run_realtime",
    "tick_budget",
    "write_key",
]
