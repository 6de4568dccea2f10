"""The published hose, and what it is part of: parts of the library put together with the study's numbers."""

from __future__ import annotations

import math
from typing import Any

from dovetail.air import AlongAndAcross, CableDrag, DrogueHose
from dovetail.mechanics.chain import AngleChain

LENGTH, SPECIFIC_MASS = 27.0, 4.09  # [m] paid out, [kg/m]
DIAMETER, INNER_DIAMETER, MODULUS = 0.071, 0.0355, 1.3e7  # [m], [m], [Pa]
DRAG = CableDrag(diameter=DIAMETER, coefficients=AlongAndAcross(along=0.01, across=0.6))
BENDING = MODULUS * math.pi / 64 * (DIAMETER**4 - INNER_DIAMETER**4)  # [N m^2]


def hose(n: int = 19, **settings: Any) -> AngleChain:
    """The hose alone, of n links: masses at the far ends, links that shrink one after another."""
    usual: dict[str, Any] = {"bending": BENDING, "shrink": "sequential", "transfer": "none"}
    own = usual | settings
    return AngleChain(n=n, length=LENGTH, mass=SPECIFIC_MASS * LENGTH, distribution="end", **own)


def drogue_hose(**parts: Any) -> DrogueHose:
    """Hose, drogue, tanker and receiver of the published tests."""
    return DrogueHose(**{"chain": hose(), "drag": DRAG} | parts)
