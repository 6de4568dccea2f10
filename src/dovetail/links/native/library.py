"""Native tick: its C structure, and the same methods as the tick in Python."""

from __future__ import annotations

import ctypes
import os
import socket
from ctypes import CFUNCTYPE, POINTER, c_double, c_int64, c_uint8, c_uint64
from functools import cache
from typing import Any

import jax
import numpy as np
from numpy.typing import ArrayLike

from dovetail.core.errors import LinkError
from dovetail.links.native.build import library_path
from dovetail.links.rig_protocol import MAX_VALUES, Rejection
from dovetail.links.tick import NOTES, OVERRUN, Counts, Quantity, TickSettings, TickTimer
from dovetail.testing.outcome import Outcome

_NOW, _SLEEP = CFUNCTYPE(c_int64), CFUNCTYPE(None, c_int64)
CODES = ("not_finite", "deadline", "link_lost", "rig_stopped", "interrupted", "velocity", "acceleration")


def by_axis(limit: ArrayLike, axes: int) -> Any:
    """Return a limit for each axis."""
    return (c_double * MAX_VALUES)(*np.broadcast_to(np.asarray(limit, dtype=float), (axes,)))


def _int64_fields(*names: str) -> list[tuple[str, Any]]:
    return [(name, c_int64) for name in names]


class Direction(ctypes.Structure):
    """`struct Direction` of wire.h."""

    _fields_ = [("session", c_uint64), ("keyed", c_int64), ("key", c_uint8 * 16)]

    @staticmethod
    def from_key(session: int, key: bytes | None) -> Direction:
        """Return the direction of a session, signed if there is a key."""
        return Direction(session, key is not None, (c_uint8 * 16)(*(key or bytes(16))))


class Scheduling(ctypes.Structure):
    """`struct Scheduling` of wire.h."""

    _fields_ = [
        *_int64_fields("fifo", "lock", "core", "fifo_error", "lock_error", "core_error", "count"),
        ("threads", c_int64 * 16),
    ]

    @staticmethod
    def request(fifo: int = 0, lock: bool = False, core: int = -1) -> Scheduling:
        """Return the requested settings, not yet granted."""
        return Scheduling(fifo, lock, core, -1, -1, -1)

    def report(self) -> dict[str, str]:
        """Return granted and refused settings."""
        errors = {
            "real-time policy": self.fifo_error,
            "locked memory": self.lock_error,
            "core": self.core_error,
        }
        return {name: _error_text(error) for name, error in errors.items()}


class _Tick(ctypes.Structure):
    """`struct Tick` of tick.cc, field by field."""

    _fields_ = [
        *_int64_fields("socket", "axes", "count", "tick", "wait", "spin", "grace", "link_timeout", "overrun"),
        ("wire", Direction),
        ("unanswered_limit", c_double),
        ("velocity_limit", c_double * MAX_VALUES),
        ("acceleration_limit", c_double * MAX_VALUES),
        *_int64_fields(*(f"code_{name}" for name in CODES)),
        ("scheduling", Scheduling),
        ("now", _NOW),
        ("sleep", _SLEEP),
        ("attend", _SLEEP),
        *_int64_fields("stop", "hold", "started", "epoch", "tick_count", "ended", "code", "safe"),
        ("sequence", c_uint64),
        ("newest", c_uint64),
        *_int64_fields("rig_state", "rig_flags"),
        ("reading", c_double * MAX_VALUES),
        ("unanswered", c_double),
        *_int64_fields("commands", "anchor_time"),
        ("last", c_double * MAX_VALUES),
        ("anchor", c_double * MAX_VALUES),
        ("quantity", c_int64),
        ("value", c_double),
        ("limit", c_double),
        *_int64_fields("sent", "received", "lost", "overruns", "held", "max_age", "max_lateness"),
        ("rejected", c_int64 * len(Rejection)),
    ]


@cache
def library() -> ctypes.CDLL:
    """Return the library, built if necessary, with its calls registered in JAX."""
    path = library_path()
    try:
        loaded = ctypes.CDLL(str(path))
    except OSError as error:
        raise LinkError(f"{path}: cannot be loaded ({error}); remove it to build it again") from error
    loaded.dovetail_size.restype = c_int64
    doubles = POINTER(c_double)
    loaded.dovetail_step.argtypes = [POINTER(_Tick), c_int64, doubles, doubles, doubles]
    loaded.dovetail_settle.argtypes = [POINTER(_Tick), c_int64]
    loaded.dovetail_siphash.argtypes = [ctypes.c_char_p, ctypes.c_char_p, c_int64, ctypes.c_char_p]
    if loaded.dovetail_size() != ctypes.sizeof(_Tick):  # the session structure is checked in `session`
        raise LinkError(f"{path}: is of another version of Dovetail; remove it to build it again")
    for name in ("step", "settle", "session", "show", "tunables"):
        handler = jax.ffi.pycapsule(getattr(loaded, f"Dovetail{name.title()}"))
        jax.ffi.register_ffi_target(f"dovetail_{name}", handler, platform="cpu")
    return loaded


def available() -> str:
    """Return the reason why there is no native tick; empty if there is one."""
    try:
        library()
    except LinkError as error:
        return str(error)
    return ""


class NativeTick:
    """Tick over a connected datagram socket; see `dovetail.links.tick`."""

    def __init__(self, settings: TickSettings, connection: socket.socket, clock: TickTimer | None = None):
        self.library, self.settings, self.connection = library(), settings, connection
        connection.setblocking(False)
        self.inner = _Tick(
            socket=connection.fileno(),
            axes=settings.axes,
            count=settings.count,
            tick=settings.tick,
            wait=settings.max_wait,
            spin=settings.spin,
            grace=settings.max_lateness,
            link_timeout=settings.link_timeout,
            overrun=OVERRUN.index(settings.overrun),
            wire=Direction.from_key(settings.session, settings.key),
            sequence=settings.sequence,
            newest=settings.sequence,
            scheduling=Scheduling.request(settings.fifo, settings.lock, settings.core),
            unanswered_limit=settings.unanswered_fraction,
            velocity_limit=by_axis(settings.velocity, settings.axes),
            acceleration_limit=by_axis(settings.acceleration, settings.axes),
            **{f"code_{name}": Outcome[name.upper()].code for name in CODES},
        )
        if clock is not None:
            self._hooks = (
                _NOW(clock.now),
                _SLEEP(clock.sleep),
                _SLEEP(lambda until: clock.attend(connection, until)),
            )
            self.inner.now, self.inner.sleep, self.inner.attend = self._hooks
        # for calls from Python; the compiled loop has its own buffers
        self._command, self._reading, self._notes = (
            np.zeros(n) for n in (settings.axes, settings.count, len(NOTES))
        )

    @property
    def handle(self) -> int:
        """Address for the compiled loop."""
        return ctypes.addressof(self.inner)

    def step(self, state: int, command: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Execute one tick; return the reading and the notes named in `NOTES`."""
        self._command[:] = command
        pointers = [a.ctypes.data_as(POINTER(c_double)) for a in (self._command, self._reading, self._notes)]
        self.library.dovetail_step(ctypes.byref(self.inner), int(state), *pointers)
        return self._reading.copy(), self._notes.copy()

    def settle(self, code: int) -> None:
        """Process the result of the limit monitor: a code above zero sends the rig to its safe state."""
        self.library.dovetail_settle(ctypes.byref(self.inner), int(code))

    def counts(self) -> Counts:
        """Return the counters."""
        inner = self.inner
        rejected = {reason: int(inner.rejected[reason]) for reason in Rejection if reason}
        return Counts(
            inner.sent,
            inner.received,
            inner.lost,
            inner.overruns,
            inner.held,
            inner.max_age,
            inner.max_lateness,
            {reason: number for reason, number in rejected.items() if number},
            inner.scheduling.report(),
        )

    @property
    def exceeded(self) -> tuple[Quantity, float, float]:
        """Quantity that ended the run, its value and its limit."""
        return Quantity(self.inner.quantity), self.inner.value, self.inner.limit

    def close(self) -> None:
        """Do nothing: the socket belongs to the connection."""

    def __getattr__(self, name: str) -> Any:
        if name in ("code", "rig_state", "rig_flags"):
            return getattr(self.inner, name)
        raise AttributeError(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("stop", "hold"):
            setattr(self.inner, name, int(value))
        else:
            object.__setattr__(self, name, value)


def _error_text(error: int) -> str:
    if error == 0:
        return "granted"
    return "not requested" if error < 0 else f"refused: {os.strerror(error).lower()}"
