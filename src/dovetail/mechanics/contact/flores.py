"""Flores contact law: energy loss from both impact phases; usable down to low restitution."""

from __future__ import annotations

from dovetail.core import kind
from dovetail.mechanics.contact.normal_law import DissipativeLaw, ValuesLike


@kind("flores")
class Flores(DissipativeLaw):
    r"""Flores law, :math:`\Lambda = \tfrac85(1 - c_r)/c_r` [Flores et al. 2011; Bondoky 2020, eq. 4.28].

    Realised restitution within 0.03 of the target from 0.5 to 1. Selected by Bondoky.
    """

    def damping_factor(self, restitution: ValuesLike) -> ValuesLike:
        return 1.6 * (1 - restitution) / restitution
