"""Driver of an arm by EGM: the program that the controller calls the sensor."""

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
    """State in the last message of the controller; SI units."""

    joints: np.ndarray  # [rad]
    position: np.ndarray  # [m]
    orientation: np.ndarray  # quaternion wxyz
    force: np.ndarray | None  # six values [N, N m], with a sensor
    time: float  # [s] clock of the controller
    motors_on: bool
    is_guided: bool  # the arm follows the messages


class EgmDriver:
    """Connection to one controller, which sends its messages to this port.

    `host`: interface to listen on (default: loopback). The first sender is the only one accepted.
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

    def receive(self, timeout: float = 1.0) -> RobotState:
        """Wait for a state and return the newest one.

        Raises
        ------
        LinkError
            If there is no message in time.
        """
        end, state = time.monotonic() + timeout, None
        while True:
            try:
                data, sender = self.socket.recvfrom(65536)
            except OSError:
                if state is not None:
                    return state
                left = end - time.monotonic()
                if left <= 0:
                    raise LinkError(
                        f"EGM: no message from a robot at port {self.port}; check its configured address"
                    ) from None
                select.select([self.socket], [], [], left)
                continue
            state = self._read_state(data, sender) or state

    def _read_state(self, data: bytes, sender: tuple[str, int]) -> RobotState | None:
        try:
            message = decode("EgmRobot", data)
            header, motion = message["header"], message["feedBack"]
            position, orientation = pose_of(motion.get("cartesian", {}))
        except (LinkError, KeyError):
            self.rejected += 1
            return None
        force = message.get("measuredForce", {})
        values = force.get("force", []) if force.get("fcActive", True) else []
        if 0 < len(values) < 3:  # incomplete
            self.rejected += 1
            return None
        if self.peer not in (None, sender) or header.get("seqno", -1) <= self.newest:
            self.rejected += 1
            return None
        self.peer, self.newest = sender, header["seqno"]
        clock = motion.get("time", {})
        return RobotState(
            joints=np.radians(motion.get("joints", {}).get("joints", [])),
            position=position,
            orientation=orientation,
            force=np.array(values) if values else None,
            time=clock.get("sec", 0) + 1e-6 * clock.get("usec", 0),
            motors_on=message.get("motorState", {}).get("state") == MOTORS_ON,
            is_guided=message.get("mciState", {}).get("state") == MCI_RUNNING,
        )

    def send_pose(self, position, orientation, speed=None) -> None:
        """Send a target pose ([m], quaternion wxyz), and optionally a speed, six values [m/s, rad/s]."""
        message = {"planned": {"cartesian": wire_pose(position, orientation)}}
        if speed is not None:
            values = [*(1e3 * np.asarray(speed[:3])), *np.degrees(speed[3:])]
            message["speedRef"] = {"cartesians": {"value": values}}
        self._send(message)

    def send_joints(self, joints, speed=None) -> None:
        """Send target joint angles [rad], and optionally speeds [rad/s]."""
        message = {"planned": {"joints": {"joints": np.degrees(joints)}}}
        if speed is not None:
            message["speedRef"] = {"joints": {"joints": np.degrees(speed)}}
        self._send(message)

    def _send(self, message: dict) -> None:
        if self.peer is None:
            raise LinkError("EGM: no message from a robot yet; call receive first")
        self.sequence += 1
        clock = round(time.monotonic() * 1e3) & 0xFFFFFFFF
        header = {"seqno": self.sequence, "tm": clock, "mtype": CORRECTION}
        self.socket.sendto(encode("EgmSensor", {"header": header, **message}), self.peer)


class EgmPlant:
    """Arm as the plant of a rig server (`links.RigServer`): each axis is a direction of its tool.

    Commands are displacements [m] from the position of the tool at `reset`, along `directions` (unit vectors in the
    base frame, one per axis). Readings are the displacements and the forces of the force sensor along these directions.
    The rate of the rig is that of the controller, 250 Hz.

    The state of the controller is part of every reading. An arm that is not guided, whose motors are off, or that sends
    no force is an error: the server refuses a session with it, and leads the rig to rest during one.
    """

    def __init__(self, driver: EgmDriver, directions=((0.0, 0.0, 1.0),), timeout: float = 1.0):
        self.driver, self.timeout = driver, timeout
        self.directions = np.atleast_2d(np.asarray(directions, dtype=float))
        self.axes = len(self.directions)
        self.signals = (("measured_displacement", self.axes), ("measured_force", self.axes))
        self.reset()

    def reset(self) -> np.ndarray:
        """Set the origin to the present position of the tool, without motion.

        Raises
        ------
        LinkError
            If the arm is not guided within the time limit, its motors are off, or the controller sends no force.
        """
        end = time.monotonic() + self.timeout
        state = self.driver.receive(self.timeout)
        while state.motors_on and not state.is_guided and time.monotonic() < end:
            self.driver.send_pose(state.position, state.orientation)  # guided from its first message on
            state = self.driver.receive(self.timeout)
        self.origin, self.orientation = state.position, state.orientation
        return self._reading(state)

    def step(self, command: np.ndarray) -> np.ndarray:
        """Send the command and wait for the next message of the controller."""
        self.driver.send_pose(self.origin + command @ self.directions, self.orientation)
        return self._reading(self.driver.receive(self.timeout))

    def _reading(self, state: RobotState) -> np.ndarray:
        if not state.motors_on:
            raise LinkError("EGM: the motors of the arm are off; switch them on")
        if not state.is_guided:
            raise LinkError("EGM: the arm does not follow; start EGMRunPose in the program of the controller")
        if state.force is None:
            raise LinkError("EGM: the controller sends no force; connect and activate its force sensor")
        force = state.force[:3]
        return np.concatenate([self.directions @ (state.position - self.origin), self.directions @ force])
