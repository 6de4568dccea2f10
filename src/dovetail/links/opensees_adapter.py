"""Structural model in OpenSees as the specimen, through its `adapter` element, over TCP or UDP.

In OpenSees: `element('adapter', 1, '-node', 2, '-dof', 1, '-stif', 1e9, 8091)`, with `'-udp'` for UDP, and an analysis
with a sufficient number of steps, each of which waits for a command. A step imposes a displacement and returns the
displacement and the force of the element. The element is a stiff spring between command and structure, so it reaches
:math:`d\\,K/(K + k)` with its stiffness K and the stiffness k of the structure: choose a large K. Use an algorithm that
evaluates its residual after a step (`algorithm('Newton')`); after `Linear` the element returns the values of the
previous step.

The element ends its process at the end message, which `close` sends. It does not check the sizes of the messages, so
they are fixed here: displacements to the element, displacements and forces from it.
"""

from __future__ import annotations

import contextlib
import socket
import time

import numpy as np

from dovetail.core.errors import LinkError
from dovetail.links.opensees import END, FORCE, MAX_DATAGRAM, SIZES, TRIAL

RETRY_INTERVAL = 0.05  # [s] interval of connection attempts


class AdapterPlant:
    """OpenSees model behind its `adapter` element as a plant, for a rig server or for direct steps.

    `timeout`: time limit of the start and of each step [s]. The analysis needs one step for each `step`, and one more
    for the end.
    """

    def __init__(
        self, port: int, *, axes: int = 1, udp: bool = False, host: str = "127.0.0.1", timeout: float = 20.0
    ):
        self.axes, self.udp = axes, udp
        self.signals = (("measured_displacement", axes), ("measured_force", axes))
        self.length = max(1 + axes, 2 * axes, 256)  # doubles in a frame
        self.socket = _connect(host, port, udp, timeout)
        self.socket.settimeout(timeout)
        self.frame = np.zeros(self.length)
        sizes = (axes, 0, 0, 0, 0, axes, 0, 0, axes, 0, self.length)
        self._send(SIZES.pack(*sizes))

    def reset(self) -> np.ndarray:
        """Return zeros: there is no measurement before the first step, and the model cannot be reset."""
        return np.zeros(2 * self.axes)

    def step(self, command: np.ndarray) -> np.ndarray:
        """Impose displacements [m]; return the displacements reached and the forces on the numerical side [N]."""
        self.frame[0], self.frame[1 : 1 + self.axes] = TRIAL, command
        self._send(self.frame.tobytes())
        self.frame[0] = FORCE
        self._send(self.frame.tobytes())
        values = np.frombuffer(self._receive(8 * self.length))
        return np.concatenate([values[: self.axes], -values[self.axes : 2 * self.axes]])

    def close(self) -> None:
        """Send the end message to OpenSees; its process exits with code 255."""
        self.frame[0] = END
        with contextlib.suppress(LinkError):
            self._send(self.frame.tobytes())
        self.socket.close()

    def _send(self, data: bytes) -> None:
        try:
            if not self.udp:
                self.socket.sendall(data)
                return
            for at in range(0, len(data), MAX_DATAGRAM):
                self.socket.send(data[at : at + MAX_DATAGRAM])
        except OSError as error:
            raise LinkError(f"OpenSees: connection lost ({error})") from error

    def _receive(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            try:
                piece = self.socket.recv(size - len(data))
                if not self.udp:
                    self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            except OSError as error:
                reason = (
                    "no further step" if isinstance(error, TimeoutError) else f"connection lost ({error})"
                )
                raise LinkError(f"OpenSees: {reason}; check the number of steps of its analysis") from error
            if not piece:
                raise LinkError("OpenSees: connection closed; check the number of steps of its analysis")
            data += piece
        return data


def _connect(host: str, port: int, udp: bool, timeout: float) -> socket.socket:
    """Connect to the element, which listens from the start of its analysis on."""
    end = time.monotonic() + timeout
    while True:
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if udp else socket.SOCK_STREAM)
        try:
            link.settimeout(RETRY_INTERVAL)
            link.connect((host, port))
            if not udp:
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return link
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            link.send(b"a")
            if link.recv(16) == b"b":
                return link
        except OSError as error:
            last = error
        link.close()
        if time.monotonic() > end:
            raise LinkError(f"{host}:{port}: no answer from an adapter element of OpenSees ({last})")
        time.sleep(RETRY_INTERVAL)
