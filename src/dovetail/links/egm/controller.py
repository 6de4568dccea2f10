r"""A virtual arm behind EGM: sends and takes what the robot's controller does, every 4 ms.

The arm follows its reference as a controller with low-pass filter and speed limit does,

.. math:: \dot q = \operatorname{sat}(\dot q_{ref} + g\,(q_{ref} - q)/\tau),

each joint, or each coordinate of the pose, by itself; orientation by the rotation vector between the two
quaternions. When no message has come for `patience` seconds it stops where it is and says so
(`mciState` stopped); so it does at the end of its reach and of a joint. Not modelled: load, the collision
supervision.
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
class Axes:
    """Where an arm is, in the coordinates it is led in; SI.

    `forward` and `inverse` relate joints [rad] to (position [m], quaternion wxyz); without them the coordinates
    that are not led stay where they are. Either gives None where the arm cannot go.
    """

    joints: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(JOINTS))  # [rad]
    position: np.ndarray = dataclasses.field(default_factory=lambda: np.array([1.0, 0.0, 1.2]))  # [m]
    orientation: np.ndarray = dataclasses.field(
        default_factory=lambda: np.array([0.0, 0.0, 1.0, 0.0])
    )  # wxyz
    forward: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray] | None] | None = None
    inverse: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray | None] | None = None

    @classmethod
    def of(cls, arm: Arm, joints: np.ndarray) -> Axes:
        """Of an arm of a robot cell, its joints at `joints` [rad]: what is led in one way moves in the other too."""

        @jax.jit
        def pose(q):
            flange = arm.forward(q)
            return flange.p, quaternion.from_matrix(flange.R), arm.within(q)

        @jax.jit
        def posture(p, q, near):
            return arm.nearest(Pose(quaternion.to_matrix(q), p), near)

        def forward(q):
            *place, within = map(np.asarray, pose(q))
            return tuple(place) if within else None

        def inverse(p, q, near):
            found, within, _ = map(np.asarray, posture(p, q, near))
            return found if within else None

        start = np.asarray(joints, dtype=float)
        place = forward(start)
        if place is None:
            raise LinkError(f"EGM: the arm cannot stand with its joints at {np.degrees(start)} degrees")
        position, orientation = place
        inverse(position, orientation, start)  # compiled before the first message waits for it
        return cls(start, position, orientation, forward, inverse)


@dataclasses.dataclass
class VirtualController:
    """An arm that is guided by whoever listens at `client`.

    `force` may give the wrench that its force sensor shows, from where the arm is: six values [N, N m].
    """

    client: tuple[str, int]
    axes: Axes = dataclasses.field(default_factory=Axes)
    tau: float = 0.02  # [s] time constant of its low-pass filter
    gain: float = 1.0  # of position, 0 to 1
    speed: float = 0.5  # [m/s], and in radians a second for turns and joints
    patience: float = 1.0  # [s]
    force: Callable[[Axes], np.ndarray] | None = None

    def __post_init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1" if self.client[0] in ("127.0.0.1", "localhost") else "", 0))
        self.socket.setblocking(False)
        self.sequence = self.rejected = 0
        self.newest = -1  # sequence number of the newest message taken
        self.time = self.heard = 0.0  # [s] of the arm; when a message came last
        self.guided = False
        self.target: dict[str, Any] = {}
        self.stopping = False

    def close(self) -> None:
        """Give the port back."""
        self.socket.close()

    def serve(self) -> None:
        """Cycle on the wall clock until `stop` is called."""
        due = time.monotonic()
        with contextlib.closing(self.socket):
            while not self.stopping:
                self.cycle()
                due = max(due + PERIOD, time.monotonic() - 10 * PERIOD)
                time.sleep(max(due - time.monotonic(), 0.0))

    def start(self) -> threading.Thread:
        """`serve` in a thread of its own."""
        thread = threading.Thread(target=self.serve, name="dovetail-egm", daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        """End `serve` within a cycle."""
        self.stopping = True

    def cycle(self) -> None:
        """One cycle of 4 ms: take what has come, move, tell where the arm is."""
        self._take()
        if self.time - self.heard > self.patience:
            self.guided = False
        if self.guided:
            self._move(PERIOD)
        self.time += PERIOD
        self.sequence += 1
        with contextlib.suppress(OSError):  # nobody listens yet
            self.socket.sendto(encode("EgmRobot", self._told()), self.client)

    def _take(self) -> None:
        """The newest of the messages that have come; older ones and what is none are dropped."""
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
            self.newest, self.target, self.heard, self.guided = number, goal, self.time, True

    def _move(self, dt: float) -> None:
        axes, goal = self.axes, self.target
        if "joints" in goal:
            count = min(len(goal["joints"]), len(axes.joints))
            speed = np.zeros(count) if goal["speed"] is None else goal["speed"][:count]
            joints = axes.joints.copy()
            joints[:count] += self._increment(goal["joints"][:count] - joints[:count], speed, dt)
            place = axes.forward(joints) if axes.forward else (axes.position, axes.orientation)
            if place is None:
                self.guided = False
                return
            axes.joints, (axes.position, axes.orientation) = joints, place
            return
        speed = np.zeros(6) if goal["speed"] is None else goal["speed"]
        position = axes.position + self._increment(goal["position"] - axes.position, speed[:3], dt)
        turn = self._increment(_turn(axes.orientation, goal["orientation"]), speed[3:], dt)
        orientation = _turned(axes.orientation, turn)
        posture = axes.inverse(position, orientation, axes.joints) if axes.inverse else axes.joints
        if posture is None:
            self.guided = False
            return
        axes.joints, axes.position, axes.orientation = posture, position, orientation

    def _increment(self, error: np.ndarray, speed: np.ndarray, dt: float) -> np.ndarray:
        """Exact over a step for a constant reference, so that any time constant is stable; then limited."""
        share = 1 - np.exp(-self.gain * dt / self.tau)
        step = share * error + speed * dt
        size = float(np.linalg.norm(step))
        return step * min(1.0, self.speed * dt / size) if size > 0 else step

    def _told(self) -> dict[str, Any]:
        axes, clock = self.axes, {"sec": int(self.time), "usec": round(self.time % 1 * 1e6)}
        place = {
            "joints": {"joints": np.degrees(axes.joints)},
            "cartesian": wire_pose(axes.position, axes.orientation),
            "time": clock,
        }
        told = {
            "header": {"seqno": self.sequence, "tm": round(self.time * 1e3), "mtype": DATA},
            "feedBack": place,
            "planned": place,
            "motorState": {"state": MOTORS_ON},
            "mciState": {"state": MCI_RUNNING if self.guided else MCI_STOPPED},
            "mciConvergenceMet": False,
            "rapidExecState": {"state": RAPID_RUNNING},
        }
        if self.force is not None:
            told["measuredForce"] = {"fcActive": True, "force": self.force(axes)}
        return told


def _target(message: dict[str, Any]) -> dict[str, Any] | None:
    """Where a message wants the arm, in SI; None if it says so in no way we know, or not in finite numbers."""
    planned, speeds = message.get("planned", {}), message.get("speedRef", {})
    if planned.get("joints", {}).get("joints"):
        given = speeds.get("joints", {}).get("joints")
        if given and len(given) != len(planned["joints"]["joints"]):
            return None
        goal = {
            "joints": np.radians(planned["joints"]["joints"]),
            "speed": np.radians(given) if given else None,
        }
    elif {"pos", "orient"} <= set(planned.get("cartesian", {})):
        given = speeds.get("cartesians", {}).get("value")
        speed = None
        if given and len(given) == 6:  # mm/s and degrees/s
            speed = np.concatenate([np.array(given[:3]) / 1e3, np.radians(given[3:])])
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
    """Position [m] and quaternion wxyz of a pose on the wire."""
    position = np.array([cartesian.get("pos", {}).get(name, 0.0) for name in "xyz"]) / 1e3
    orient = cartesian.get("orient", {})
    return position, np.array([orient.get(f"u{i}", 0.0) for i in range(4)])


def wire_pose(position: np.ndarray, orientation: np.ndarray) -> dict[str, Any]:
    """A pose on the wire, from position [m] and quaternion wxyz."""
    return {
        "pos": dict(zip("xyz", 1e3 * np.asarray(position), strict=True)),
        "orient": {f"u{i}": float(value) for i, value in enumerate(orientation)},
    }


def _turn(q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
    """Rotation vector [rad] that leads from one orientation to another, in the frame of the base."""
    # q1 times the conjugate of q0
    scalar, vector = q1 @ q0, q0[0] * q1[1:] - q1[0] * q0[1:] - np.cross(q1[1:], q0[1:])
    d = np.array([scalar, *vector])
    d = d if d[0] >= 0 else -d
    sine = float(np.linalg.norm(d[1:]))
    return 2 * np.arctan2(sine, d[0]) * d[1:] / sine if sine > 1e-12 else 2 * d[1:]


def _turned(q: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """An orientation turned by a rotation vector of the base's frame."""
    angle = float(np.linalg.norm(turn))
    axis = turn / angle if angle > 1e-15 else np.zeros(3)
    r, v = np.cos(angle / 2), np.sin(angle / 2) * axis
    w, u = q[0], q[1:]
    result = np.concatenate([[r * w - v @ u], r * u + w * v + np.cross(v, u)])
    return result / np.linalg.norm(result)
