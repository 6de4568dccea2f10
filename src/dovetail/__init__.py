"""Dovetail: a workbench for hybrid tests.

In a hybrid test one part of a machine is real, or a detailed virtual stand-in, and the rest is simulated;
they are joined at an interface by actuators and sensors with delay, lag, noise and limits of their own.

>>> import dovetail as dv
>>> test = dv.Test(
...     numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
...     rig=dv.Rig(actuator=dv.transfer.Delay(3e-3), specimen=dv.specimens.Spring(k=2250.0)),
...     excitation=dv.Sine(amplitude=0.012, frequency=3.0),
...     rate=1000.0,
...     duration=2.0,
... )
>>> test.rehearse().outcome.name
'FINISHED'

Names are loaded when they are first used, so that importing Dovetail, and asking its command line for
help, costs next to nothing.
"""

from importlib import import_module as _import_module
from importlib import metadata as _metadata
from typing import Any as _Any

__version__ = _metadata.version("dovetail")

_ROOMS = (
    "air",
    "campaign",
    "compensation",
    "core",
    "design",
    "fidelity",
    "links",
    "mechanics",
    "report",
    "sea",
    "specimens",
    "stability",
    "studies",
    "testing",
    "transfer",
)
_NAMES = {
    "Block": "core",
    "Flow": "core",
    "Sampled": "core",
    "Limits": "testing",
    "Outcome": "testing",
    "Ramp": "testing",
    "Rig": "testing",
    "Run": "testing",
    "Switch": "testing",
    "Test": "testing",
    "load": "testing",
    "simulate": "testing",
    "Pulse": "testing.excitation",
    "Rest": "testing.excitation",
    "Sine": "testing.excitation",
    "Step": "testing.excitation",
    "SumOfSines": "testing.excitation",
    "Sweep": "testing.excitation",
    "Table": "testing.excitation",
    "WhiteNoise": "testing.excitation",
}
__all__ = ["__version__", *_ROOMS, *_NAMES]


def __getattr__(name: str) -> _Any:
    if name in _ROOMS:
        return _import_module(f"dovetail.{name}")
    if name in _NAMES:
        return getattr(_import_module(f"dovetail.{_NAMES[name]}"), name)
    raise AttributeError(f"module 'dovetail' has no attribute {name!r}; it has {', '.join(sorted(__all__))}")


def __dir__() -> list[str]:
    return sorted(__all__)
