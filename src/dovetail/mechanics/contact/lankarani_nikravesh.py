"""Lankarani and Nikravesh contact law: energy loss of an almost elastic impact; common in multibody programs."""

from __future__ import annotations

from dovetail.core import kind
from dovetail.mechanics.contact.normal_law import DissipativeLaw, ValuesLike


@kind("lankarani-nikravesh")
class LankaraniNikravesh(DissipativeLaw):
    r"""Lankarani and Nikravesh law, :math:`\Lambda = \tfrac34(1 - c_r^2)`.

    [Lankarani & Nikravesh 1990; Bondoky 2020, eq. 4.18].

    Accurate near c_r = 1 only.
    """

    def damping_factor(self, restitution: ValuesLike) -> ValuesLike:
        return 0.75 * (1 - restitution**2)
