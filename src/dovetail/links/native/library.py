"""The built tick: its structure as Python sees it, and the same methods as the tick in Python."""

from __future__ import annotations

import ctypes
import os
import socket
from ctypes import CFUNCTYPE, POINTER, c_double, c_int64, c_uint8, c_uint64
from functools import cache
from typing import Any

import jax
import numpy as np

from dovetail.core.errors import LinkError
from dovetail.links.native.build import built
from dovetail.links.rig_protocol import MOST_VALUES, Rejection
from dovetail.links.tick import NOTES, OVERRUN, Clock, Counts, Settings
from dovetail.testing.outcome import Outcome

_NOW, _SLEEP = CFUNCTYPE(c_int64), CFUNCTYPE(None, c_int64)


def _whole(*names: str) -> list[tuple[str, Any]]:
    return [(name, c_int64) for name in names]


class Direction(ctypes.Structure):
    """`struct Direction` of wire.h."""

    _fields_ = [("session", c_uint64), ("keyed", c_int64), ("key", c_uint8 * 16)]

    @staticmethod
    def of(session: int, key: bytes | None) -> Direction:
        """That of a session, signed if there is a key."""
        return Direction(session, key is not None, (c_uint8 * 16)(*(key or bytes(16))))


class Scheduling(ctypes.Structure):
    """`struct Scheduling` of wire.h."""

    _fields_ = [
        *_whole("fifo", "lock", "core", "fifo_error", "lock_error", "core_error", "count"),
        ("threads", c_int64 * 16),
    ]

    @staticmethod
    def asked(fifo: int = 0, lock: bool = False, core: int = -1) -> Scheduling:
        """What is asked for; nothing is granted yet."""
        return Scheduling(fifo, lock, core, -1, -1, -1)

    def told(self) -> dict[str, str]:
        """What was granted or refused."""
        words = {
            "real-time policy": self.fifo_error,
            "locked memory": self.lock_error,
            "core": self.core_error,
        }
        return {word: _granted(error) for word, error in words.items()}


class _Tick(ctypes.Structure):
    """`struct Tick` of tick.cc, field by field."""

    _fields_ = [
        *_whole("socket", "axes", "count", "tick", "wait", "spin", "grace", "silence", "overrun"),
        ("wire", Direction),
        *_whole("code_not_finite", "code_deadline", "code_link_lost", "code_rig_stopped", "code_interrupted"),
        ("scheduling", Scheduling),
        ("now", _NOW),
        ("sleep", _SLEEP),
        ("attend", _SLEEP),
        *_whole("stop", "hold", "started", "epoch", "done", "ended", "code", "safe"),
        ("sequence", c_uint64),
        ("newest", c_uint64),
        *_whole("missed", "rig_state", "rig_flags"),
        ("reading", c_double * MOST_VALUES),
        *_whole("sent", "received", "lost", "overruns", "held"),
        ("rejected", c_int64 * len(Rejection)),
    ]


@cache
def library() -> ctypes.CDLL:
    """The library, built if need be, its calls registered with JAX."""
    path = built()
    try:
        loaded = ctypes.CDLL(str(path))
    except OSError as error:
        raise LinkError(f"{path}: cannot be loaded ({error}); remove it to build it anew") from error
    loaded.dovetail_size.restype = c_int64
    doubles = POINTER(c_double)
    loaded.dovetail_step.argtypes = [POINTER(_Tick), c_int64, doubles, doubles, doubles]
    loaded.dovetail_settle.argtypes = [POINTER(_Tick), c_int64]
    loaded.dovetail_siphash.argtypes = [ctypes.c_char_p, ctypes.c_char_p, c_int64, ctypes.c_char_p]
    if loaded.dovetail_size() != ctypes.sizeof(_Tick):  # the other structure is checked where it is used
        raise LinkError(f"{path}: does not fit this version of Dovetail; remove it to build it anew")
    for name in ("step", "settle", "session", "show", "dials"):
        handler = jax.ffi.pycapsule(getattr(loaded, f"Dovetail{name.title()}"))
        jax.ffi.register_ffi_target(f"dovetail_{name}", handler, platform="cpu")
    return loaded


def available() -> str:
    """Why there is no native tick; empty if there is one."""
    try:
        library()
    except LinkError as error:
        return str(error)
    return ""


class NativeTick:
    """The tick over a connected datagram socket; see `dovetail.links.tick`."""

    def __init__(self, settings: Settings, connection: socket.socket, clock: Clock | None = None):
        self.library, self.settings, self.connection = library(), settings, connection
        connection.setblocking(False)
        codes = ("not_finite", "deadline", "link_lost", "rig_stopped", "interrupted")
        self.inner = _Tick(
            socket=connection.fileno(),
            axes=settings.axes,
            count=settings.count,
            tick=settings.tick,
            wait=settings.longest_wait,
            spin=settings.spin,
            grace=settings.allowed_lateness,
            silence=settings.silence,
            overrun=OVERRUN.index(settings.overrun),
            wire=Direction.of(settings.session, settings.key),
            sequence=settings.sequence,
            newest=settings.sequence,
            scheduling=Scheduling.asked(settings.fifo, settings.lock, settings.core),
            **{f"code_{name}": Outcome[name.upper()].code for name in codes},
        )
        if clock is not None:
            self._hooks = (
                _NOW(clock.now),
                _SLEEP(clock.sleep),
                _SLEEP(lambda until: clock.attend(connection, until)),
            )
            self.inner.now, self.inner.sleep, self.inner.attend = self._hooks
        # for calls from Python; the compiled loop brings buffers of its own
        self._command, self._reading, self._notes = (
            np.zeros(n) for n in (settings.axes, settings.count, len(NOTES))
        )

    @property
    def handle(self) -> int:
        """Where the compiled loop finds this tick."""
        return ctypes.addressof(self.inner)

    def step(self, state: int, command: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """One tick: the reading, and the notes named in `NOTES`."""
        self._command[:] = command
        pointers = [a.ctypes.data_as(POINTER(c_double)) for a in (self._command, self._reading, self._notes)]
        self.library.dovetail_step(ctypes.byref(self.inner), int(state), *pointers)
        return self._reading.copy(), self._notes.copy()

    def settle(self, code: int) -> None:
        """The supervisor's word on this tick: a code above zero sends the rig to its safe state now."""
        self.library.dovetail_settle(ctypes.byref(self.inner), int(code))

    def counts(self) -> Counts:
        """What was counted so far."""
        inner = self.inner
        rejected = {reason: int(inner.rejected[reason]) for reason in Rejection if reason}
        return Counts(
            inner.sent,
            inner.received,
            inner.lost,
            inner.overruns,
            inner.held,
            {reason: number for reason, number in rejected.items() if number},
            inner.scheduling.told(),
        )

    def close(self) -> None:
        """Nothing is kept open: the socket belongs to the connection."""

    def __getattr__(self, name: str) -> Any:
        if name in ("stop", "hold", "done", "code", "safe", "rig_state", "started"):
            return getattr(self.inner, name)
        raise AttributeError(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("stop", "hold", "started"):
            setattr(self.inner, name, int(value))
        else:
            object.__setattr__(self, name, value)


def _granted(error: int) -> str:
    if error == 0:
        return "granted"
    return "not asked for" if error < 0 else f"refused: {os.strerror(error).lower()}"
