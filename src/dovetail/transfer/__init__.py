"""What imposes motion on the specimen and measures it: delay, lag, limits, noise, and their identification.

Depends on: core.
"""

from dovetail.transfer.base import Gain, Series, Transfer
from dovetail.transfer.bias import Bias
from dovetail.transfer.dead_zone import DeadZone
from dovetail.transfer.delay import Delay
from dovetail.transfer.lag import FirstOrderLag, SecondOrderLag
from dovetail.transfer.linear import LinearTransfer
from dovetail.transfer.noise import ColouredNoise, WhiteNoise
from dovetail.transfer.quantiser import Quantiser
from dovetail.transfer.saturation import AmplitudeLimit, RateLimit
from dovetail.transfer.transfer_function import TransferFunction

__all__ = [
    "AmplitudeLimit",
    "Bias",
    "ColouredNoise",
    "DeadZone",
    "Delay",
    "FirstOrderLag",
    "Gain",
    "LinearTransfer",
    "Quantiser",
    "RateLimit",
    "SecondOrderLag",
    "Series",
    "Transfer",
    "TransferFunction",
    "WhiteNoise",
]
