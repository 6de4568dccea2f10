"""What every simulated part of a machine is: an excitation and an interface force in, a motion out."""

from __future__ import annotations

from typing import Any, ClassVar

from dovetail.core import Flow


class Substructure(Flow):
    """A part of the machine that is simulated.

    Input: `excitation`, `excitation_rate`, and the interface `force`, which acts in the direction of a
    positive displacement. Output: `displacement`, `velocity` and `acceleration` of the interface, and what
    else is worth recording. Displacement and velocity follow from the state alone.
    """

    excitation_unit: ClassVar[str] = "m"  # what the excitation is to it: a motion, unless it says otherwise
    turning: ClassVar[tuple[bool, ...]] = ()  # for each interface axis, whether it is an angle; none if empty
    ideal: ClassVar[dict[str, Any]] = {}  # method and substeps of the ideal, where the default is too much
