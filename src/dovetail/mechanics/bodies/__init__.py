"""Rigid bodies: mass properties, six-degree-of-freedom dynamics, loads, pairs and flexible joints.

Depends on: core, and of this package `motion` and `spatial`.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.bodies.free_bodies import ContactingBodies, FreeBodies
    from dovetail.mechanics.bodies.joined_bodies import AttachedBody, JoinedBodies
    from dovetail.mechanics.bodies.loads import BodyLoad, BodyMotion, PrescribedForce
    from dovetail.mechanics.bodies.mass_properties import MassProperties, combine
    from dovetail.mechanics.bodies.pair import BodyPair, PairState
    from dovetail.mechanics.bodies.primitives import cube, cuboid, cylinder, frustum, half_sphere, sphere
    from dovetail.mechanics.bodies.rigid_body import BodyState, RigidBody

lazily(__name__)


__all__ = [
    "AttachedBody",
    "BodyLoad",
    "BodyMotion",
    "BodyPair",
    "BodyState",
    "ContactingBodies",
    "FreeBodies",
    "JoinedBodies",
    "MassProperties",
    "PairState",
    "PrescribedForce",
    "RigidBody",
    "combine",
    "cube",
    "cuboid",
    "cylinder",
    "frustum",
    "half_sphere",
    "sphere",
]
