"""Dovetail: design, simulate and run hybrid tests.

In a hybrid test one component is on a rig, real or simulated, and the rest of the machine is simulated. Actuators and
sensors with delay, lag, noise and limits join the two at an interface.

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

Names are loaded when they are first used, so that `import dovetail` and `dovetail --help` are quick.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily as _lazily

if TYPE_CHECKING:
    from dovetail import (
        air,
        app,
        assess,
        campaign,
        compensation,
        core,
        fidelity,
        links,
        mechanics,
        report,
        scene,
        sea,
        specimens,
        stability,
        studies,
        testing,
        transfer,
        view,
    )
    from dovetail.core import Block, Flow, Sampled
    from dovetail.studies import load
    from dovetail.testing import Accept, Limits, Outcome, Ramp, Rig, Run, Switch, Test, simulate
    from dovetail.testing.excitation import (
        Pulse,
        Sine,
        Step,
        SumOfSines,
        Sweep,
        Table,
        WhiteNoiseExcitation,
        Zero,
    )

__version__ = "0.1.0"  # as in pyproject.toml

_lazily(__name__)

__all__ = [
    "Accept",
    "Block",
    "Flow",
    "Limits",
    "Outcome",
    "Pulse",
    "Ramp",
    "Rig",
    "Run",
    "Sampled",
    "Sine",
    "Step",
    "SumOfSines",
    "Sweep",
    "Switch",
    "Table",
    "Test",
    "WhiteNoiseExcitation",
    "Zero",
    "__version__",
    "air",
    "app",
    "assess",
    "campaign",
    "compensation",
    "core",
    "fidelity",
    "links",
    "load",
    "mechanics",
    "report",
    "scene",
    "sea",
    "simulate",
    "specimens",
    "stability",
    "studies",
    "testing",
    "transfer",
    "view",
]
