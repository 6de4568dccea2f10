r"""Load cell with an added moving mass, and its inertia compensation.

An adapter and the specimen's end are between the cell and the specimen. Their inertia is part of the measurement,
:math:`F_{cell} = F + m_{added}\,\ddot x`, and is subtracted with an accelerometer,
:math:`F = F_{cell} - k_{lc}\,a_{lc}` [Wallace 2006, eq. 6.1]. With a compensated mass equal to the added mass the
residual is zero.
"""

from __future__ import annotations

from typing import ClassVar

import jax

from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.specimens.base import Specimen


@kind("load-cell")
class LoadCell(Specimen):
    """Specimen measured by a load cell: its force plus the residual inertia force of the added mass.

    It replaces the specimen (motion in, force out). The force is the force on the numerical substructure, so inertia
    has a minus sign: -(added_mass - compensated_mass) times acceleration. The residual is recorded as
    `residual_inertia_force`.
    """

    inertial: ClassVar[bool] = True

    specimen: Specimen
    added_mass: Parameter = parameter("kg", "mass between cell and specimen", at_least=0.0)
    compensated_mass: Parameter = parameter(
        "kg", "mass whose inertia is subtracted", default=0.0, at_least=0.0
    )

    def init(self) -> State:
        return self.specimen.init()

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return self.specimen.derivative(t, x, u)

    def jump(self, t: Time, x: State, u: Input) -> State:
        return self.specimen.jump(t, x, u)

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        return self.specimen.guards(t, x, u)

    def output(self, t: Time, x: State, u: Input) -> Output:
        signals = self.specimen.output(t, x, u)
        residual = (self.added_mass - self.compensated_mass) * u["acceleration"]
        return {**signals, "force": signals["force"] - residual, "residual_inertia_force": -residual}
