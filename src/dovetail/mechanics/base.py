"""Base class of numerical substructures: excitation and interface force in, interface motion out."""

from __future__ import annotations

from typing import Any, ClassVar

from dovetail.core import Flow


class Substructure(Flow):
    """Numerical substructure: the simulated part of the machine.

    Input: `excitation`, `excitation_rate`, and the interface `force`, which acts in the direction of a
    positive displacement. Output: `displacement`, `velocity` and `acceleration` of the interface, and further
    signals to record. Displacement and velocity follow from the state alone.
    """

    excitation_unit: ClassVar[str] = "m"  # unit of the excitation; a motion by default
    rotary_axes: ClassVar[
        tuple[bool, ...]
    ] = ()  # for each interface axis, whether it is an angle; empty: no angles
    reference_settings: ClassVar[
        dict[str, Any]
    ] = {}  # method and substeps of the reference solution, if not the default
