"""Lee and Wang contact law: half the damping of Hunt and Crossley."""

from __future__ import annotations

from dovetail.core import kind
from dovetail.mechanics.contact.normal_law import DissipativeLaw, ValuesLike


@kind("lee-wang")
class LeeWang(DissipativeLaw):
    r"""Lee and Wang law, :math:`\Lambda = \tfrac34(1 - c_r)` [Lee & Wang 1983; Bondoky 2020, eq. 4.16]."""

    def damping_factor(self, restitution: ValuesLike) -> ValuesLike:
        return 0.75 * (1 - restitution)
