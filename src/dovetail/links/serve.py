"""A served rig: a plant behind the rig protocol, in a process of its own, on its own wall clock.

`dovetail rig serve TEST` serves the virtual rig of a test. It listens on loopback unless it is told another
host, which needs a key. One session at a time; whoever asks meanwhile is refused.

Where it can, a session is one compiled program in a thread of its own, which sleeps, answers and steps the rig
without the interpreter; this one then only keeps the doors. Else it steps the rig here, good for some hundred
ticks a second. Nothing is answered before all of it is compiled and has run once.
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
from dovetail.links.handshake import MOST_BYTES, Bounds, Hello, Welcome
from dovetail.links.native import NativeSession, available
from dovetail.links.rig_protocol import Flag, State, size
from dovetail.links.session import Agreed, CompiledPlant, Plant, Session

HELLO_TIME = 2.0  # [s] within which a hello has to be complete
MOST_CALLERS = 8  # that are told at one time that another session is going on
IDLE = 0.2  # [s] longest sleep while nothing moves


@dataclasses.dataclass
class Server:
    """Serves a plant at an address; port 0 takes a free one.

    `report` is told, in a sentence, of every session that begins and ends. `native` None takes the compiled
    session where plant and machine allow it, `priority` is its real-time priority where permitted (0: none).
    """

    plant: Plant
    address: Address
    rate: float  # [Hz] the only rate at which the plant can be stepped
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
            self.plant.program  # noqa: B018 (compiled before anybody can connect)
        family, host = self.address.resolved(self.key)
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
        self.worker: threading.Thread | None = None  # where a native session runs
        self.moving = False
        self.control: socket.socket | None = None  # TCP connection of the session
        self.peer: object = None  # where the session's commands come from
        self.last: Session | NativeSession | None = (
            None  # the session before, for whoever wants to look at its end
        )
        self.callers = threading.Semaphore(MOST_CALLERS)
        self.stopping = False

    def serve(self, until: Callable[[], bool] = lambda: False) -> None:
        """Serve until `until()` is true or `stop` was called; then the rig is in its safe state."""
        with selectors.DefaultSelector() as selector:
            for each in (self.listener, self.datagrams):
                selector.register(each, selectors.EVENT_READ)
            try:
                while not (self.stopping or until()):
                    ready = {key.fileobj for key, _ in selector.select(self._patience())}
                    if self.datagrams in ready:
                        self._datagrams()
                    if isinstance(self.session, Session):
                        self.session.wait(self.clock())
                    self._tell_of_motion()
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
                            if self.worker is not None:  # the session hears its datagrams itself
                                selector.unregister(self.datagrams)
            finally:
                if self.session is not None:
                    self.session.go_safe(Flag.OPERATOR)
                    self._end()
                self.close()

    def stop(self) -> None:
        """Ask `serve` to end; it does so within a fraction of a second."""
        self.stopping = True

    def close(self) -> None:
        """Close the ports."""
        self.listener.close()
        self.datagrams.close()

    def _patience(self) -> float:
        wake = self.session.next_wake if isinstance(self.session, Session) else None
        return IDLE if wake is None else min(max((wake - self.clock()) * 1e-9, 0.0), IDLE)

    def _datagrams(self) -> None:
        most = size(self.plant.axes) + 1  # one byte more than is right, so that too long is seen
        while True:
            try:
                data, sender = self.datagrams.recvfrom(most)
            except BlockingIOError:
                return
            except OSError:  # an unreachable peer, reported late
                continue
            if self.session is None:
                continue
            answer = self.session.receive(data, self.clock())
            self._tell_of_motion()
            if answer is None:
                continue
            self.peer = sender
            try:
                self.datagrams.sendto(answer, sender)
            except OSError:
                continue  # a full or vanished receiver; its silence is noticed elsewhere

    def _tell_of_motion(self) -> None:
        if self.session is not None and not self.moving and self.session.epoch is not None:
            self.moving = True
            self.report("the rig moves")

    def _greet(self) -> None:
        """Answer a hello; the connection is kept if a session begins."""
        connection, _ = self.listener.accept()
        connection.settimeout(HELLO_TIME)
        if (
            self.session is not None
        ):  # whoever calls meanwhile, and says nothing, does not hold up a rig that moves
            if self.callers.acquire(blocking=False):
                threading.Thread(target=self._turn_away, args=(connection,), daemon=True).start()
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
            self._begin(number, hello.silence, limits)
            welcome = Welcome(number, self.address.port, self.plant.signals, self.limits, self.name)
            connection.sendall(welcome.pack(data, self.key))
            connection.setblocking(False)
            self.control = connection
            self.report(f"session begins: {hello.rate:g} Hz, silence {hello.silence} ticks")
        except (OSError, LinkError):
            connection.close()

    def _turn_away(self, connection: socket.socket) -> None:
        """Tell a caller that another session is going on, or what is wrong with its hello."""
        with contextlib.suppress(OSError, LinkError), connection:
            data = receive_message(connection)
            try:
                Hello.parse(data, self.key)
                why = "another session is going on"
            except LinkError as error:
                why = str(error)
            connection.sendall(Welcome(refusal=why).pack(data, self.key))
            self.report(f"refused: {why}")
        self.callers.release()

    def _begin(self, number: int, silence: int, limits: Bounds) -> None:
        agreed = Agreed(session=number, rate=self.rate, silence=silence, limits=limits, key=self.key)
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
            raise LinkError(f"the rig has {self.plant.axes} axes, the test {hello.axes}")
        if abs(hello.rate / self.rate - 1) > 1e-9:
            raise LinkError(f"the rig ticks at {self.rate:g} Hz, the test at {hello.rate:g} Hz")

    def _hung_up(self) -> bool:
        """True if the loop closed the connection; what it may say besides is ignored."""
        assert self.control is not None
        try:
            return self.control.recv(MOST_BYTES) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def _end(self) -> None:
        assert self.session is not None
        rested = self.session.state == State.READY  # it never moved, or was led to rest
        if self.session.state != State.SAFE:
            self.session.go_safe(Flag.ENDED)
        if self.control is not None:
            self.control.close()
        if self.worker is not None and isinstance(self.session, NativeSession):
            self.session.end()
            self.worker.join()
            self.worker = None
        why = ", ".join(flag.name.lower().replace("_", " ") for flag in self.session.flags if flag.name)
        dropped = sum(self.session.reader.rejected.values())
        how = "at rest, ended by the loop" if rested else f"safe ({why})"
        self.report(f"session ends after {self.session.done} ticks: {how}; {dropped} datagrams dropped")
        self.last, self.session, self.control = self.session, None, None


def receive_message(connection: socket.socket) -> bytes:
    """One message of the handshake: all bytes to the end of its last line, within the time-out of the connection."""
    data, patience = b"", connection.gettimeout() or HELLO_TIME
    end = time.monotonic() + patience
    while not (data.endswith(b"\n") and b"\nmac " in data):
        try:
            connection.settimeout(max(end - time.monotonic(), 1e-3))  # a byte now and then holds nobody up
            piece = connection.recv(MOST_BYTES)
        except TimeoutError:
            raise LinkError("handshake: no complete message in time") from None
        if not piece or len(data) + len(piece) > MOST_BYTES:
            raise LinkError("handshake: the other side closed the connection or said too much")
        data += piece
    return data
