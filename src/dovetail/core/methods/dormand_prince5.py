"""Fifth-order method of Dormand and Prince."""

from typing import ClassVar

from dovetail.core.kinds import kind
from dovetail.core.methods.runge_kutta import RungeKutta, Tableau


@kind("dormand-prince-5")
class DormandPrince5(RungeKutta):
    """Explicit Runge-Kutta method of order 5 with six evaluations per step.

    The seventh stage of the pair only estimates the error; steps of fixed length omit it.
    Source: [Dormand & Prince 1980, table 2].
    """

    tableau: ClassVar[Tableau] = Tableau(
        a=(
            (),
            (1 / 5,),
            (3 / 40, 9 / 40),
            (44 / 45, -56 / 15, 32 / 9),
            (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
            (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        ),
        b=(35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
        c=(0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0),
        order=5,
        error=(71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40),
        error_order=5,
    )
