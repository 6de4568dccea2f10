"""Outcomes of a run, each with its sentence."""

from __future__ import annotations

import dataclasses
from enum import Enum


class Outcome(Enum):
    """Outcome of a run. The value is the sentence for the user; the order defines the codes."""

    FINISHED = "Finished: the run reached its end time."
    NOT_FINITE = "Stopped: a signal is NaN or infinite."
    DISPLACEMENT = "Stopped: the demand reached the displacement limit."
    VELOCITY = "Stopped: the demand reached the velocity limit."
    FORCE = "Stopped: the measured force reached the force limit."
    TRACKING_ERROR = "Stopped: the tracking error reached its limit."
    GROWTH_RATE = "Stopped: the oscillation grows; the loop is unstable."
    INTERRUPTED = "Interrupted by the operator; the data recorded so far are saved."
    ACCELERATION = "Stopped: the demand reached the acceleration limit."
    POWER = "Stopped: the interface power reached its limit."
    FROZEN_SENSOR = "Stopped: a sensor reading did not change while the demand moved."
    DEADLINE = "Stopped: a tick missed its deadline."
    LINK_LOST = "Stopped: no message from the rig within the link timeout."
    RIG_STOPPED = "Stopped: the rig entered its safe state."
    LATCHED = "Latched: the mechanism engaged and the contact phase is over."
    DOCKED = "Docked."
    SEPARATED = "Separated without docking."
    INTERFACE_ENERGY = "Stopped: the rig added more energy to the simulation than its limit."
    CONTACT_ENERGY = (
        "Stopped: a contact returned more energy than it received (delay too large or rate too low)."
    )
    TORQUE = "Stopped: the measured torque reached the torque limit."
    UNFINISHED = "Not finished: the process ended during the run, or the run is still in progress."

    @property
    def code(self) -> int:
        """Index in the enumeration, used in the compiled loop."""
        return list(Outcome).index(self)

    @property
    def completed(self) -> bool:
        """True if the run reached its end time or ended with an event of the specimen."""
        return self in (Outcome.FINISHED, Outcome.LATCHED, Outcome.DOCKED, Outcome.SEPARATED)

    @property
    def is_external(self) -> bool:
        """True if the operator, the rig, the link or the process ended the run, not its motion."""
        return self.name in ("INTERRUPTED", "DEADLINE", "LINK_LOST", "RIG_STOPPED", "UNFINISHED")

    @staticmethod
    def from_code(code: int) -> Outcome:
        """Return the outcome with a code."""
        return _BY_CODE[int(code)]


_BY_CODE = tuple(Outcome)


@dataclasses.dataclass(frozen=True)
class Trip:
    """Breach of a limit: signal, value, limit, time and unit."""

    signal: str
    value: float
    limit: float
    time: float  # [s]
    unit: str

    def __str__(self) -> str:
        unit = "" if self.unit == "1" else f" {self.unit}"
        return (
            f"{self.signal.replace('_', ' ')} {self.value:.4g}{unit} "
            f"(limit {self.limit:.4g}{unit}) at {self.time:.4g} s"
        )
