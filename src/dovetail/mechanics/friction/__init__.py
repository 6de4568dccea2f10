"""Friction of sliding contacts: Coulomb, Tustin with the Stribeck effect, LuGre.

Depends on: core.
"""

from dovetail.mechanics.friction.base import Friction
from dovetail.mechanics.friction.coulomb import Coulomb
from dovetail.mechanics.friction.lugre import LuGre
from dovetail.mechanics.friction.tustin import Tustin

__all__ = ["Coulomb", "Friction", "LuGre", "Tustin"]
