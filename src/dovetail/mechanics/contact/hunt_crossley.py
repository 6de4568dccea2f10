"""The first law whose damping vanishes with the depth: no jump at touch, no pull."""

from __future__ import annotations

from dovetail.core import kind
from dovetail.mechanics.contact.normal_law import Dissipative


@kind("hunt-crossley")
class HuntCrossley(Dissipative):
    r""":math:`\Lambda = \tfrac32(1 - c_r)` [Hunt & Crossley 1975; Bondoky 2020, eq. 4.12].

    Good near c_r = 1 only.
    """

    def damping_factor(self, restitution):
        return 1.5 * (1 - restitution)
