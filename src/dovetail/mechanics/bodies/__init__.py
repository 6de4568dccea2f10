"""Rigid bodies: assembled from simple shapes, moving in six degrees of freedom, loaded, seen from one another.

Depends on: core, and of this package `motion` and `spatial`.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.bodies.free_bodies import FreeBodies, MeetingBodies
    from dovetail.mechanics.bodies.joined_bodies import AttachedBody, JoinedBodies
    from dovetail.mechanics.bodies.loads import BodyLoad, BodyMotion, GivenForce
    from dovetail.mechanics.bodies.mass_properties import MassProperties, assembled
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
    "FreeBodies",
    "GivenForce",
    "JoinedBodies",
    "MassProperties",
    "MeetingBodies",
    "PairState",
    "RigidBody",
    "assembled",
    "cube",
    "cuboid",
    "cylinder",
    "frustum",
    "half_sphere",
    "sphere",
]
