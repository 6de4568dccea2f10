"""A structural model in OpenSees as the specimen: drives its `adapter` element, over TCP or UDP.

In OpenSees: `element('adapter', 1, '-node', 2, '-dof', 1, '-stif', 1e9, 8091)`, with `'-udp'` for UDP, and an analysis
that goes on taking steps; it waits for us in each. A step of ours imposes a displacement and returns what the
element measured: the displacement it reached and the force there. The element is a stiff spring between the
two, so it reaches :math:`d\\,K/(K + k)` with its own stiffness K and the structure's k: choose K large. Take an
algorithm that looks at its residual once more after a step (`algorithm('Newton')`): after `Linear` the element
would show what it measured a step ago.

The element ends its whole process when it is told that this is the end; `close` does so. It does not check the
sizes that it is given, so they are fixed here: displacements go out, displacements and forces come back.
"""

from __future__ import annotations

import contextlib
import socket
import time

import numpy as np

from dovetail.core.errors import LinkError
from dovetail.links.opensees import END, FORCE, MOST_DATAGRAM, SIZES, TRIAL

LOOK = 0.05  # [s] between two attempts to connect


class AdapterPlant:
    """An OpenSees model behind its `adapter` element as a plant: of a served rig, or stepped by hand.

    `patience` is how long it is waited for, at the start and in each step [s]. Give the analysis one step for
    every `step`, and one more for the end.
    """

    def __init__(
        self, port: int, *, axes: int = 1, udp: bool = False, host: str = "127.0.0.1", patience: float = 20.0
    ):
        self.axes, self.udp = axes, udp
        self.signals = (("measured_displacement", axes), ("measured_force", axes))
        self.length = max(1 + axes, 2 * axes, 256)  # [doubles] of a frame
        self.socket = _connected(host, port, udp, patience)
        self.socket.settimeout(patience)
        self.frame = np.zeros(self.length)
        sizes = (axes, 0, 0, 0, 0, axes, 0, 0, axes, 0, self.length)
        self._send(SIZES.pack(*sizes))

    def reset(self) -> np.ndarray:
        """Nothing is measured before the first step; the model cannot be led back to its start."""
        return np.zeros(2 * self.axes)

    def step(self, command: np.ndarray) -> np.ndarray:
        """Impose displacements [m]; the ones reached, and the forces on our side [N]."""
        self.frame[0], self.frame[1 : 1 + self.axes] = TRIAL, command
        self._send(self.frame.tobytes())
        self.frame[0] = FORCE
        self._send(self.frame.tobytes())
        shown = np.frombuffer(self._received(8 * self.length))
        return np.concatenate([shown[: self.axes], -shown[self.axes : 2 * self.axes]])

    def close(self) -> None:
        """Tell OpenSees that this is the end; its process exits with code 255."""
        self.frame[0] = END
        with contextlib.suppress(LinkError):
            self._send(self.frame.tobytes())
        self.socket.close()

    def _send(self, data: bytes) -> None:
        try:
            if not self.udp:
                self.socket.sendall(data)
                return
            for at in range(0, len(data), MOST_DATAGRAM):
                self.socket.send(data[at : at + MOST_DATAGRAM])
        except OSError as error:
            raise LinkError(f"OpenSees: has gone ({error})") from error

    def _received(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            try:
                piece = self.socket.recv(size - len(data))
                if not self.udp:
                    self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            except OSError as error:
                why = "takes no further step" if isinstance(error, TimeoutError) else f"has gone ({error})"
                raise LinkError(f"OpenSees: {why}; does its analysis have steps enough?") from error
            if not piece:
                raise LinkError("OpenSees: closed the connection; does its analysis have steps enough?")
            data += piece
        return data


def _connected(host: str, port: int, udp: bool, patience: float) -> socket.socket:
    """The element listens only once its analysis begins: try until then."""
    end = time.monotonic() + patience
    while True:
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if udp else socket.SOCK_STREAM)
        try:
            link.settimeout(LOOK)
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
            raise LinkError(f"{host}:{port}: no adapter element of OpenSees answers there ({last})")
        time.sleep(LOOK)
