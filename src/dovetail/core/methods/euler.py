"""Explicit Euler method: first order, one evaluation per step."""

from typing import ClassVar

from dovetail.core.kinds import kind
from dovetail.core.methods.runge_kutta import RungeKutta, Tableau


@kind("euler")
class Euler(RungeKutta):
    r"""Explicit Euler method of order 1, the cheapest method.

    .. math:: x_{n+1} = x_n + h f(t_n, x_n, u)

    An undamped oscillation grows at every step size. Use the method for comparison, or for well damped or smooth
    parts; see `SemiImplicitEuler` for oscillators.
    """

    tableau: ClassVar[Tableau] = Tableau(a=((),), b=(1.0,), c=(0.0,), order=1)
