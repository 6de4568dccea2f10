r"""A load cell that also carries a moving mass, and its compensation.

Between cell and specimen sit an adapter and the specimen's own end. Their inertia is in the reading,
:math:`F_{cell} = F + m_{added}\,\ddot x`, and is taken out again with an accelerometer,
:math:`F = F_{cell} - k_{lc}\,a_{lc}` [Wallace 2006, eq. 6.1]. With a
`compensation` equal to the added mass nothing is left.
"""

from __future__ import annotations

from typing import ClassVar

import jax

from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.specimens.base import Specimen


@kind("load-cell")
class LoadCell(Specimen):
    """A specimen seen through a load cell: its force with what is left of the added mass's inertia.

    A specimen itself (motion in, force out), to be put in its place. The force is that on the numerical
    substructure, so inertia enters it with a minus: -(added_mass - compensation) times acceleration.
    What is left is recorded as `uncompensated_inertia`.
    """

    inertial: ClassVar[bool] = True

    specimen: Specimen
    added_mass: jax.Array = parameter("kg", "mass between cell and specimen", at_least=0.0)
    compensation: jax.Array = parameter("kg", "mass whose inertia is subtracted", default=0.0, at_least=0.0)

    def init(self) -> State:
        return self.specimen.init()

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return self.specimen.derivative(t, x, u)

    def jump(self, t: Time, x: State, u: Input) -> State:
        return self.specimen.jump(t, x, u)

    def output(self, t: Time, x: State, u: Input) -> Output:
        signals = self.specimen.output(t, x, u)
        left = (self.added_mass - self.compensation) * u["acceleration"]
        return {**signals, "force": signals["force"] - left, "uncompensated_inertia": -left}
