"""How a run ended: an enumeration of sentences."""

from __future__ import annotations

import dataclasses
from enum import Enum


class Outcome(Enum):
    """Foreseen endings. The value is the sentence that people read; the order is that of their codes."""

    FINISHED = "The test ran to its end."
    NOT_FINITE = "A signal was no longer a finite number, so the test was stopped."
    DISPLACEMENT = "The demand reached the displacement limit, so the test was stopped."
    VELOCITY = "The demand reached the velocity limit, so the test was stopped."
    FORCE = "The measured force reached its limit, so the test was stopped."
    TRACKING = "The rig strayed from the demand by more than the tracking limit, so the test was stopped."
    GROWTH = (
        "The oscillation grew faster than its limit allows: the loop is unstable, so the test was stopped."
    )
    INTERRUPTED = "The operator interrupted the test; what was computed until then is kept."
    ACCELERATION = "The demand reached the acceleration limit, so the test was stopped."
    POWER = "The power across the interface reached its limit, so the test was stopped."
    STALE = "The measurement stood still while the demand moved, so the test was stopped."
    DEADLINE = "A tick missed its deadline, so the test was stopped."
    LINK_LOST = "The rig was silent for longer than allowed, so the test was stopped."
    RIG_STOPPED = "The rig went to its safe state by itself, so the test was stopped."
    LATCHED = "The two sides latched: the contact that was to be tested is over."
    JOINED = "The two sides came home in each other: joined."
    PARTED = "The two sides parted without having joined."
    ENERGY = (
        "The interface gave the simulation more energy than its limit allows: the rig feeds the loop, "
        "so the test was stopped."
    )
    CONTACT = (
        "A contact gave back more energy than it took: the rig is too late for it or the rate too low, "
        "so the test was stopped."
    )
    TORQUE = "The measured torque reached its limit, so the test was stopped."

    @property
    def code(self) -> int:
        """Position in the enumeration, as the compiled loop carries it."""
        return list(Outcome).index(self)

    @property
    def completed(self) -> bool:
        """True if the test ran to its end, or to the event it was made for."""
        return self in (Outcome.FINISHED, Outcome.LATCHED, Outcome.JOINED, Outcome.PARTED)

    @staticmethod
    def from_code(code: int) -> Outcome:
        """The outcome with that code."""
        return _BY_CODE[int(code)]


_BY_CODE = tuple(Outcome)


@dataclasses.dataclass(frozen=True)
class Trip:
    """What tripped: the signal, its value, the limit it met and when."""

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
