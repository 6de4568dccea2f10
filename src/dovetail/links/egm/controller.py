r"""Simulated arm with an EGM controller, which sends and receives messages every 4 ms.

The arm follows its reference like a controller with low-pass filter and speed limit,

.. math:: \dot q = \operatorname{sat}(\dot q_{ref} + g\,(q_{ref} - q)/\tau),

for each joint, or each coordinate of the pose; the orientation by the rotation vector between the two quaternions.
Without a message for `timeout` seconds it stops and reports this (`mciState` stopped). It also stops at the end of its
reach and at a joint limit. Not modelled: load, collision supervision.
"""

from __future__ import annotations

import contextlib
import dataclasses
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from dovetail.core.errors import LinkError
from dovetail.links.egm.messages import (
    DATA,
    MCI_RUNNING,
    MCI_STOPPED,
    MOTORS_ON,
    RAPID_RUNNING,
    decode,
    encode,
)
from dovetail.mechanics.spatial import Pose, quaternion
from dovetail.transfer.robot import Arm

PERIOD = 0.004  # [s]
JOINTS = 6


@dataclasses.dataclass
class ControllerAxes:
    """Position of an arm, in joints and in space; SI units.

    `forward` and `inverse` convert between joints [rad] and (position [m], quaternion wxyz). Without them the
    coordinates that are not guided remain constant. Both return None if the arm cannot reach the result.
    """

    joints: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(JOINTS))  # [rad]
    position: np.ndarray = dataclasses.field(default_factory=lambda: np.array([1.0, 0.0, 1.2]))  # [m]
    orientation: np.ndarray = dataclasses.field(
        default_factory=lambda: np.array([0.0, 0.0, 1.0, 0.0])
    )  # wxyz
    forward: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray] | None] | None = None
    inverse: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray | None] | None = None

    @classmethod
    def from_arm(cls, arm: Arm, joints: np.ndarray) -> ControllerAxes:
        """Create the axes of an arm of a robot cell at `joints` [rad], with consistent joints and pose."""

        @jax.jit
        def pose(q):
            flange = arm.forward(q)
            return flange.p, quaternion.from_matrix(flange.R), arm.within_limits(q)

        @jax.jit
        def posture(p, q, near):
            return arm.nearest(Pose(quaternion.to_matrix(q), p), near)

        def forward(q):
            *flange, within = map(np.asarray, pose(q))
            return tuple(flange) if within else None

        def inverse(p, q, near):
            joints, within, _ = map(np.asarray, posture(p, q, near))
            return joints if within else None

        start = np.asarray(joints, dtype=float)
        flange = forward(start)
        if flange is None:
            raise LinkError(
                f"EGM: the joint angles {np.degrees(start)} degrees are outside the limits of the arm"
            )
        position, orientation = flange
        inverse(position, orientation, start)  # compiled before the first message
        return cls(start, position, orientation, forward, inverse)


@dataclasses.dataclass
class VirtualController:
    """Simulated arm that is guided by the program at `client`.

    `force` optionally computes the wrench of the force sensor from the position of the arm: six values [N, N m].
    """

    client: tuple[str, int]
    axes: ControllerAxes = dataclasses.field(default_factory=ControllerAxes)
    tau: float = 0.02  # [s] time constant of its low-pass filter
    gain: float = 1.0  # position gain, 0 to 1
    speed: float = 0.5  # largest speed [m/s], and [rad/s] of rotations and joints
    timeout: float = 1.0  # [s]
    force: Callable[[ControllerAxes], np.ndarray] | None = None
    motors: int = MOTORS_ON
    accepts_guidance: bool = True  # False: its program has not started EGMRunPose

    def __post_init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1" if self.client[0] in ("127.0.0.1", "localhost") else "", 0))
        self.socket.setblocking(False)
        self.sequence = self.rejected = 0
        self.newest = -1  # sequence number of the newest accepted message
        self.time = self.last_message_time = 0.0  # [s] time of the arm; time of the last message
        self.is_guided = False
        self.target: dict[str, Any] = {}
        self.stopping = False

    def close(self) -> None:
        """Close the port."""
        self.socket.close()

    def serve(self) -> None:
        """Run cycles on the wall clock until `stop` is called."""
        due = time.monotonic()
        with contextlib.closing(self.socket):
            while not self.stopping:
                self.cycle()
                due = max(due + PERIOD, time.monotonic() - 10 * PERIOD)
                time.sleep(max(due - time.monotonic(), 0.0))

    def start(self) -> threading.Thread:
        """Start `serve` in a thread and return it."""
        thread = threading.Thread(target=self.serve, name="dovetail-egm", daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        """End `serve` within a cycle."""
        self.stopping = True

    def cycle(self) -> None:
        """Run one cycle of 4 ms: receive, move, send."""
        self._receive()
        if self.time - self.last_message_time > self.timeout:
            self.is_guided = False
        if self.is_guided:
            self._move(PERIOD)
        self.time += PERIOD
        self.sequence += 1
        with contextlib.suppress(OSError):  # no receiver yet
            self.socket.sendto(encode("EgmRobot", self._state_message()), self.client)

    def _receive(self) -> None:
        """Accept the newest of the received messages; drop older and invalid ones."""
        while True:
            try:
                data, sender = self.socket.recvfrom(65536)
            except OSError:
                return
            try:
                message = decode("EgmSensor", data)
            except LinkError:
                self.rejected += 1
                continue
            number = message.get("header", {}).get("seqno", -1)
            goal = _target(message)
            if number <= self.newest or goal is None:
                self.rejected += 1
                continue
            self.newest, self.target, self.last_message_time = number, goal, self.time
            self.is_guided = self.accepts_guidance and self.motors == MOTORS_ON

    def _move(self, dt: float) -> None:
        axes, goal = self.axes, self.target
        if "joints" in goal:
            count = min(len(goal["joints"]), len(axes.joints))
            speed = np.zeros(count) if goal["speed"] is None else goal["speed"][:count]
            joints = axes.joints.copy()
            joints[:count] += self._increment(goal["joints"][:count] - joints[:count], speed, dt)
            flange = axes.forward(joints) if axes.forward else (axes.position, axes.orientation)
            if flange is None:
                self.is_guided = False
                return
            axes.joints, (axes.position, axes.orientation) = joints, flange
            return
        speed = np.zeros(6) if goal["speed"] is None else goal["speed"]
        position = axes.position + self._increment(goal["position"] - axes.position, speed[:3], dt)
        rotation = self._increment(_rotation_vector(axes.orientation, goal["orientation"]), speed[3:], dt)
        orientation = _rotate(axes.orientation, rotation)
        posture = axes.inverse(position, orientation, axes.joints) if axes.inverse else axes.joints
        if posture is None:
            self.is_guided = False
            return
        axes.joints, axes.position, axes.orientation = posture, position, orientation

    def _increment(self, error: np.ndarray, speed: np.ndarray, dt: float) -> np.ndarray:
        """Return the increment of a step: exact for a constant reference, so always stable; then limited."""
        fraction = 1 - np.exp(-self.gain * dt / self.tau)
        step = fraction * error + speed * dt
        size = float(np.linalg.norm(step))
        return step * min(1.0, self.speed * dt / size) if size > 0 else step

    def _state_message(self) -> dict[str, Any]:
        axes, clock = self.axes, {"sec": int(self.time), "usec": round(self.time % 1 * 1e6)}
        motion = {
            "joints": {"joints": np.degrees(axes.joints)},
            "cartesian": wire_pose(axes.position, axes.orientation),
            "time": clock,
        }
        message = {
            "header": {"seqno": self.sequence, "tm": round(self.time * 1e3), "mtype": DATA},
            "feedBack": motion,
            "planned": motion,
            "motorState": {"state": self.motors},
            "mciState": {"state": MCI_RUNNING if self.is_guided else MCI_STOPPED},
            "mciConvergenceMet": False,
            "rapidExecState": {"state": RAPID_RUNNING},
        }
        if self.force is not None:
            message["measuredForce"] = {"fcActive": True, "force": self.force(axes)}
        return message


def _target(message: dict[str, Any]) -> dict[str, Any] | None:
    """Return the target in a message, in SI units; None if its form is unknown or a value is not finite."""
    planned, speeds = message.get("planned", {}), message.get("speedRef", {})
    if planned.get("joints", {}).get("joints"):
        speed = speeds.get("joints", {}).get("joints")
        if speed and len(speed) != len(planned["joints"]["joints"]):
            return None
        goal = {
            "joints": np.radians(planned["joints"]["joints"]),
            "speed": np.radians(speed) if speed else None,
        }
    elif {"pos", "orient"} <= set(planned.get("cartesian", {})):
        values = speeds.get("cartesians", {}).get("value")
        speed = None
        if values and len(values) == 6:  # mm/s and degrees/s
            speed = np.concatenate([np.array(values[:3]) / 1e3, np.radians(values[3:])])
        position, orientation = pose_of(planned["cartesian"])
        if not 0.5 < np.linalg.norm(orientation) < 2.0:
            return None
        goal = {
            "position": position,
            "orientation": orientation / np.linalg.norm(orientation),
            "speed": speed,
        }
    else:
        return None
    finite = all(np.all(np.isfinite(value)) for value in goal.values() if value is not None)
    return goal if finite else None


def pose_of(cartesian: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return position [m] and quaternion wxyz of a pose in a message; NaN for a value that is missing."""
    position = np.array([cartesian.get("pos", {}).get(name, np.nan) for name in "xyz"]) / 1e3
    orient = cartesian.get("orient", {})
    return position, np.array([orient.get(f"u{i}", np.nan) for i in range(4)])


def wire_pose(position: np.ndarray, orientation: np.ndarray) -> dict[str, Any]:
    """Return the pose in a message for position [m] and quaternion wxyz."""
    return {
        "pos": dict(zip("xyz", 1e3 * np.asarray(position), strict=True)),
        "orient": {f"u{i}": float(value) for i, value in enumerate(orientation)},
    }


def _rotation_vector(q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
    """Return the rotation vector [rad] from one orientation to another, in the base frame."""
    # q1 times the conjugate of q0
    scalar, vector = q1 @ q0, q0[0] * q1[1:] - q1[0] * q0[1:] - np.cross(q1[1:], q0[1:])
    d = np.array([scalar, *vector])
    d = d if d[0] >= 0 else -d
    sine = float(np.linalg.norm(d[1:]))
    return 2 * np.arctan2(sine, d[0]) * d[1:] / sine if sine > 1e-12 else 2 * d[1:]


def _rotate(q: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Return an orientation rotated by a rotation vector in the base frame."""
    angle = float(np.linalg.norm(rotation))
    axis = rotation / angle if angle > 1e-15 else np.zeros(3)
    r, v = np.cos(angle / 2), np.sin(angle / 2) * axis
    w, u = q[0], q[1:]
    result = np.concatenate([[r * w - v @ u], r * u + w * v + np.cross(v, u)])
    return result / np.linalg.norm(result)
