"""Contact of nodes with moving bodies: touched surface, forces, and steps that end at contact events.

Depends on: core, and of this package `contact` and `friction`.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.collision.rosenbrock import ContactRosenbrock

lazily(__name__)


__all__ = ["ContactRosenbrock"]
