"""Experimental site for OpenSees: the simulated rig of a test as its `genericClient` element, over TCP or UDP.

In OpenSees: `element('genericClient', 1, '-node', 2, '-dof', 1, '-server', 8090)`, with `'-udp'` for UDP. The clients
of the SimApp server of OpenFresco (ANSYS, Abaqus, LS-DYNA, MATLAB, C) use the same protocol. A frame is a fixed number
of doubles in the byte order of the machine, the first is an action; some actions are answered with a frame.

The client has no time-outs: it blocks if a server does not answer or closes. Therefore this server never closes first
and always answers; after a fault it answers with NaN, which stops the analysis. Over TCP the client writes twice before
it reads, which takes 40 ms per exchange with delayed acknowledgement; therefore the server requests quick
acknowledgement after each receive.

Forces are the resisting forces of an element: minus the force on the numerical substructure. A step of the analysis is
a tick of the rig. All trials of a step start from the last committed state, which is possible with a simulated rig
only (use an explicit integrator with a real rig).
"""

from __future__ import annotations

import contextlib
import dataclasses
import select
import socket
import struct
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from dovetail.core import signals
from dovetail.core.errors import LinkError
from dovetail.links.address import Address
from dovetail.links.rig_program import VirtualPlant

TRIAL, COMMIT, DAQ, FORCE, END, SHUTDOWN = 3, 5, 6, 10, 99, 98
INITIAL_STIFFNESS, STIFFNESS, DAMPING, MASS = 12, 13, 14, 15
SIZES = struct.Struct("=11i")
_FIRST = struct.Struct("=d")
ANSWERED = frozenset(range(6, 16))
MAX_DOUBLES = 1 << 16
MAX_DATAGRAM = 9126  # [bytes] the client splits longer messages
POLL_INTERVAL = 0.2  # [s] interval of the check for a stop
POLLS = 100  # checks of the socket, a few microseconds each, before the server sleeps


class RigElement:
    """Rig as an element: from trial displacements to resisting forces.

    `initial_stiffness` is reported to implicit integrators; it affects the convergence and not the forces. A scalar is
    the stiffness of each axis. With `two_node` the rig follows the difference of two nodes, second minus first: the
    element has the displacements of both nodes, and forces on both.
    """

    def __init__(
        self, plant: VirtualPlant, initial_stiffness: float | np.ndarray = 0.0, *, two_node: bool = False
    ):
        self.plant, one = plant, np.eye(plant.axes)
        self._from_nodes = (
            np.hstack([-one, one]) if two_node else one
        )  # displacements of nodes to motion of the rig
        self.axes = self._from_nodes.shape[1]  # axes of the element
        stiff = np.asarray(initial_stiffness, dtype=float)
        stiff = stiff * one if stiff.ndim == 0 else stiff.reshape(one.shape)
        self.stiffness = self._from_nodes.T @ stiff @ self._from_nodes
        self.reset()

    def reset(self) -> None:
        """Return to rest at time zero."""
        self.reading = self.plant.reset()
        self.committed, self.time, self.trial_time = self.plant.state, 0.0, 0.0
        self.trial_displacement: np.ndarray | None = None
        self.rows: list[np.ndarray] = []  # each committed step: time, command, reading

    def trial(self, displacement: np.ndarray, time: float) -> None:
        """Process a trial displacement; the rig moves if the time has increased."""
        # an explicit integrator sends each trial twice, the second time with its new velocities
        if time == self.trial_time and (
            self.trial_displacement is not None and np.array_equal(displacement, self.trial_displacement)
        ):
            return
        self.trial_time, self.trial_displacement = time, displacement
        if time > self.time:
            self.plant.state = self.committed
            self.reading = self.plant.step(self._from_nodes @ displacement)

    def commit(self) -> None:
        """Commit the last trial."""
        if self.trial_displacement is not None and self.trial_time > self.time:
            command = self._from_nodes @ self.trial_displacement
            self.rows.append(np.concatenate([[self.trial_time], command, self.reading]))
        self.committed, self.time = self.plant.state, self.trial_time

    def recording(self) -> xr.Dataset:
        """Return command and reading of each committed step, over the time of the analysis.

        Signs as in Dovetail: `measured_force` acts on the numerical substructure and is minus the force of the element.
        """
        columns = (("time", 1), ("command", self.plant.axes), *self.plant.signals)
        ends = np.cumsum([size for _, size in columns])
        table = np.array(self.rows).reshape(len(self.rows), ends[-1])
        data: dict[str, Any] = {}
        for (name, size), end in zip(columns[1:], ends[1:], strict=True):
            values = table[:, end - size : end]
            attributes = {"units": signals.signal(name).unit, "long_name": signals.signal(name).label}
            is_scalar = size == 1 and not self.plant.shape
            dims = ["time"] if is_scalar else ["time", "axis" if size == self.plant.axes else f"{name}_0"]
            data[name] = (dims, values[:, 0] if is_scalar else values, attributes)
        return xr.Dataset(data, {"time": ("time", table[:, 0], {"units": "s"})})

    def force(self) -> np.ndarray:
        """Return the resisting force by axis of the element [N]."""
        n = self.plant.axes
        resisting: np.ndarray = -self.reading[n : 2 * n] @ self._from_nodes
        return resisting

    def displacement(self) -> np.ndarray:
        """Return the measured displacement by axis of the element [m]; with two nodes that of the second node."""
        measured = np.zeros(self.axes)
        measured[-self.plant.axes :] = self.reading[: self.plant.axes]
        return measured


@dataclasses.dataclass
class _Frames:
    """Frames with the sizes of a client, and the answers to actions."""

    specimen: RigElement
    sizes: tuple[int, ...]

    def __post_init__(self):
        n = self.specimen.axes
        self.length = self.sizes[10]
        self.zeros = bytes(8 * self.length)
        self.fits = self.sizes[0] == n and self.sizes[1] in (0, n) and self.sizes[2] in (0, n)
        self.fits &= sum(self.sizes[:5]) + 1 <= self.length and self.length >= max(
            n * n, sum(self.sizes[5:10])
        )

    def answer(self, frame: bytes) -> bytes | None:
        """Return the answer to a frame, or None."""
        action = (
            int(_FIRST.unpack_from(frame)[0]) if frame[7] & 0x7F < 0x7F else 0
        )  # a small number, otherwise 0
        if not self.fits:
            return np.full(self.length, np.nan).tobytes() if action in ANSWERED else None
        if action == TRIAL:
            n, before_time = self.sizes[0], 1 + sum(self.sizes[:4])
            values = np.frombuffer(frame)
            if not self.sizes[
                4
            ]:  # a client without time, such as a control of OpenFresco: each command is a step
                self.specimen.commit()
            time = float(values[before_time]) if self.sizes[4] else self.specimen.time + 1.0
            self.specimen.trial(values[1 : 1 + n], time)
            return None
        if action == COMMIT:
            self.specimen.commit()
            return None
        if action == FORCE:
            return self._pad(self.specimen.force())
        if action in (INITIAL_STIFFNESS, STIFFNESS):
            return self._pad(self.specimen.stiffness.ravel(order="F"))
        if action == DAQ:
            return self._pad(self._daq())
        return self.zeros if action in ANSWERED else None

    def _pad(self, values: np.ndarray) -> bytes:
        data = values.tobytes()
        return data + self.zeros[len(data) :]

    def _daq(self) -> np.ndarray:
        n = self.specimen.axes
        signals = [self.specimen.displacement(), np.zeros(n), np.zeros(n), self.specimen.force()]
        parts = [part[:size] for part, size in zip(signals, self.sizes[5:9], strict=True)]
        return np.concatenate([*parts, np.full(self.sizes[9], self.specimen.trial_time)])


def parse_sizes(data: bytes) -> tuple[int, ...]:
    """Return the eleven sizes in the first message of a client."""
    sizes = SIZES.unpack(data)
    if any(not 0 <= size <= MAX_DOUBLES for size in sizes) or sizes[10] < 2:
        raise LinkError(f"OpenSees: got the sizes {sizes}; check whether another program uses this port")
    return sizes


class ElementServer:
    """Server of a specimen for one client after another until `stop` is called."""

    def __init__(
        self,
        specimen: RigElement,
        address: Address,
        *,
        udp: bool = False,
        report: Callable[[str], None] = lambda text: None,
        save: Callable[[xr.Dataset], None] = lambda recording: None,
    ):
        # the protocol has no authentication, so only this machine is permitted
        family, host = address.resolve(None)
        self.specimen, self.udp, self.report, self.stopping = specimen, udp, report, False
        self.save = save  # receives the recording of each client
        self.socket = socket.socket(family, socket.SOCK_DGRAM if udp else socket.SOCK_STREAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self.socket.bind((host, address.port))
        except OSError as error:
            self.socket.close()
            raise LinkError(f"port {address.port}: cannot listen there ({error}); choose another") from error
        if udp:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        else:
            self.socket.listen(1)
        self.socket.settimeout(POLL_INTERVAL)
        self.port = self.socket.getsockname()[1]

    def stop(self) -> None:
        """End `serve` within a fraction of a second."""
        self.stopping = True

    def serve(self) -> None:
        """Serve until `stop` is called."""
        with self.socket:
            while not self.stopping:
                with contextlib.suppress(TimeoutError, _Stopped):
                    self._client()

    def _client(self) -> None:
        """Serve one client."""
        channel = self._datagram_channel() if self.udp else self._stream_channel()
        with channel:
            self.specimen.reset()
            try:
                frames = _Frames(self.specimen, parse_sizes(channel.receive(SIZES.size)))
                if not frames.fits:
                    self.report(f"sizes {frames.sizes} do not fit {self.specimen.axes} axes: answers are NaN")
                self._frames(channel, frames)
            except LinkError as error:
                self.report(str(error))
            finally:
                if self.specimen.rows:
                    self.save(self.specimen.recording())

    def _frames(self, channel: _Channel, frames: _Frames) -> None:
        start, steps = time.monotonic(), 0
        while True:
            frame = channel.receive(8 * frames.length)
            (action,) = _FIRST.unpack_from(frame)
            steps += action == COMMIT
            if action in (END, SHUTDOWN):
                break
            reply = frames.answer(frame)
            if reply is not None:
                channel.send(reply)
        rate = steps / max(time.monotonic() - start, 1e-9)
        self.report(f"client ended after {steps} steps, {rate:.0f} steps/s")

    def _stream_channel(self) -> _Channel:
        connection, _ = self.socket.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return _Stream(connection, self)

    def _datagram_channel(self) -> _Channel:
        data, peer = self.socket.recvfrom(16)
        while data != b"a":
            data, peer = self.socket.recvfrom(16)
        self.socket.sendto(b"b", peer)
        return _Datagrams(self.socket, peer, self)


class _Stopped(Exception):
    """Stop of the server, or loss of its client."""


class _Channel(ABC):
    def __init__(self, connection: socket.socket, server: ElementServer):
        self.connection, self.server = connection, server

    def __enter__(self):
        self.connection.setblocking(False)
        return self

    def __exit__(self, *_):
        self.connection.settimeout(POLL_INTERVAL)

    @abstractmethod
    def receive(self, size: int) -> bytes:
        """Receive exactly `size` bytes."""

    @abstractmethod
    def send(self, data: bytes) -> None:
        """Send all bytes."""

    def receive_next(self, receive: Callable[[int], Any], max_size: int) -> Any:
        """Return the next data; poll before sleeping, which is faster during a step."""
        while True:
            for _ in range(POLLS):
                try:
                    return receive(max_size)
                except BlockingIOError:
                    continue
            while not select.select([self.connection], [], [], POLL_INTERVAL)[0]:
                if self.server.stopping:
                    raise _Stopped


class _Stream(_Channel):
    def __exit__(self, *_):
        self.connection.close()

    def receive(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            try:
                piece = self.receive_next(self.connection.recv, size - len(data))
                self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            except OSError:
                raise _Stopped from None
            if not piece:
                raise _Stopped
            data = data + piece if data else piece
        return data

    def send(self, data: bytes) -> None:
        try:
            while data:
                try:
                    data = data[self.connection.send(data) :]
                except BlockingIOError:  # a client that does not read
                    select.select([], [self.connection], [], POLL_INTERVAL)
                    if self.server.stopping:
                        raise _Stopped from None
        except OSError:
            raise _Stopped from None


class _Datagrams(_Channel):
    def __init__(self, connection: socket.socket, peer: tuple[str, int], server: ElementServer):
        super().__init__(connection, server)
        self.peer = peer

    def receive(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece, peer = self.receive_next(self.connection.recvfrom, MAX_DATAGRAM + 1)
            if peer == self.peer:
                data += piece
        if len(data) > size:
            raise LinkError(f"OpenSees: got {len(data)} bytes for a message of {size}; a datagram was lost")
        return data

    def send(self, data: bytes) -> None:
        for at in range(0, len(data), MAX_DATAGRAM):
            with contextlib.suppress(OSError):
                self.connection.sendto(data[at : at + MAX_DATAGRAM], self.peer)
