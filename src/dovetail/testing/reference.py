"""Emulate: the ideal reference. The specimen's model attached directly, in continuous time, no rig."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.core.errors import AnalysisError
from dovetail.testing.continuous import Accuracy, in_continuous_time
from dovetail.testing.coupled import ideal_system
from dovetail.testing.limit_monitor import with_stale
from dovetail.testing.rig import Rig

if TYPE_CHECKING:
    from dovetail.testing.run import Progress, Run
    from dovetail.testing.test import Test


def emulate(
    test: Test, accuracy: Accuracy | None = None, progress: Progress | None = None, *, keep: bool = False
) -> Run:
    """The test as it would be if the interface were perfect, at the ticks of the test, until it meets a limit.

    An interrupt is passed on, as half an ideal is nothing to compare with; with `keep` what was computed until then is
    the run.
    """
    specimen = test.rig.specimen if isinstance(test.rig, Rig) else None
    if specimen is None:
        raise AnalysisError(
            "emulate: the rig has no model of its specimen, so there is no ideal to compare with; "
            "give the test a virtual rig, or compare two runs"
        )
    prepared = with_stale(test.checked(), "emulate")
    system = ideal_system(test, specimen)
    return in_continuous_time(test, prepared, system, "emulate", accuracy, progress, keep)
