"""Methods of structural dynamics for M a + C v + R(x, v) = F(t), simulated or with R measured.

Depends on: nothing else of Dovetail but the contract in `core.block` and the `methods`.

`CentralDifference` and `OperatorSplitting` ask for the force at one displacement a step and so serve
a pseudo-dynamic test: predict, impose, measure, correct. `Newmark` and `HHTAlpha` iterate on a force that is
known as a function.
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
