"""Transfer system: actuators and sensors (delay, lag, limits, noise) and their identification.

Depends on: core, mechanics (rotations and poses).
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.transfer.base import Gain, Series, Transfer
    from dovetail.transfer.bias import Bias
    from dovetail.transfer.capacity_limit import CapacityLimit
    from dovetail.transfer.controller import PID, Controller, Proportional
    from dovetail.transfer.cross_talk import CrossTalk
    from dovetail.transfer.dead_zone import DeadZone
    from dovetail.transfer.delay import Delay
    from dovetail.transfer.eddy_current import EddyCurrentSensor
    from dovetail.transfer.friction import Stiction
    from dovetail.transfer.hexapod import Hexapod
    from dovetail.transfer.hexapod_robot import HexapodRobot
    from dovetail.transfer.inner_loop import InnerLoop
    from dovetail.transfer.lag import FirstOrderLag, SecondOrderLag
    from dovetail.transfer.linear import LinearTransfer
    from dovetail.transfer.noise import ColouredNoise, RelativeNoise, WhiteNoise
    from dovetail.transfer.piezo import PiezoActuator
    from dovetail.transfer.position_loop import PositionLoop
    from dovetail.transfer.quantiser import Quantiser
    from dovetail.transfer.robot import Arm, ForceTorqueSensor, RobotArms, VelocityInterface
    from dovetail.transfer.saturation import AmplitudeLimit, RateLimit
    from dovetail.transfer.sensor import Hysteresis, LinearityError
    from dovetail.transfer.servo_hydraulic import ServoHydraulic
    from dovetail.transfer.shaped_noise import ShapedNoise
    from dovetail.transfer.threshold import Threshold
    from dovetail.transfer.total_delay import TotalDelayLag
    from dovetail.transfer.transfer_function import TransferFunction
    from dovetail.transfer.two_degree_controller import TwoDegreesOfFreedom

lazily(__name__)


__all__ = [
    "PID",
    "AmplitudeLimit",
    "Arm",
    "Bias",
    "CapacityLimit",
    "ColouredNoise",
    "Controller",
    "CrossTalk",
    "DeadZone",
    "Delay",
    "EddyCurrentSensor",
    "FirstOrderLag",
    "ForceTorqueSensor",
    "Gain",
    "Hexapod",
    "HexapodRobot",
    "Hysteresis",
    "InnerLoop",
    "LinearTransfer",
    "LinearityError",
    "PiezoActuator",
    "PositionLoop",
    "Proportional",
    "Quantiser",
    "RateLimit",
    "RelativeNoise",
    "RobotArms",
    "SecondOrderLag",
    "Series",
    "ServoHydraulic",
    "ShapedNoise",
    "Stiction",
    "Threshold",
    "TotalDelayLag",
    "Transfer",
    "TransferFunction",
    "TwoDegreesOfFreedom",
    "VelocityInterface",
    "WhiteNoise",
]
