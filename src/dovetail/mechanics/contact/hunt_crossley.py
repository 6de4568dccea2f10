"""Hunt and Crossley contact law: damping proportional to the elastic force, so no jump at first contact."""

from __future__ import annotations

from dovetail.core import kind
from dovetail.mechanics.contact.normal_law import DissipativeLaw, ValuesLike


@kind("hunt-crossley")
class HuntCrossley(DissipativeLaw):
    r"""Hunt and Crossley law, :math:`\Lambda = \tfrac32(1 - c_r)` [Hunt & Crossley 1975; Bondoky 2020, eq. 4.12].

    Accurate near c_r = 1 only.
    """

    def damping_factor(self, restitution: ValuesLike) -> ValuesLike:
        return 1.5 * (1 - restitution)
