"""Links to real rigs and other programs: the rig protocol, the `run` mode, OpenSees, FMI, robots.

Depends on: core, mechanics, transfer, specimens, testing.
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.links import egm, fmi, ring
    from dovetail.links.address import Address, read_key, write_key
    from dovetail.links.cell_check import Finding, check_cell
    from dovetail.links.cell_server import CellServer
    from dovetail.links.connection import Connection, connect
    from dovetail.links.handshake import Hello, Welcome
    from dovetail.links.opensees_adapter import AdapterPlant
    from dovetail.links.real_time import Operator, RealTime, run_realtime
    from dovetail.links.remote_cell import RemoteCell
    from dovetail.links.remote_rig import RemoteRig
    from dovetail.links.rig_program import VirtualPlant
    from dovetail.links.rig_protocol import Datagram, Flag, State
    from dovetail.links.ring import Window
    from dovetail.links.serve import Server
    from dovetail.links.session import Plant, Session
    from dovetail.links.tick import PythonTick, Settings
    from dovetail.links.tick_budget import Budget, budget

lazily(__name__)


__all__ = [
    "AdapterPlant",
    "Address",
    "Budget",
    "CellServer",
    "Connection",
    "Datagram",
    "Finding",
    "Flag",
    "Hello",
    "Operator",
    "Plant",
    "PythonTick",
    "RealTime",
    "RemoteCell",
    "RemoteRig",
    "Server",
    "Session",
    "Settings",
    "State",
    "VirtualPlant",
    "Welcome",
    "Window",
    "budget",
    "check_cell",
    "connect",
    "egm",
    "fmi",
    "read_key",
    "ring",
    "run_realtime",
    "write_key",
]
