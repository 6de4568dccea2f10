"""What a run must come to before it is believed: said in the test, before it is run.

Limits stop a run; these do not. They are what its report holds it against, and a report that has nothing to hold a
run against says what came out and no more.

    [accept]
    error = 0.05          # the rig may change the response by 5 % rms
    margin = "1 ms"       # and at least so much of the critical delay is to be left
"""

from __future__ import annotations

from typing import ClassVar

from dovetail.core import Part
from dovetail.core.parameter import asked


class Accept(Part):
    """What is asked of a run; nothing where nothing is said. Errors are shares of the rms of the ideal motion.

    On several axes each that moves is asked for.
    """

    ONE_KIND: ClassVar[bool] = True

    error: float | None = asked("1", "largest rms error e1, ideal minus demand", above=0.0)
    local_error: float | None = asked("1", "largest rms error e2, demand minus measured", above=0.0)
    peak_error: float | None = asked("1", "largest momentary error e1", above=0.0)
    margin: float | None = asked("s", "least delay that may still be added before the loop is unstable")
    energy: float | None = asked(
        "1", "largest share of what crossed the interface that the rig adds", above=0.0
    )
    residual: float | None = asked(
        "1", "largest residual of a simulation's energy balance, of its largest kinetic energy", above=0.0
    )
