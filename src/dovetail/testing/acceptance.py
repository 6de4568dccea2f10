"""Acceptance criteria of a run.

Limits stop a run; acceptance criteria do not. The report compares the run with them.

    [accept]
    response_error = 0.05   # largest rms response error: 5 % of the reference
    margin = "1 ms"         # smallest delay margin
"""

from __future__ import annotations

from typing import ClassVar

from dovetail.core import Part
from dovetail.core.parameter import optional_parameter


class Accept(Part):
    """Acceptance criteria. Errors are fractions of the rms reference displacement.

    With several axes each moving axis must satisfy them.
    """

    ONE_KIND: ClassVar[bool] = True

    response_error: float | None = optional_parameter(
        "1", "largest rms response error e1, reference minus demand", above=0.0
    )
    tracking_error: float | None = optional_parameter(
        "1", "largest rms tracking error e2, demand minus measured", above=0.0
    )
    peak_response_error: float | None = optional_parameter("1", "largest peak response error e1", above=0.0)
    margin: float | None = optional_parameter("s", "smallest delay margin")
    added_energy_fraction: float | None = optional_parameter(
        "1", "largest energy added by the rig, as a fraction of the energy exchanged", above=0.0
    )
    energy_residual: float | None = optional_parameter(
        "1",
        "largest energy balance residual of a simulation, as a fraction of the largest energy or work",
        above=0.0,
    )
