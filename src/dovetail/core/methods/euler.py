"""Explicit Euler: the cheapest method, of first order; one evaluation a step."""

from typing import ClassVar

from dovetail.core.kinds import kind
from dovetail.core.methods.runge_kutta import RungeKutta, Tableau


@kind("euler")
class Euler(RungeKutta):
    r""":math:`x_{n+1} = x_n + h f(t_n, x_n, u)`, of order 1.

    An undamped oscillation grows at every step size, so it serves for comparison and for well damped or
    smooth parts; see `SemiImplicitEuler` for oscillators.
    """

    tableau: ClassVar[Tableau] = Tableau(a=((),), b=(1.0,), c=(0.0,), order=1)
