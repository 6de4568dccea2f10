"""Loss by the impulse of both phases: good from 0.5 up, usable to low restitution."""

from __future__ import annotations

from dovetail.core import kind
from dovetail.mechanics.contact.normal_law import Dissipative


@kind("flores")
class Flores(Dissipative):
    r""":math:`\Lambda = \tfrac85(1 - c_r)/c_r` [Flores et al. 2011; Bondoky 2020, eq. 4.28].

    The law that Bondoky selected; realised restitution within 0.03 of the projected from 0.5 to 1.
    """

    def damping_factor(self, restitution):
        return 1.6 * (1 - restitution) / restitution
