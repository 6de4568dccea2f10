"""The law of multibody programs: loss from the energy of an almost elastic impact."""

from __future__ import annotations

from dovetail.core import kind
from dovetail.mechanics.contact.normal_law import Dissipative


@kind("lankarani-nikravesh")
class LankaraniNikravesh(Dissipative):
    r""":math:`\Lambda = \tfrac34(1 - c_r^2)` [Lankarani & Nikravesh 1990; Bondoky 2020, eq. 4.18].

    Good near c_r = 1 only.
    """

    def damping_factor(self, restitution):
        return 0.75 * (1 - restitution**2)
