r"""A cell of two arms, one of them on a track: thirteen joints between a commanded and an achieved relative pose.

One arm holds the specimen still, the other moves the tool against it. What comes in is the pose of the tool N in
the specimen's frame D, as a position [m] and a rotation vector [rad]; inverse kinematics in every tick turns it into
joint references, the drives follow them late, and forward kinematics gives the pose achieved:

.. math:: X_{WN} = X_{WD}\,X_{DN}, \qquad q = \mathrm{ik}(X_{WN}), \qquad
          X_{DN}' = X_{WD}(q_2')^{-1}\,X_{WN}(s', q_1')

The track is not needed to reach a pose and stays where it is, unless the tool would be further from the arm's
base, along the track, than `window` from `reach`. Joint velocities are differences of the references, as in the
source. The first joint, speed, workspace or posture beyond its limit is kept as a trip, and the references stand
still from there on. Source: [Bolien 2018, secs 1.5, 3.3 and 3.4].
"""

from __future__ import annotations

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from dovetail.core import kind, parameter
from dovetail.core.random import Random
from dovetail.mechanics.spatial import Pose
from dovetail.mechanics.spatial.rotation import exponential, logarithm
from dovetail.transfer.base import Series, Transfer
from dovetail.transfer.robot.arm import Arm
from dovetail.transfer.robot.safety import SafetyLimits, TripCode

JOINTS = 13  # the track, six of the tool's arm, six of the specimen's


def to_pose(vector: Float[Array, "6"]) -> Pose:
    """A pose from a position [m] and a rotation vector [rad]."""
    return Pose(exponential(vector[3:]), vector[:3])


def to_vector(pose: Pose) -> Float[Array, "6"]:
    """A position [m] and a rotation vector [rad] from a pose."""
    return jnp.concatenate([pose.p, logarithm(pose.R)])


@kind("robot-arms")
class RobotArms(Random, Transfer):
    """Two arms and a track as the actuator of a six-axis rig."""

    tool_arm: Arm = Arm()
    specimen_arm: Arm = Arm()
    drive: Transfer = Series(())  # of every joint: delay, lag, limits of its rate
    safety: SafetyLimits = SafetyLimits()
    tool_base: jax.Array = parameter(
        "m", "pose of the tool arm's base at zero of the track", default=(0.0,) * 6
    )
    tool_mount: jax.Array = parameter("m", "pose of the tool on its flange", default=(0.0,) * 6)
    specimen_base: jax.Array = parameter("m", "pose of the other arm's base", default=(0.0,) * 6)
    specimen_mount: jax.Array = parameter("m", "pose of the specimen on its flange", default=(0.0,) * 6)
    specimen_joints: jax.Array = parameter("rad", "at which the specimen is held", default=(0.0,) * 6)
    tool_joints: jax.Array = parameter("rad", "posture of the tool's arm to begin with", default=(0.0,) * 6)
    track_axis: jax.Array = parameter("1", "direction of the track", default=(1.0, 0.0, 0.0))
    track_range: jax.Array = parameter("m", "its ends", default=(0.0, 0.0))
    track_fastest: jax.Array = parameter("m/s", "its speed at most", default=jnp.inf, above=0.0)
    track_start: jax.Array = parameter("m", "where it stands to begin with", default=0.0)
    reach: jax.Array = parameter("m", "from base to tool along the track, wanted", default=0.0)
    window: jax.Array = parameter("m", "by which that may be missed before the track moves", default=jnp.inf)
    repeatability: jax.Array = parameter(
        "m", "spread of the place where a move ends", default=0.0, at_least=0.0
    )
    angular_repeatability: jax.Array = parameter("rad", "the same, of the turn", default=0.0, at_least=0.0)
    home: jax.Array = parameter("m", "relative pose at rest", default=(0.0,) * 6)

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> RobotArms:
        return dataclasses.replace(self, drive=self.drive.sampled_at(dt, (JOINTS,)), shape=tuple(shape))

    def placed(self, home: jax.Array) -> RobotArms:
        """The same cell resting at another relative pose."""
        return eqx.tree_at(lambda arms: arms.home, self, jnp.asarray(home))

    # kinematics

    @property
    def specimen_pose(self) -> Pose:
        """Of the specimen's frame in the world, where its arm is told to hold it."""
        return self._specimen(self.specimen_joints)

    def relative(self, joints: Float[Array, "13"]) -> Pose:
        """Pose of the tool in the specimen's frame, from all thirteen joints."""
        return self._specimen(joints[7:]).inverse() @ self.tool_pose(joints[:7])

    def tool_pose(self, joints: Float[Array, "7"]) -> Pose:
        """Pose of the tool in the world, from the track and the six joints of its arm."""
        return self._base(joints[0]) @ self.tool_arm.forward(joints[1:]) @ to_pose(self.tool_mount)

    def joint_targets(
        self, vector: Float[Array, "6"], near: Float[Array, "13"]
    ) -> tuple[Float[Array, "13"], Bool[Array, ""], Bool[Array, ""]]:
        """Joints (13,) for a relative pose, near others; whether they are allowed, and whether there are any."""
        wanted = self.specimen_pose @ to_pose(vector)
        track = self._track(wanted.p, near[0])
        flange = self._base(track).inverse() @ wanted @ to_pose(self.tool_mount).inverse()
        joints, allowed, reachable = self.tool_arm.nearest(flange, near[1:7])
        return jnp.concatenate([track[None], joints, self.specimen_joints]), allowed, reachable

    def first_joints(self) -> Float[Array, "13"]:
        """Joints at rest."""
        guess = jnp.concatenate([jnp.ravel(self.track_start), self.tool_joints, self.specimen_joints])
        return self.joint_targets(self.home, guess)[0]

    # the block

    def init(self) -> dict[str, Any]:
        joints = self.first_joints()
        zero = jnp.zeros(())
        return {
            "rest": joints,
            "references": joints,
            "drive": self.drive.init(),
            "command": self.home,
            "moves": jnp.zeros((), jnp.uint32),
            "moving": jnp.array(False),
            "trip": (jnp.zeros((), dtype=int), zero, zero),
        }

    def step(self, t, dt, x, u):
        joints, allowed, reachable = self.joint_targets(u, x["references"])
        trip = self._judged(joints, (joints - x["references"]) / dt, allowed, reachable)
        before = x["trip"][0] > 0
        trip = jax.tree.map(lambda old, new: jnp.where(before, old, new), x["trip"], trip)
        references = jnp.where(trip[0] > 0, x["references"], joints)

        # the drives start from rest, which is not at zero
        drive, moved = self.drive.step(t, dt, x["drive"], references - x["rest"])
        moves = jnp.any(u != x["command"])
        begun = moves & ~x["moving"]
        number = x["moves"] + begun.astype(jnp.uint32)
        state = {
            "rest": x["rest"],
            "references": references,
            "drive": drive,
            "command": u,
            "moves": number,
            "moving": moves,
            "trip": trip,
        }
        return state, to_vector(self.relative(x["rest"] + moved)) + self._error(number)

    def _judged(self, joints, speeds, allowed, reachable):
        """Trip code, value and limit of references."""
        arm = self.tool_arm
        out = jnp.maximum(joints[1:7] - arm.highest, arm.lowest - joints[1:7])
        worst = jnp.argmax(out)
        fastest = jnp.concatenate([jnp.ravel(self.track_fastest), arm.fastest])
        haste = jnp.abs(speeds[:7]) / fastest
        quick = jnp.argmax(haste)
        place = self.tool_pose(joints[:7]).p
        beyond = jnp.maximum(place - self.safety.highest, self.safety.lowest - place)
        side = jnp.argmax(beyond)
        clear = arm.clearance(joints[1:7])
        limit_of_joint = jnp.where(joints[1:7][worst] > 0, arm.highest[worst], arm.lowest[worst])
        edge = jnp.where(
            place[side] > self.safety.highest[side], self.safety.highest[side], self.safety.lowest[side]
        )
        none = jnp.zeros(())
        checks = (  # the last that is broken counts
            (clear < self.safety.singularity, TripCode.SINGULARITY, clear, self.safety.singularity),
            (beyond[side] > 0, TripCode.WORKSPACE, place[side], edge),
            (haste[quick] > 1, TripCode.JOINT_VELOCITY, jnp.abs(speeds[quick]), fastest[quick]),
            (~allowed, TripCode.JOINT_POSITION, joints[1:7][worst], limit_of_joint),
            (~reachable, TripCode.UNREACHABLE, none, none),
        )
        trip = (jnp.zeros((), dtype=int), none, none)
        for broken, code, value, limit in checks:
            new = (jnp.asarray(int(code)), value, limit)
            trip = jax.tree.map(lambda a, b, broken=broken: jnp.where(broken, b, a), trip, new)
        finite = jnp.all(jnp.isfinite(joints))
        return (jnp.where(finite, trip[0], int(TripCode.NOT_FINITE)), *trip[1:])

    def _error(self, number):
        """Where a move ends, off its target: the same until the next one begins."""
        if self.key is None:
            return jnp.zeros(6)
        spread = jnp.repeat(jnp.stack([self.repeatability, self.angular_repeatability]), 3)
        return spread * jax.random.normal(self.drawn(number), (6,)) / jnp.sqrt(3.0)

    def _track(self, place, now):
        along = (place - self.tool_base[:3]) @ self.track_axis - self.reach
        wanted = jnp.clip(now, along - self.window, along + self.window)
        return jnp.clip(wanted, self.track_range[0], self.track_range[1])

    def _base(self, track) -> Pose:
        base = to_pose(self.tool_base)
        return Pose(base.R, base.p + track * self.track_axis)

    def _specimen(self, joints) -> Pose:
        return to_pose(self.specimen_base) @ self.specimen_arm.forward(joints) @ to_pose(self.specimen_mount)


class JointSegment(eqx.Module):
    """A move in joint space, seen as relative poses; the track stays."""

    arms: RobotArms
    start: jax.Array  # (13,) joints
    target_joints: jax.Array
    duration: jax.Array  # [s]
    course: Any

    @property
    def target(self) -> jax.Array:
        """Relative pose at its end."""
        return to_vector(self.arms.relative(self.target_joints))

    def at(self, t) -> jax.Array:
        """Relative pose at t [s] after the start."""
        s = self.course(t / self.duration)
        return to_vector(self.arms.relative(self.start + s * (self.target_joints - self.start)))
