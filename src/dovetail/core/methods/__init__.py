"""Integration methods, one per file, and the stability limits of fixed steps.

Depends on: nothing else of Dovetail but the contract in `core.block`, and steps that end at events in `core.events`.

Explicit: `Euler`, `SemiImplicitEuler` (the state is a pair of positions and velocities), `RK4` (the usual choice),
`BogackiShampine`, `DormandPrince5`, `DormandPrince8`; `AdaptiveRungeKutta` adds error control and ends steps at events.
Implicit, for stiff parts: `ImplicitEuler`, `BDF2`, `Trapezoidal`, `GeneralisedAlpha`, and `Rosenbrock3`, which needs no
iteration. To integrate an equation that is not a flow, use the `step` of an explicit method's `tableau`.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.core.methods.adaptive import AdaptiveRungeKutta
    from dovetail.core.methods.bdf2 import BDF2
    from dovetail.core.methods.bogacki_shampine import BogackiShampine
    from dovetail.core.methods.dormand_prince5 import DormandPrince5
    from dovetail.core.methods.dormand_prince8 import DormandPrince8
    from dovetail.core.methods.euler import Euler
    from dovetail.core.methods.generalised_alpha import GeneralisedAlpha
    from dovetail.core.methods.implicit_euler import ImplicitEuler
    from dovetail.core.methods.newton import newton
    from dovetail.core.methods.rk4 import RK4
    from dovetail.core.methods.rosenbrock import Rosenbrock3
    from dovetail.core.methods.runge_kutta import RungeKutta, Tableau
    from dovetail.core.methods.semi_implicit_euler import SemiImplicitEuler
    from dovetail.core.methods.stability import check_step, stability_limit
    from dovetail.core.methods.trapezoidal import Trapezoidal

lazily(__name__)


__all__ = [
    "BDF2",
    "RK4",
    "AdaptiveRungeKutta",
    "BogackiShampine",
    "DormandPrince5",
    "DormandPrince8",
    "Euler",
    "GeneralisedAlpha",
    "ImplicitEuler",
    "Rosenbrock3",
    "RungeKutta",
    "SemiImplicitEuler",
    "Tableau",
    "Trapezoidal",
    "check_step",
    "newton",
    "stability_limit",
]
