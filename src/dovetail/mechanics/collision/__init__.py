"""Contact of nodes with moving bodies: which surface is touched, forces, and steps that end at events.

Depends on: core, and of this package `contact` and `friction`.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.collision.stepping import ContactRosenbrock

lazily(__name__)


__all__ = ["ContactRosenbrock"]
