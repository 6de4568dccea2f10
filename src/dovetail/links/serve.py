"""Server of a rig: a plant behind the rig protocol, with its own clock.

`dovetail rig serve TEST` serves the simulated rig of a test. It listens on loopback by default; another host requires a
key. One session at a time; other clients are refused. No client is waited for: a hello that is not complete within
`HELLO_TIME` is dropped, and so is a session without a valid datagram within this time.

Every end leads the rig to rest: the loop closes the connection, the link is lost, a limit, an error of the plant, a
stop of the server. The session ends when the measurement shows that the rig is at rest, or after `MAX_RETURN_TIME`.

If possible, a session is one compiled program in a separate thread, which sleeps, answers and steps the rig without
the interpreter; this thread then only accepts connections. Otherwise the rig is stepped in Python, for rates up to a
few hundred hertz. The server accepts no connection before everything is compiled and has run once.
"""

from __future__ import annotations

import contextlib
import dataclasses
import secrets
import select
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.core.errors import LinkError
from dovetail.links.address import Address, keep_alive
from dovetail.links.handshake import MAX_BYTES, Bounds, Hello, Welcome, is_complete, pack_challenge
from dovetail.links.native import NativeSession, available
from dovetail.links.rig_protocol import RigState, SafeStateReason, size
from dovetail.links.session import REST_TIME, Agreed, CompiledPlant, Plant, Session
from dovetail.links.tick import system_time

HELLO_TIME = 2.0  # [s] time limit for a complete hello, and for the first datagram of a session
MAX_CALLERS = 32  # clients without a complete hello at the same time
MAX_LINK_TIMEOUT = 0.2  # [s] without a command, whatever the loop asks for
MAX_RETURN_TIME = REST_TIME + 0.6  # [s] from the end of a session until its end is reported, at rest or not
IDLE, IDLE_AT_END = 0.2, 0.005  # [s] longest sleep at rest, and while the rig returns to rest


@dataclasses.dataclass
class Caller:
    """Client without a complete hello."""

    connection: socket.socket
    challenge: bytes
    deadline: float  # [s] of the monotonic clock
    data: bytes = b""


@dataclasses.dataclass
class RigServer:
    """Server of a plant at an address; port 0: any free port.

    `report` receives a sentence at the start and end of each session. `native`: compiled session (None: if the plant
    and this machine permit it); `priority`: its real-time priority, if permitted (0: none). `max_link_timeout` [s] is
    the largest time without a command: the smaller one of loop and rig applies, and the answer to the loop contains it.
    """

    plant: Plant
    address: Address
    rate: float  # [Hz] rate of the plant
    limits: Bounds = dataclasses.field(default_factory=dict)
    key: bytes | None = None
    name: str = "virtual rig"
    report: Callable[[str], None] = lambda text: None
    clock: Callable[[], int] = system_time
    native: bool | None = None
    priority: int = 0
    max_link_timeout: float = MAX_LINK_TIMEOUT  # [s]

    def __post_init__(self):
        why_not = "" if isinstance(self.plant, CompiledPlant) else "the plant is not compiled"
        why_not = why_not if self.native is False else why_not or available()
        if self.native and why_not:
            raise LinkError(f"no native session: {why_not}")
        self.native = self.native is not False and not why_not
        if self.native:
            self.plant.program  # noqa: B018 (compiled before the first connection)
        self.callers: dict[socket.socket, Caller] = {}
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
        self.listener.listen(MAX_CALLERS)
        self.datagrams.setblocking(False)
        self.address = Address(self.address.host, port)
        self.session: Session | NativeSession | None = None
        self.worker: threading.Thread | None = None  # thread of a native session
        self.moving = False
        self.control: socket.socket | None = None  # TCP connection of the session
        self.begun = self.ended = 0.0  # [s] start and end of the session on the monotonic clock; 0: not ended
        self.led_by_loop = False  # the session ended in the state ready
        self.peer: object = None  # sender of the commands
        self.last_session: Session | NativeSession | None = None  # previous session
        self.stopping = False

    def serve(self, until: Callable[[], bool] = lambda: False) -> None:
        """Serve until `until()` is true or `stop` is called; the rig is then led to rest."""
        try:
            while not (self.stopping or until()):
                self._turn()
        finally:
            try:
                self._end(SafeStateReason.OPERATOR)
                while self.session is not None:
                    self._turn()
            finally:
                self.close()

    def stop(self) -> None:
        """End `serve` when the rig is at rest, within about a second."""
        self.stopping = True

    def close(self) -> None:
        """Close the ports."""
        for each in (self.listener, self.datagrams, *self.callers):
            each.close()

    def _turn(self) -> None:
        """Wait for the next event, and process datagrams, clients and the end of the session."""
        inputs: list[Any] = [
            self.listener,
            *({} if self.ended else self.callers),
        ]  # answered when the rig is at rest
        inputs += [] if self.worker else [self.datagrams]  # a native session receives its datagrams itself
        inputs += [self.control] if self.control else []
        ready = select.select(inputs, [], [], self._wait_time())[0]
        if self.datagrams in ready:
            self._receive_datagrams()
        if isinstance(self.session, Session):
            self.session.wait(self.clock())
        self._report_motion()
        if self.control in ready and self._hung_up():
            self._end(SafeStateReason.ENDED)
        if self.listener in ready:
            self._accept()
        for caller in [self.callers[each] for each in ready if each in self.callers and not self.ended]:
            self._hear(caller)
        now = time.monotonic()
        for caller in [caller for caller in self.callers.values() if now > caller.deadline]:
            self._drop(caller)
        if self.session is None:
            return
        if not (self.ended or self.session.last_command_time) and now - self.begun > HELLO_TIME:
            self.report("session dropped: no valid datagram in time")
            self._end(SafeStateReason.ENDED)
        if self.ended and (self.session.is_at_rest or now - self.ended > MAX_RETURN_TIME):
            self._close_session()

    def _wait_time(self) -> float:
        idle = IDLE_AT_END if self.ended else IDLE
        wake = self.session.next_wake if isinstance(self.session, Session) else None
        return idle if wake is None else min(max((wake - self.clock()) * 1e-9, 0.0), idle)

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

    def _accept(self) -> None:
        """Send a challenge to a new client; of too many, the oldest is dropped."""
        with contextlib.suppress(OSError):
            connection, _ = self.listener.accept()
            connection.setblocking(False)
            challenge = pack_challenge(self.key)
            connection.sendall(challenge)
            if len(self.callers) == MAX_CALLERS:
                self._drop(next(iter(self.callers.values())))
            self.callers[connection] = Caller(connection, challenge, time.monotonic() + HELLO_TIME)

    def _drop(self, caller: Caller) -> None:
        del self.callers[caller.connection]
        caller.connection.close()

    def _hear(self, caller: Caller) -> None:
        """Receive a part of a hello, and answer a complete one."""
        try:
            piece = caller.connection.recv(MAX_BYTES)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        caller.data += piece
        if not piece or len(caller.data) > MAX_BYTES:
            return self._drop(caller)
        if not is_complete(caller.data):
            return
        try:
            hello = Hello.parse(caller.data, caller.challenge, self.key)
            self._check(hello)
            welcome = self._begin_session(hello)
        except LinkError as error:
            welcome = Welcome(refusal=str(error))
        else:
            self.control = caller.connection
            keep_alive(self.control)
            del self.callers[caller.connection]
        with contextlib.suppress(OSError):  # a client that is gone: the connection ends the session
            caller.connection.sendall(welcome.pack(caller.data, self.key))
        if welcome.refusal:
            self.report(f"refused: {welcome.refusal}")
            self._drop(caller)

    def _begin_session(self, hello: Hello) -> Welcome:
        """Begin a session; return the answer to the hello."""
        number = secrets.randbits(64)
        both = {**self.limits, **hello.limits}
        limits = {name: np.minimum(limit, self.limits.get(name, limit)) for name, limit in both.items()}
        link_timeout = min(hello.link_timeout, max(int(self.max_link_timeout * self.rate), 1))
        try:
            self._begin(number, link_timeout, limits)
        except Exception as error:  # of the driver of the plant
            raise LinkError(f"the plant cannot start: {error}") from error
        self.report(f"session begins: {hello.rate:g} Hz, link timeout {link_timeout} ticks")
        port, signals = self.address.port, self.plant.signals
        return Welcome(number, port, signals, self.limits, self.name, link_timeout=link_timeout)

    def _begin(self, number: int, link_timeout: int, limits: Bounds) -> None:
        agreed = Agreed(
            session=number, rate=self.rate, link_timeout=link_timeout, limits=limits, key=self.key
        )
        self.moving, self.begun, self.ended = False, time.monotonic(), 0.0
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
        if self.session is not None:
            raise LinkError("another session is active")
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

    def _end(self, reason: SafeStateReason) -> None:
        """Lead the rig to rest at the end of a session."""
        if self.session is None or self.ended:
            return
        self.ended = time.monotonic()
        self.led_by_loop = self.session.state == RigState.READY
        if self.session.state != RigState.SAFE:
            self.session.go_safe(reason)
        if self.control is not None:
            self.control.close()
            self.control = None

    def _close_session(self) -> None:
        """Report the end of a session and what the measurement of the rig shows."""
        session = self.session
        assert session is not None
        if self.worker is not None and isinstance(session, NativeSession):
            session.end()
            self.worker.join()
            self.worker = None
        reasons = ", ".join(flag.name.lower().replace("_", " ") for flag in session.flags if flag.name)
        rest = "at rest" if session.is_at_rest else f"{session.distance:.3g} m away from rest"
        end = "ended by the loop" if self.led_by_loop else f"safe ({reasons})"
        failure = f"; the plant failed: {session.failure}" if session.failure else ""
        dropped = sum(session.reader.rejected.values())
        self.report(
            f"session ends after {session.tick_count} ticks: {rest}, {end}{failure}; {dropped} datagrams dropped"
        )
        self.last_session, self.session, self.ended = session, None, 0.0
