"""ABB's Externally Guided Motion: a virtual arm that speaks it as the controller does, and a driver for arms.

EGM is protobuf over UDP at 250 Hz. The controller begins: every 4 ms it sends an `EgmRobot` (where the arm is) to
the address it is set up with, and takes `EgmSensor` messages (where it should go) back. On the wire lengths are in
millimetres and joints in degrees; everywhere here they are in metres and radians. There is no authentication in it:
keep it on the robot's own network.

Depends on: core, mechanics, transfer.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.links.egm.controller import Axes, VirtualController
    from dovetail.links.egm.driver import EgmDriver, EgmPlant, RobotState
    from dovetail.links.egm.messages import decode, encode

lazily(__name__)


__all__ = ["Axes", "EgmDriver", "EgmPlant", "RobotState", "VirtualController", "decode", "encode"]
