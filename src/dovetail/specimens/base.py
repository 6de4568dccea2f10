"""What every specimen is: motion in, force out, with memory."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from dovetail.core import Flow


class Specimen(Flow):
    """A part under test.

    Input: `displacement`, `velocity` and `acceleration` of the imposed motion. Output: `force` on the
    numerical substructure, so that a spring answers a positive displacement with a negative force, and
    whatever else is worth recording. A specimen without memory has the empty state `()`.
    """

    inertial: ClassVar[bool] = False  # True where the force depends on the imposed acceleration
    in_motion: ClassVar[str] = (
        ""  # what makes it worth testing and shows in motion only; nothing for a contact
    )

    def ending(self, displacement: np.ndarray) -> tuple[int, str] | None:
        """The sample at which what is tested was over, and how it ended; None if it never was.

        `displacement` is the motion of the specimen over the run, sample by sample. The name is that of an
        outcome of a run, in small letters.
        """
        return None


class Memoryless(Specimen):
    """A specimen whose force follows from the present motion alone."""

    def init(self) -> tuple[()]:
        return ()

    def derivative(self, t, x, u) -> tuple[()]:
        return ()
