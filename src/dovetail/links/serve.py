"""Server of a rig: a plant behind the rig protocol, with its own wall clock.

`dovetail rig serve TEST` serves the simulated rig of a test. It listens on loopback by default; another host requires a
key. One session at a time; other clients are refused.

If possible, a session is one compiled program in a thread of its own, which sleeps, answers and steps the rig without
the interpreter; this thread then only accepts connections. Otherwise the rig is stepped in Python, for rates up to a
few hundred hertz. The server accepts no connection before everything is compiled and has run once.
"""

from __future__ import annotations

import contextlib
import dataclasses
import secrets
import selectors
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.core.errors import LinkError
from dovetail.links.address import Address
from dovetail.links.handshake import MAX_BYTES, Bounds, Hello, Welcome
from dovetail.links.native import NativeSession, available
from dovetail.links.rig_protocol import RigState, SafeStateReason, size
from dovetail.links.session import Agreed, CompiledPlant, Plant, Session

HELLO_TIME = 2.0  # [s] time limit for a complete hello
MAX_CALLERS = 8  # clients that are refused at the same time
IDLE = 0.2  # [s] longest sleep at rest


@dataclasses.dataclass
class RigServer:
    """Server of a plant at an address; port 0: any free port.

    `report` receives a sentence at the start and end of each session. `native`: compiled session (None: if the plant
    and this machine permit it); `priority`: its real-time priority, if permitted (0: none).
    """

    plant: Plant
    address: Address
    rate: float  # [Hz] rate of the plant
    limits: Bounds = dataclasses.field(default_factory=dict)
    key: bytes | None = None
    name: str = "virtual rig"
    report: Callable[[str], None] = lambda text: None
    clock: Callable[[], int] = time.monotonic_ns
    native: bool | None = None
    priority: int = 0

    def __post_init__(self):
        why_not = "" if isinstance(self.plant, CompiledPlant) else "the plant is not compiled"
        why_not = why_not if self.native is False else why_not or available()
        if self.native and why_not:
            raise LinkError(f"no native session: {why_not}")
        self.native = self.native is not False and not why_not
        if self.native:
            self.plant.program  # noqa: B018 (compiled before the first connection)
        family, host = self.address.resolve(self.key)
        self.listener = socket.socket(family, socket.SOCK_STREAM)
        self.datagrams = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.listener.bind((host, self.address.port))
            port = self.listener.getsockname()[1]
            self.datagrams.bind((host, port))
        except OSError as error:
            self.close()
            reason = (error.strerror or str(error)).lower()
            raise LinkError(f"{self.address}: cannot listen there ({reason}); choose another port") from error
        self.listener.listen(4)
        self.datagrams.setblocking(False)
        self.address = Address(self.address.host, port)
        self.session: Session | NativeSession | None = None
        self.worker: threading.Thread | None = None  # thread of a native session
        self.moving = False
        self.control: socket.socket | None = None  # TCP connection of the session
        self.peer: object = None  # sender of the commands
        self.last_session: Session | NativeSession | None = None  # previous session
        self.callers = threading.Semaphore(MAX_CALLERS)
        self.stopping = False

    def serve(self, until: Callable[[], bool] = lambda: False) -> None:
        """Serve until `until()` is true or `stop` is called; the rig is then in its safe state."""
        with selectors.DefaultSelector() as selector:
            for port in (self.listener, self.datagrams):
                selector.register(port, selectors.EVENT_READ)
            try:
                while not (self.stopping or until()):
                    ready = {key.fileobj for key, _ in selector.select(self._wait_time())}
                    if self.datagrams in ready:
                        self._receive_datagrams()
                    if isinstance(self.session, Session):
                        self.session.wait(self.clock())
                    self._report_motion()
                    if self.control is not None and self.control in ready and self._hung_up():
                        selector.unregister(self.control)
                        if self.worker is not None:
                            selector.register(self.datagrams, selectors.EVENT_READ)
                        self._end()
                    if self.listener in ready:
                        before = self.control
                        self._greet()
                        if self.control is not None and self.control is not before:
                            selector.register(self.control, selectors.EVENT_READ)
                            if self.worker is not None:  # the session receives its datagrams itself
                                selector.unregister(self.datagrams)
            finally:
                if self.session is not None:
                    self.session.go_safe(SafeStateReason.OPERATOR)
                    self._end()
                self.close()

    def stop(self) -> None:
        """End `serve` within a fraction of a second."""
        self.stopping = True

    def close(self) -> None:
        """Close the ports."""
        self.listener.close()
        self.datagrams.close()

    def _wait_time(self) -> float:
        wake = self.session.next_wake if isinstance(self.session, Session) else None
        return IDLE if wake is None else min(max((wake - self.clock()) * 1e-9, 0.0), IDLE)

    def _receive_datagrams(self) -> None:
        max_size = size(self.plant.axes) + 1  # one byte more, to detect a datagram that is too long
        while True:
            try:
                data, sender = self.datagrams.recvfrom(max_size)
            except BlockingIOError:
                return
            except OSError:  # delayed report of an unreachable peer
                continue
            if self.session is None:
                continue
            answer = self.session.receive(data, self.clock())
            self._report_motion()
            if answer is None:
                continue
            self.peer = sender
            try:
                self.datagrams.sendto(answer, sender)
            except OSError:
                continue  # receiver full or lost; detected by the link timeout

    def _report_motion(self) -> None:
        if self.session is not None and not self.moving and self.session.epoch is not None:
            self.moving = True
            self.report("the rig moves")

    def _greet(self) -> None:
        """Answer a hello; keep the connection if a session starts."""
        connection, _ = self.listener.accept()
        connection.settimeout(HELLO_TIME)
        if (
            self.session is not None
        ):  # refused in another thread, so that a silent client does not delay the rig
            if self.callers.acquire(blocking=False):
                threading.Thread(target=self._refuse_client, args=(connection,), daemon=True).start()
            else:
                connection.close()
            return
        try:
            data = receive_message(connection)
            try:
                hello = Hello.parse(data, self.key)
                self._check(hello)
            except LinkError as error:
                connection.sendall(Welcome(refusal=str(error)).pack(data, self.key))
                connection.close()
                self.report(f"refused: {error}")
                return
            number = secrets.randbits(64)
            both = {**self.limits, **hello.limits}
            limits = {name: np.minimum(limit, self.limits.get(name, limit)) for name, limit in both.items()}
            self._begin(number, hello.link_timeout, limits)
            welcome = Welcome(number, self.address.port, self.plant.signals, self.limits, self.name)
            connection.sendall(welcome.pack(data, self.key))
            connection.setblocking(False)
            self.control = connection
            self.report(f"session begins: {hello.rate:g} Hz, link timeout {hello.link_timeout} ticks")
        except (OSError, LinkError):
            connection.close()

    def _refuse_client(self, connection: socket.socket) -> None:
        """Refuse a client because of another session, or because of a fault in its hello."""
        with contextlib.suppress(OSError, LinkError), connection:
            data = receive_message(connection)
            try:
                Hello.parse(data, self.key)
                reason = "another session is active"
            except LinkError as error:
                reason = str(error)
            connection.sendall(Welcome(refusal=reason).pack(data, self.key))
            self.report(f"refused: {reason}")
        self.callers.release()

    def _begin(self, number: int, link_timeout: int, limits: Bounds) -> None:
        agreed = Agreed(
            session=number, rate=self.rate, link_timeout=link_timeout, limits=limits, key=self.key
        )
        self.moving = False
        if not self.native:
            self.session = Session(self.plant, **agreed)
            return
        session = NativeSession(self.plant, **agreed, datagrams=self.datagrams, priority=self.priority)
        self.session = session
        plant: Any = self.plant
        self.worker = threading.Thread(
            target=lambda: plant.program(session.handle), name="dovetail-rig", daemon=True
        )
        self.worker.start()

    def _check(self, hello: Hello) -> None:
        if hello.axes != self.plant.axes:
            raise LinkError(f"the rig has {self.plant.axes} axes, the test has {hello.axes}")
        if abs(hello.rate / self.rate - 1) > 1e-9:
            raise LinkError(
                f"the rate of the rig is {self.rate:g} Hz, the rate of the test is {hello.rate:g} Hz"
            )

    def _hung_up(self) -> bool:
        """Return whether the loop has closed the connection; other data are ignored."""
        assert self.control is not None
        try:
            return self.control.recv(MAX_BYTES) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def _end(self) -> None:
        assert self.session is not None
        at_rest = self.session.state == RigState.READY  # no motion yet, or returned to rest
        if self.session.state != RigState.SAFE:
            self.session.go_safe(SafeStateReason.ENDED)
        if self.control is not None:
            self.control.close()
        if self.worker is not None and isinstance(self.session, NativeSession):
            self.session.end()
            self.worker.join()
            self.worker = None
        reasons = ", ".join(flag.name.lower().replace("_", " ") for flag in self.session.flags if flag.name)
        dropped = sum(self.session.reader.rejected.values())
        end = "at rest, ended by the loop" if at_rest else f"safe ({reasons})"
        self.report(f"session ends after {self.session.tick_count} ticks: {end}; {dropped} datagrams dropped")
        self.last_session, self.session, self.control = self.session, None, None


def receive_message(connection: socket.socket) -> bytes:
    """Return one message of the handshake, complete within the time-out of the connection."""
    data, timeout = b"", connection.gettimeout() or HELLO_TIME
    end = time.monotonic() + timeout
    while not (data.endswith(b"\n") and b"\nmac " in data):
        try:
            connection.settimeout(
                max(end - time.monotonic(), 1e-3)
            )  # the time limit is for the complete message
            piece = connection.recv(MAX_BYTES)
        except TimeoutError:
            raise LinkError("handshake: got no complete message in time") from None
        if not piece or len(data) + len(piece) > MAX_BYTES:
            raise LinkError("handshake: the other side closed the connection, or its message is too long")
        data += piece
    return data
