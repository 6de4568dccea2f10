"""Links to real rigs: the rig protocol, the served rig, the tick that keeps the deadline, the `run` mode.

Depends on: core, testing.
"""

from dovetail.links.protocol import Datagram, Flag, State

__all__ = ["Datagram", "Flag", "State"]
