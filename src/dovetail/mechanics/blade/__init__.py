"""A rotor blade in rotation: modal equations, periodic flight forcing, kinematics of its lag damper.

Depends on: core.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.blade.forcing import coefficients_of, series
    from dovetail.mechanics.blade.kinematics import Attachment, piston_velocity
    from dovetail.mechanics.blade.modal import ModalBlade
    from dovetail.mechanics.blade.modes import BladeModes
    from dovetail.mechanics.blade.rotating import RotatingBlade

lazily(__name__)


__all__ = [
    "Attachment",
    "BladeModes",
    "ModalBlade",
    "RotatingBlade",
    "coefficients_of",
    "piston_velocity",
    "series",
]
