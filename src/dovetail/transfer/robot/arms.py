r"""Robot cell with two arms, one of them on a track: thirteen joints from a commanded to an achieved relative pose.

One arm holds the specimen fixed, the other moves the tool. The input is the pose of the tool N in the frame D of the
specimen, as a position [m] and a rotation vector [rad]. At each tick inverse kinematics convert it into joint
references, the drives follow them with their delay and lag, and forward kinematics give the achieved pose:

.. math:: X_{WN} = X_{WD}\,X_{DN}, \qquad q = \mathrm{ik}(X_{WN}), \qquad
          X_{DN}' = X_{WD}(q_2')^{-1}\,X_{WN}(s', q_1')

The track does not move as long as the distance from the base of the arm to the tool, along the track, is within
`reach_tolerance` of `target_reach`. Joint velocities are differences of the references, as in the source. The first
violation of a limit (joint, speed, workspace, posture) is stored as a trip, and the references do not move from then
on. Source: [Bolien 2018, secs 1.5, 3.3 and 3.4].
"""

from __future__ import annotations

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.core.random import Random
from dovetail.mechanics.spatial import Pose
from dovetail.mechanics.spatial.rotation import exponential, logarithm
from dovetail.transfer.base import Series, Transfer
from dovetail.transfer.robot.arm import Arm
from dovetail.transfer.robot.safety import SafetyLimits, TripCode

JOINTS = 13  # track, six of the tool arm, six of the specimen arm


def to_pose(vector: Float[Array, "6"]) -> Pose:
    """Return the pose for a position [m] and a rotation vector [rad]."""
    return Pose(exponential(vector[3:]), vector[:3])


def to_vector(pose: Pose) -> Float[Array, "6"]:
    """Return position [m] and rotation vector [rad] of a pose."""
    return jnp.concatenate([pose.p, logarithm(pose.R)])


@kind("robot-arms")
class RobotArms(Random, Transfer):
    """Two robot arms and a track as the actuator of a six-axis rig."""

    tool_arm: Arm = Arm()
    specimen_arm: Arm = Arm()
    drive: Transfer = Series(())  # drive of each joint: delay, lag, rate limit
    safety: SafetyLimits = SafetyLimits()
    tool_base: Parameter = parameter(
        "m", "pose of the base of the tool arm at track position zero", default=(0.0,) * 6
    )
    tool_mount: Parameter = parameter("m", "pose of the tool on the flange", default=(0.0,) * 6)
    specimen_base: Parameter = parameter("m", "pose of the base of the specimen arm", default=(0.0,) * 6)
    specimen_mount: Parameter = parameter("m", "pose of the specimen on the flange", default=(0.0,) * 6)
    specimen_joints: Parameter = parameter("rad", "joint angles of the specimen arm", default=(0.0,) * 6)
    tool_joints: Parameter = parameter("rad", "initial joint angles of the tool arm", default=(0.0,) * 6)
    track_axis: Parameter = parameter("1", "direction of the track", default=(1.0, 0.0, 0.0))
    track_range: Parameter = parameter("m", "ends of the track", default=(0.0, 0.0))
    track_max_speed: Parameter = parameter("m/s", "largest speed on the track", default=jnp.inf, above=0.0)
    track_position: Parameter = parameter("m", "initial position on the track", default=0.0)
    target_reach: Parameter = parameter("m", "target distance from base to tool along the track", default=0.0)
    reach_tolerance: Parameter = parameter(
        "m", "deviation from the target reach at which the track moves", default=jnp.inf
    )
    repeatability: Parameter = parameter(
        "m", "standard deviation of the end position of a move", default=0.0, at_least=0.0
    )
    angular_repeatability: Parameter = parameter(
        "rad", "standard deviation of the end orientation of a move", default=0.0, at_least=0.0
    )
    home_pose: Parameter = parameter("m", "relative pose at rest", default=(0.0,) * 6)

    def with_sample_time(self, dt: float, shape: tuple[int, ...] = ()) -> RobotArms:
        return dataclasses.replace(self, drive=self.drive.with_sample_time(dt, (JOINTS,)), shape=tuple(shape))

    def with_home_pose(self, home_pose: jax.Array) -> RobotArms:
        """Return the cell with another home pose."""
        arms: RobotArms = eqx.tree_at(lambda arms: arms.home_pose, self, jnp.asarray(home_pose))
        return arms

    # kinematics

    @property
    def specimen_pose(self) -> Pose:
        """Commanded pose of the specimen frame in the cell."""
        return self._specimen(self.specimen_joints)

    def relative(self, joints: Float[Array, "13"]) -> Pose:
        """Return the pose of the tool in the specimen frame, from all thirteen joints."""
        return self._specimen(joints[7:]).inverse() @ self.tool_pose(joints[:7])

    def tool_pose(self, joints: Float[Array, "7"]) -> Pose:
        """Return the pose of the tool in the cell, from the track and the six joints of its arm."""
        return self._base(joints[0]) @ self.tool_arm.forward(joints[1:]) @ to_pose(self.tool_mount)

    def joint_targets(
        self, vector: Float[Array, "6"], near: Float[Array, "13"]
    ) -> tuple[Float[Array, "13"], Bool[Array, ""], Bool[Array, ""]]:
        """Return joints (13,) for a relative pose near others, whether they are within limits, and reachable."""
        tool = self.specimen_pose @ to_pose(vector)
        track = self._track(tool.p, near[0])
        flange = self._base(track).inverse() @ tool @ to_pose(self.tool_mount).inverse()
        joints, allowed, reachable = self.tool_arm.nearest(flange, near[1:7])
        return jnp.concatenate([track[None], joints, self.specimen_joints]), allowed, reachable

    def first_joints(self) -> Float[Array, "13"]:
        """Return the joints at the home pose."""
        guess = jnp.concatenate([jnp.ravel(self.track_position), self.tool_joints, self.specimen_joints])
        return self.joint_targets(self.home_pose, guess)[0]

    # the block

    def init(self) -> dict[str, Any]:
        joints = self.first_joints()
        zero = jnp.zeros(())
        return {
            "rest": joints,
            "references": joints,
            "drive": self.drive.init(),
            "command": self.home_pose,
            "moves": jnp.zeros((), jnp.uint32),
            "moving": jnp.array(False),
            "trip": (jnp.zeros((), dtype=int), zero, zero),
        }

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        joints, allowed, reachable = self.joint_targets(u, x["references"])
        trip = self._find_trip(joints, (joints - x["references"]) / dt, allowed, reachable)
        has_trip = x["trip"][0] > 0
        trip = jax.tree.map(lambda old, new: jnp.where(has_trip, old, new), x["trip"], trip)
        references = jnp.where(trip[0] > 0, x["references"], joints)

        # the drives start at the joints of the home pose, not at zero
        drive, moved = self.drive.step(t, dt, x["drive"], references - x["rest"])
        moving = jnp.any(u != x["command"])
        is_start = moving & ~x["moving"]
        number = x["moves"] + is_start.astype(jnp.uint32)
        state = {
            "rest": x["rest"],
            "references": references,
            "drive": drive,
            "command": u,
            "moves": number,
            "moving": moving,
            "trip": trip,
        }
        return state, to_vector(self.relative(x["rest"] + moved)) + self._error(number)

    def _find_trip(
        self, joints: jax.Array, speeds: jax.Array, allowed: jax.Array, reachable: jax.Array
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Return trip code, value and limit for joint references."""
        arm = self.tool_arm
        out = jnp.maximum(joints[1:7] - arm.max_angle, arm.min_angle - joints[1:7])
        worst = jnp.argmax(out)
        max_speeds = jnp.concatenate([jnp.ravel(self.track_max_speed), arm.max_speed])
        speed_ratio = jnp.abs(speeds[:7]) / max_speeds
        quick = jnp.argmax(speed_ratio)
        position = self.tool_pose(joints[:7]).p
        excess = jnp.maximum(position - self.safety.workspace_max, self.safety.workspace_min - position)
        side = jnp.argmax(excess)
        manipulability = arm.manipulability(joints[1:7])
        joint_limit = jnp.where(joints[1:7][worst] > 0, arm.max_angle[worst], arm.min_angle[worst])
        edge = jnp.where(
            position[side] > self.safety.workspace_max[side],
            self.safety.workspace_max[side],
            self.safety.workspace_min[side],
        )
        none = jnp.zeros(())
        checks = (  # of several violations the last one counts
            (
                manipulability < self.safety.min_manipulability,
                TripCode.SINGULARITY,
                manipulability,
                self.safety.min_manipulability,
            ),
            (excess[side] > 0, TripCode.WORKSPACE, position[side], edge),
            (speed_ratio[quick] > 1, TripCode.JOINT_VELOCITY, jnp.abs(speeds[quick]), max_speeds[quick]),
            (~allowed, TripCode.JOINT_POSITION, joints[1:7][worst], joint_limit),
            (~reachable, TripCode.UNREACHABLE, none, none),
        )
        trip = (jnp.zeros((), dtype=int), none, none)
        for violated, code, value, limit in checks:
            new = (jnp.asarray(int(code)), value, limit)
            trip = jax.tree.map(lambda a, b, violated=violated: jnp.where(violated, b, a), trip, new)
        finite = jnp.all(jnp.isfinite(joints))
        return (jnp.where(finite, trip[0], int(TripCode.NOT_FINITE)), *trip[1:])

    def _error(self, number: jax.Array) -> jax.Array:
        """Return the end error of a move; constant until the next move starts."""
        if self.key is None:
            return jnp.zeros(6)
        spread = jnp.repeat(jnp.stack([self.repeatability, self.angular_repeatability]), 3)
        return spread * jax.random.normal(self.draw_key(number), (6,)) / jnp.sqrt(3.0)

    def _track(self, position: jax.Array, now: jax.Array) -> jax.Array:
        along = (position - self.tool_base[:3]) @ self.track_axis - self.target_reach
        target = jnp.clip(now, along - self.reach_tolerance, along + self.reach_tolerance)
        return jnp.clip(target, self.track_range[0], self.track_range[1])

    def _base(self, track: jax.Array) -> Pose:
        base = to_pose(self.tool_base)
        return Pose(base.R, base.p + track * self.track_axis)

    def _specimen(self, joints: jax.Array) -> Pose:
        return to_pose(self.specimen_base) @ self.specimen_arm.forward(joints) @ to_pose(self.specimen_mount)


class JointSegment(eqx.Module):
    """Move in joint space, as relative poses; the track does not move."""

    arms: RobotArms
    start: jax.Array  # (13,) joints
    target_joints: jax.Array
    duration: jax.Array  # [s]
    motion_profile: Any

    @property
    def target(self) -> jax.Array:
        """Relative pose at the end."""
        return to_vector(self.arms.relative(self.target_joints))

    def at(self, t: Time) -> jax.Array:
        """Return the relative pose at t [s] after the start."""
        s = self.motion_profile(t / self.duration)
        return to_vector(self.arms.relative(self.start + s * (self.target_joints - self.start)))
