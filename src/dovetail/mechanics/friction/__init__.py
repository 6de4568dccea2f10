"""Friction laws of sliding contacts, with and without bristle states.

Depends on: core.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.friction.base import Friction
    from dovetail.mechanics.friction.bristle import Bristle
    from dovetail.mechanics.friction.brush import Brush
    from dovetail.mechanics.friction.coulomb import Coulomb
    from dovetail.mechanics.friction.lugre import LuGre
    from dovetail.mechanics.friction.none import NoFriction
    from dovetail.mechanics.friction.regularised import Regularised
    from dovetail.mechanics.friction.tustin import Tustin

lazily(__name__)


__all__ = ["Bristle", "Brush", "Coulomb", "Friction", "LuGre", "NoFriction", "Regularised", "Tustin"]
