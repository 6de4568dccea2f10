"""Reference solution: the specimen model coupled directly, in continuous time, without a rig."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.core.errors import AnalysisError
from dovetail.testing.continuous import ReferenceSettings, run_continuous
from dovetail.testing.coupled import reference_system
from dovetail.testing.limit_monitor import with_frozen_sensor_limit
from dovetail.testing.rig import Rig

if TYPE_CHECKING:
    from dovetail.testing.run import Progress, Run
    from dovetail.testing.test import Test


def reference(
    test: Test,
    accuracy: ReferenceSettings | None = None,
    progress: Progress | None = None,
    *,
    keep: bool = False,
) -> Run:
    """Compute the reference solution at the ticks of the test, until a limit is reached.

    An interrupt is raised, because part of a reference solution cannot be compared; with `keep` the run up to the
    interrupt is returned.
    """
    specimen = test.rig.specimen if isinstance(test.rig, Rig) else None
    if specimen is None:
        raise AnalysisError(
            "reference: the rig has no specimen model, so there is no reference solution; "
            "give the test a simulated rig, or compare two runs"
        )
    prepared = with_frozen_sensor_limit(test.validate(), "reference")
    system = reference_system(test, specimen)
    return run_continuous(test, prepared, system, "reference", accuracy, progress, keep)
