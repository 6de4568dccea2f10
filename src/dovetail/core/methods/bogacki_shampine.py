"""The third-order method of Bogacki and Shampine, at a fixed step, and the weights of its error."""

from typing import ClassVar

from dovetail.core.kinds import kind
from dovetail.core.methods.runge_kutta import RungeKutta, Tableau


@kind("bogacki-shampine")
class BogackiShampine(RungeKutta):
    """Three evaluations a step, order 3. `error` weighs them and the slope at the end: an estimate of order 2.

    Source: [Bogacki & Shampine 1989].
    """

    tableau: ClassVar[Tableau] = Tableau(
        a=((), (1 / 2,), (0.0, 3 / 4)),
        b=(2 / 9, 1 / 3, 4 / 9),
        c=(0.0, 1 / 2, 3 / 4),
        order=3,
    )
    error: ClassVar[tuple[float, ...]] = (-5 / 72, 1 / 12, 1 / 9, -1 / 8)
