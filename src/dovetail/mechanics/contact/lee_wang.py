"""Half of Hunt and Crossley's damping."""

from __future__ import annotations

from dovetail.core import kind
from dovetail.mechanics.contact.normal_law import Dissipative


@kind("lee-wang")
class LeeWang(Dissipative):
    r""":math:`\Lambda = \tfrac34(1 - c_r)` [Lee & Wang 1983; Bondoky 2020, eq. 4.16]."""

    def damping_factor(self, restitution):
        return 0.75 * (1 - restitution)
