"""The experimental site for OpenSees: a test's virtual rig as its `genericClient` element, over TCP or UDP.

In OpenSees: `element('genericClient', 1, '-node', 2, '-dof', 1, '-server', 8090)`, with `'-udp'` for UDP. The
clients of OpenFresco's SimApp server (ANSYS, Abaqus, LS-DYNA, MATLAB, C) speak the same. A frame is a fixed
number of doubles in the machine's byte order, the first an action; some actions are answered with a frame.

The client has no time-outs of its own: it hangs or spins when a server falls silent or closes. So this server
never closes first and always answers; when it cannot go on it answers with NaN, on which an analysis stops.
Over TCP the client writes twice before it reads, which with delayed acknowledgement costs 40 ms an exchange;
so the server asks for quick acknowledgement after every receive.

Forces are those of an element, that resist: minus the force that acts on the numerical substructure. A step
of the analysis is a tick of the rig; trials of one step all start from the last committed state, which a
virtual rig can do and a real one cannot (use an explicit integrator then).
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
ASKING = frozenset(range(6, 16))
MOST_DOUBLES = 1 << 16
MOST_DATAGRAM = 9126  # [bytes] the client cuts longer messages
LOOK = 0.2  # [s] between two looks at `stop`
LOOKS = 100  # at the socket, some microseconds each, before the server sleeps until something comes


class RigElement:
    """A rig as an element: trial displacements in, resisting forces out.

    `stiffness` is what an implicit integrator is told; it affects convergence, not the forces. A scalar is
    for every axis by itself. `between` two nodes the rig follows their difference, second less first: the element has
    the displacements of both, and forces on both.
    """

    def __init__(self, plant: VirtualPlant, stiffness: float | np.ndarray = 0.0, *, between: bool = False):
        self.plant, one = plant, np.eye(plant.axes)
        self._of_nodes = (
            np.hstack([-one, one]) if between else one
        )  # motion of the rig by displacements of the nodes
        self.axes = self._of_nodes.shape[1]  # of the element
        stiff = np.asarray(stiffness, dtype=float)
        stiff = stiff * one if stiff.ndim == 0 else stiff.reshape(one.shape)
        self.stiffness = self._of_nodes.T @ stiff @ self._of_nodes
        self.reset()

    def reset(self) -> None:
        """Back to rest at time zero."""
        self.reading = self.plant.reset()
        self.committed, self.time, self.trial_time = self.plant.state, 0.0, 0.0
        self.tried: np.ndarray | None = None
        self.rows: list[np.ndarray] = []  # of every committed step: time, command, reading

    def trial(self, displacement: np.ndarray, at: float) -> None:
        """A trial displacement; the rig moves if time does."""
        # an explicit integrator sends each trial twice, the second time with its new velocities
        if at == self.trial_time and self.tried is not None and np.array_equal(displacement, self.tried):
            return
        self.trial_time, self.tried = at, displacement
        if at > self.time:
            self.plant.state = self.committed
            self.reading = self.plant.step(self._of_nodes @ displacement)

    def commit(self) -> None:
        """The last trial was right."""
        if self.tried is not None and self.trial_time > self.time:
            self.rows.append(np.concatenate([[self.trial_time], self._of_nodes @ self.tried, self.reading]))
        self.committed, self.time = self.plant.state, self.trial_time

    def recording(self) -> xr.Dataset:
        """What was commanded and read in every committed step, over the time of the analysis.

        Signs are Dovetail's: `measured_force` acts on the numerical substructure, and is minus that of the element.
        """
        columns = (("time", 1), ("command", self.plant.axes), *self.plant.signals)
        ends = np.cumsum([size for _, size in columns])
        table = np.array(self.rows).reshape(len(self.rows), ends[-1])
        data: dict[str, Any] = {}
        for (name, size), end in zip(columns[1:], ends[1:], strict=True):
            values = table[:, end - size : end]
            about = {"units": signals.signal(name).unit, "long_name": signals.signal(name).label}
            alone = size == 1 and not self.plant.shape
            dims = ["time"] if alone else ["time", "axis" if size == self.plant.axes else f"{name}_0"]
            data[name] = (dims, values[:, 0] if alone else values, about)
        return xr.Dataset(data, {"time": ("time", table[:, 0], {"units": "s"})})

    def force(self) -> np.ndarray:
        """Resisting force, by axis of the element [N]."""
        n = self.plant.axes
        resisting: np.ndarray = -self.reading[n : 2 * n] @ self._of_nodes
        return resisting

    def displacement(self) -> np.ndarray:
        """Measured displacement, by axis of the element [m]: between two nodes that of the second."""
        measured = np.zeros(self.axes)
        measured[-self.plant.axes :] = self.reading[: self.plant.axes]
        return measured


@dataclasses.dataclass
class _Frames:
    """The agreed sizes, and what an action is answered with."""

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
        """The frame in answer, or None if there is none to give."""
        action = int(_FIRST.unpack_from(frame)[0]) if frame[7] & 0x7F < 0x7F else 0  # a small number or none
        if not self.fits:
            return np.full(self.length, np.nan).tobytes() if action in ASKING else None
        if action == TRIAL:
            n, before_time = self.sizes[0], 1 + sum(self.sizes[:4])
            values = np.frombuffer(frame)
            if not self.sizes[4]:  # a client without time, as OpenFresco's control: each command is a step
                self.specimen.commit()
            at = float(values[before_time]) if self.sizes[4] else self.specimen.time + 1.0
            self.specimen.trial(values[1 : 1 + n], at)
            return None
        if action == COMMIT:
            self.specimen.commit()
            return None
        if action == FORCE:
            return self._padded(self.specimen.force())
        if action in (INITIAL_STIFFNESS, STIFFNESS):
            return self._padded(self.specimen.stiffness.ravel(order="F"))
        if action == DAQ:
            return self._padded(self._daq())
        return self.zeros if action in ASKING else None

    def _padded(self, values: np.ndarray) -> bytes:
        data = values.tobytes()
        return data + self.zeros[len(data) :]

    def _daq(self) -> np.ndarray:
        n = self.specimen.axes
        known = [self.specimen.displacement(), np.zeros(n), np.zeros(n), self.specimen.force()]
        parts = [part[:size] for part, size in zip(known, self.sizes[5:9], strict=True)]
        return np.concatenate([*parts, np.full(self.sizes[9], self.specimen.trial_time)])


def sizes_in(data: bytes) -> tuple[int, ...]:
    """The eleven sizes of a client's first message."""
    sizes = SIZES.unpack(data)
    if any(not 0 <= size <= MOST_DOUBLES for size in sizes) or sizes[10] < 2:
        raise LinkError(f"OpenSees: got the sizes {sizes}; is another program talking to this port?")
    return sizes


class ElementServer:
    """Serves a specimen to one client after another until `stop` is called."""

    def __init__(
        self,
        specimen: RigElement,
        address: Address,
        *,
        udp: bool = False,
        report: Callable[[str], None] = lambda text: None,
        keep: Callable[[xr.Dataset], None] = lambda recording: None,
    ):
        # the protocol has no authentication: this machine only, whatever the key
        family, host = address.resolved(None)
        self.specimen, self.udp, self.report, self.stopping = specimen, udp, report, False
        self.keep = keep  # given what was recorded of each client, however it ended
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
        self.socket.settimeout(LOOK)
        self.port = self.socket.getsockname()[1]

    def stop(self) -> None:
        """End `serve` within a fraction of a second."""
        self.stopping = True

    def serve(self) -> None:
        """Serve until stopped."""
        with self.socket:
            while not self.stopping:
                with contextlib.suppress(TimeoutError, _Stopped):
                    self._client()

    def _client(self) -> None:
        """One client from its first word to its last."""
        channel = self._datagram_channel() if self.udp else self._stream_channel()
        with channel:
            self.specimen.reset()
            try:
                frames = _Frames(self.specimen, sizes_in(channel.receive(SIZES.size)))
                if not frames.fits:
                    self.report(f"sizes {frames.sizes} do not fit {self.specimen.axes} axes: answers are NaN")
                self._frames(channel, frames)
            except LinkError as error:
                self.report(str(error))
            finally:
                if self.specimen.rows:
                    self.keep(self.specimen.recording())

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
    """The server was told to stop, or its client vanished."""


class _Channel(ABC):
    def __init__(self, connection: socket.socket, server: ElementServer):
        self.connection, self.server = connection, server

    def __enter__(self):
        self.connection.setblocking(False)
        return self

    def __exit__(self, *_):
        self.connection.settimeout(LOOK)

    @abstractmethod
    def receive(self, size: int) -> bytes:
        """Exactly so many bytes."""

    @abstractmethod
    def send(self, data: bytes) -> None:
        """All of them."""

    def soon(self, receive: Callable[[int], Any], most: int) -> Any:
        """What comes next. A client in mid-step is answered sooner by looking again than by sleeping."""
        while True:
            for _ in range(LOOKS):
                try:
                    return receive(most)
                except BlockingIOError:
                    continue
            while not select.select([self.connection], [], [], LOOK)[0]:
                if self.server.stopping:
                    raise _Stopped


class _Stream(_Channel):
    def __exit__(self, *_):
        self.connection.close()

    def receive(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            try:
                piece = self.soon(self.connection.recv, size - len(data))
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
                except BlockingIOError:  # a client that asks and does not read
                    select.select([], [self.connection], [], LOOK)
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
            piece, peer = self.soon(self.connection.recvfrom, MOST_DATAGRAM + 1)
            if peer == self.peer:
                data += piece
        if len(data) > size:
            raise LinkError(f"OpenSees: got {len(data)} bytes for a message of {size}; a datagram was lost")
        return data

    def send(self, data: bytes) -> None:
        for at in range(0, len(data), MOST_DATAGRAM):
            with contextlib.suppress(OSError):
                self.connection.sendto(data[at : at + MOST_DATAGRAM], self.peer)
