"""Base classes of specimen models."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from dovetail.core import Flow, Input, State, Time


class Specimen(Flow):
    """Specimen: force from the imposed motion, with internal states.

    Input: `displacement`, `velocity` and `acceleration` of the imposed motion. Output: `force` on the numerical
    substructure, and further signals to record. A spring responds to a positive displacement with a negative force. A
    specimen without memory has the empty state `()`.
    """

    inertial: ClassVar[bool] = False  # True if an output depends on the imposed acceleration
    dynamic_effect: ClassVar[str] = (
        ""  # dynamic effect that a test at rest cannot measure; empty for a contact
    )

    def end_event(self, displacement: np.ndarray) -> tuple[int, str] | None:
        """Sample at which the tested event ended, and the outcome; None if it did not end.

        `displacement` is the motion of the specimen over the run, one value for each sample. The outcome is given by
        its name in lower case.
        """
        return None


class Memoryless(Specimen):
    """Specimen whose force depends on the current motion only."""

    def init(self) -> tuple[()]:
        return ()

    def derivative(self, t: Time, x: State, u: Input) -> tuple[()]:
        return ()
