"""Methods of structural dynamics for M a + C v + R(x, v) = F(t), with R simulated or measured.

Depends on: nothing else of Dovetail but the contract in `core.block` and the `methods`.

`CentralDifference` and `OperatorSplitting` need the force at one displacement per step. They are therefore suitable
for a pseudo-dynamic test: predict, impose, measure, correct. `Newmark` and `HHTAlpha` iterate, and need the force as
a function.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.core.structures.central_difference import CentralDifference
    from dovetail.core.structures.newmark import HHTAlpha, Newmark
    from dovetail.core.structures.operator_splitting import OperatorSplitting
    from dovetail.core.structures.structure import (
        Linear,
        PredictorCorrector,
        StructuralMethod,
        StructuralMotion,
        Structure,
    )

lazily(__name__)


__all__ = [
    "CentralDifference",
    "HHTAlpha",
    "Linear",
    "Newmark",
    "OperatorSplitting",
    "PredictorCorrector",
    "StructuralMethod",
    "StructuralMotion",
    "Structure",
]
