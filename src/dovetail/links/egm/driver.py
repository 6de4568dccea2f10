"""Drive an arm by EGM: the side that the controller calls the sensor."""

from __future__ import annotations

import dataclasses
import select
import socket
import time

import numpy as np

from dovetail.core.errors import LinkError
from dovetail.links.egm.controller import pose_of, wire_pose
from dovetail.links.egm.messages import CORRECTION, MCI_RUNNING, MOTORS_ON, decode, encode


@dataclasses.dataclass(frozen=True)
class RobotState:
    """What the controller told last; SI."""

    joints: np.ndarray  # [rad]
    position: np.ndarray  # [m]
    orientation: np.ndarray  # quaternion wxyz
    force: np.ndarray | None  # six values [N, N m], where there is a sensor
    time: float  # [s] of the controller
    motors_on: bool
    guided: bool  # it follows what it is told


class EgmDriver:
    """Talks to one controller, which begins: it sends to this port of this machine.

    Loopback unless another `host` is named. The first sender is the one that is talked to from then on.
    """

    def __init__(self, port: int = 6510, host: str = "127.0.0.1"):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self.socket.bind((host, port))
        except OSError as error:
            self.socket.close()
            raise LinkError(f"port {port}: cannot listen there ({error}); choose another") from error
        self.socket.setblocking(False)
        self.port = self.socket.getsockname()[1]
        self.peer: tuple[str, int] | None = None
        self.sequence = self.rejected = 0
        self.newest = -1

    def __enter__(self) -> EgmDriver:
        return self

    def __exit__(self, *_) -> None:
        self.socket.close()

    def receive(self, patience: float = 1.0) -> RobotState:
        """The newest state; waits for one.

        Raises
        ------
        LinkError
            If none comes in time.
        """
        end, found = time.monotonic() + patience, None
        while True:
            try:
                data, sender = self.socket.recvfrom(65536)
            except OSError:
                if found is not None:
                    return found
                left = end - time.monotonic()
                if left <= 0:
                    raise LinkError(
                        f"EGM: no robot sends to port {self.port}; is it set up with this address?"
                    ) from None
                select.select([self.socket], [], [], left)
                continue
            found = self._taken(data, sender) or found

    def _taken(self, data: bytes, sender: tuple[str, int]) -> RobotState | None:
        try:
            message = decode("EgmRobot", data)
            header, told = message["header"], message["feedBack"]
            position, orientation = pose_of(told.get("cartesian", {}))
        except (LinkError, KeyError):
            self.rejected += 1
            return None
        force = message.get("measuredForce", {})
        sensed = force.get("force", []) if force.get("fcActive", True) else []
        if 0 < len(sensed) < 3:  # no force at all would be taken for zero
            self.rejected += 1
            return None
        if self.peer not in (None, sender) or header.get("seqno", -1) <= self.newest:
            self.rejected += 1
            return None
        self.peer, self.newest = sender, header["seqno"]
        clock = told.get("time", {})
        return RobotState(
            joints=np.radians(told.get("joints", {}).get("joints", [])),
            position=position,
            orientation=orientation,
            force=np.array(sensed) if sensed else None,
            time=clock.get("sec", 0) + 1e-6 * clock.get("usec", 0),
            motors_on=message.get("motorState", {}).get("state") == MOTORS_ON,
            guided=message.get("mciState", {}).get("state") == MCI_RUNNING,
        )

    def send_pose(self, position, orientation, speed=None) -> None:
        """Where the tool should be: [m], quaternion wxyz; and how fast, six values [m/s, rad/s]."""
        told = {"planned": {"cartesian": wire_pose(position, orientation)}}
        if speed is not None:
            given = [*(1e3 * np.asarray(speed[:3])), *np.degrees(speed[3:])]
            told["speedRef"] = {"cartesians": {"value": given}}
        self._send(told)

    def send_joints(self, joints, speed=None) -> None:
        """Where the joints should be [rad], and how fast [rad/s]."""
        told = {"planned": {"joints": {"joints": np.degrees(joints)}}}
        if speed is not None:
            told["speedRef"] = {"joints": {"joints": np.degrees(speed)}}
        self._send(told)

    def _send(self, told: dict) -> None:
        if self.peer is None:
            raise LinkError("EGM: nothing was heard of a robot yet; receive first")
        self.sequence += 1
        clock = round(time.monotonic() * 1e3) & 0xFFFFFFFF
        header = {"seqno": self.sequence, "tm": clock, "mtype": CORRECTION}
        self.socket.sendto(encode("EgmSensor", {"header": header, **told}), self.peer)


class EgmPlant:
    """An arm as the plant of a served rig (`links.Server`): each axis is one direction of its tool.

    Commands are displacements [m] from where the tool was at `reset`, along `directions` (unit vectors of the base's
    frame, one for each axis); readings are the displacements and the forces of the force sensor along them. The
    controller's 250 Hz are the rig's rate.
    """

    def __init__(self, driver: EgmDriver, directions=((0.0, 0.0, 1.0),), patience: float = 1.0):
        self.driver, self.patience = driver, patience
        self.directions = np.atleast_2d(np.asarray(directions, dtype=float))
        self.axes = len(self.directions)
        self.signals = (("measured_displacement", self.axes), ("measured_force", self.axes))
        self.reset()

    def reset(self) -> np.ndarray:
        """Zero is where the tool is now; nothing moves."""
        state = self.driver.receive(self.patience)
        self.origin, self.orientation = state.position, state.orientation
        return self._reading(state)

    def step(self, command: np.ndarray) -> np.ndarray:
        """Send the command, wait for the controller's next message."""
        self.driver.send_pose(self.origin + command @ self.directions, self.orientation)
        return self._reading(self.driver.receive(self.patience))

    def _reading(self, state: RobotState) -> np.ndarray:
        force = np.zeros(3) if state.force is None else state.force[:3]
        return np.concatenate([self.directions @ (state.position - self.origin), self.directions @ force])
