"""Published hose, and hose with drogue, tanker and receiver, built from library parts."""

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
    """Return the hose alone with n links: masses at the outer ends, links reeled in one after another."""
    usual: dict[str, Any] = {"bending": BENDING, "reeling_order": "sequential", "mass_transfer": "none"}
    own = usual | settings
    return AngleChain(n=n, length=LENGTH, mass=SPECIFIC_MASS * LENGTH, distribution="end", **own)


def drogue_hose(**parts: Any) -> DrogueHose:
    """Return hose, drogue, tanker and receiver of the published tests."""
    return DrogueHose(**{"chain": hose(), "drag": DRAG} | parts)
