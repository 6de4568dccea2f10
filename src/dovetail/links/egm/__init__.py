"""Externally Guided Motion (EGM) of ABB: a simulated arm with its controller, and a driver for arms.

EGM is protobuf over UDP at 250 Hz. The controller starts: every 4 ms it sends an `EgmRobot` message (position of the
arm) to its configured address, and receives `EgmSensor` messages (target). Lengths in messages are in millimetres and
joint angles in degrees; in Dovetail they are in metres and radians. EGM has no authentication: use the network of the
robot only.

Depends on: core, mechanics, transfer.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.links.egm.controller import ControllerAxes, VirtualController
    from dovetail.links.egm.driver import EgmDriver, EgmPlant, RobotState
    from dovetail.links.egm.messages import decode, encode

lazily(__name__)


__all__ = ["ControllerAxes", "EgmDriver", "EgmPlant", "RobotState", "VirtualController", "decode", "encode"]
