"""Classical Runge-Kutta method of fourth order, the default of the loop."""

from typing import ClassVar

from dovetail.core.kinds import kind
from dovetail.core.methods.runge_kutta import RungeKutta, Tableau


@kind("rk4")
class RK4(RungeKutta):
    """Classical Runge-Kutta method of order 4 with four evaluations per step.

    Stable to h |lambda| = 2.83 on the imaginary axis and 2.79 on the real axis.
    Source: [Hairer, Norsett & Wanner 1993, table II.1.2].
    """

    tableau: ClassVar[Tableau] = Tableau(
        a=((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)),
        b=(1 / 6, 1 / 3, 1 / 3, 1 / 6),
        c=(0.0, 1 / 2, 1 / 2, 1.0),
        order=4,
    )
