"""Third-order method of Bogacki and Shampine."""

from typing import ClassVar

from dovetail.core.kinds import kind
from dovetail.core.methods.runge_kutta import RungeKutta, Tableau


@kind("bogacki-shampine")
class BogackiShampine(RungeKutta):
    """Explicit Runge-Kutta method of order 3 with three evaluations per step.

    The error estimate, of order 2, uses the slope at the end too.

    Source: [Bogacki & Shampine 1989].
    """

    tableau: ClassVar[Tableau] = Tableau(
        a=((), (1 / 2,), (0.0, 3 / 4)),
        b=(2 / 9, 1 / 3, 4 / 9),
        c=(0.0, 1 / 2, 3 / 4),
        order=3,
        error=(-5 / 72, 1 / 12, 1 / 9, -1 / 8),
        error_order=3,
    )
