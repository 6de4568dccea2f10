"""Acceptance criteria of a run.

Limits stop a run; acceptance criteria do not. Report, studio, design and campaign compare the run with them.

    [accept]
    response_error = 0.05   # largest rms response error: 5 % of the reference
    margin = "1 ms"         # smallest delay margin
    reason = "scatter of the specimens: 5 %"

    [accept.signals.tension]
    max = "90 kN"           # largest magnitude of a recorded signal
"""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx

from dovetail.core import Part
from dovetail.core import signals as declared
from dovetail.core.parameter import choice, optional_parameter
from dovetail.core.units import SIGNAL

SAME_OUTCOME = "as-reference"  # value of `outcome`: the run must end as the reference solution does


class AcceptedSignal(Part):
    """Acceptance criteria of a recorded signal. The magnitude of a force or motion along x, y and z is its length."""

    ONE_KIND: ClassVar[bool] = True

    max: float | None = optional_parameter(SIGNAL, "largest accepted magnitude", above=0.0)
    peak_error: float | None = optional_parameter(
        "1", "largest deviation of the peak from that of the reference, as a fraction of it", above=0.0
    )


class Accept(Part):
    """Acceptance criteria. Errors are fractions of the reference solution.

    Response and tracking error are fractions of the rms reference displacement; with several axes each moving axis must
    satisfy them. Errors of a contact compare the first contact with that of the reference.
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
    rebound_speed_error: float | None = optional_parameter(
        "1", "largest error of the rebound speed of the first contact", above=0.0
    )
    rebound_energy_error: float | None = optional_parameter(
        "1", "largest error of the kinetic energy after the first contact", above=0.0
    )
    peak_force_error: float | None = optional_parameter(
        "1", "largest error of the peak force of the first contact", above=0.0
    )
    penetration_error: float | None = optional_parameter(
        "1", "largest error of the penetration of the first contact", above=0.0
    )
    contact_duration_error: float | None = optional_parameter(
        "1", "largest error of the duration of the first contact", above=0.0
    )
    outcome: str = choice(
        SAME_OUTCOME,
        "finished",
        "latched",
        "docked",
        "separated",
        about="required outcome",
        default=SAME_OUTCOME,
    )
    signals: dict[str, AcceptedSignal] = eqx.field(default_factory=dict)  # by name of the recorded signal
    reason: str = eqx.field(static=True, default="")  # source of the values

    def __check_init__(self) -> None:
        super().__check_init__()
        for name in self.signals:
            declared.signal(name)  # an unknown name is an error that lists the known ones
