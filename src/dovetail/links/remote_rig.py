"""Rig behind a link, as a part of the loop: from command to reading.

The step is a call out of the compiled program: into the native tick through the foreign function interface of XLA, or
into the Python tick by a callback. The session is a value and not part of the program, so the next run of the same test
is not compiled again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

from dovetail.links.rig_protocol import RigState
from dovetail.links.tick import NOTES
from dovetail.testing.rig import AbstractRig, Reading

_objects: dict[int, Any] = {}  # Python ticks, rings and tunable values, by handle


def register(entry: Any) -> int:
    """Register a Python tick, a ring or tunable values; return the handle."""
    handle = id(entry)
    _objects[handle] = entry
    return handle


def unregister(handle: int) -> None:
    """Remove the object of a handle."""
    _objects.pop(handle, None)


class RemoteRig(AbstractRig):
    """Rig of an open session.

    `state` is the state requested from the rig (`rig_protocol.RigState`). The notes of the tick are recorded with the
    readings. The code of the first reason to stop is in the state of the rig and ends the loop.
    """

    handle: jax.Array  # int64: handle of the tick
    first: jax.Array  # reading before the first command, all values
    signals: tuple[tuple[str, tuple[int, ...]], ...] = eqx.field(static=True)  # names and shapes
    native: bool = eqx.field(static=True)
    state: RigState = eqx.field(default=RigState.ACTIVE, static=True)

    def init(self) -> dict[str, jax.Array]:
        return {"code": jnp.zeros((), dtype=int), "last_call": jnp.zeros((), dtype=int)}

    def first_reading(self, x) -> Reading:
        return {**self._by_name(self.first), **{name: jnp.zeros(()) for name in NOTES[:5]}}

    def step(self, t, dt, x, u):
        flat, notes = self._call(x["last_call"], jnp.asarray(int(self.state)), jnp.ravel(u))
        by_name = dict(zip(NOTES, notes, strict=True))
        x = {"code": notes[NOTES.index("code")].astype(int), "last_call": x["last_call"]}
        return x, {**self._by_name(flat), **{name: by_name[name] for name in NOTES[:5]}}

    def settle(self, x, code):
        result = self._send_code(x["code"], code)
        return {"code": jnp.where(x["code"] > 0, x["code"], result), "last_call": result}

    def write_record(self, x, ring: jax.Array, values: jax.Array):
        """Write a record to the ring with this handle (`ring.Ring`)."""
        result = jax.ShapeDtypeStruct((), x["last_call"].dtype)
        if self.native:
            call: Callable = jax.ffi.ffi_call("dovetail_show", result, has_side_effect=True)
            return {**x, "last_call": call(ring, x["last_call"], values)}
        return {**x, "last_call": io_callback(_python_write_record, result, ring, x["last_call"], values)}

    def read_tunables(self, x, handle: jax.Array, count: int):
        """Return the requested values of the tunable parameters."""
        results = (jax.ShapeDtypeStruct((), x["last_call"].dtype), jax.ShapeDtypeStruct((count,), float))
        if self.native:
            call: Callable = jax.ffi.ffi_call("dovetail_tunables", results, has_side_effect=True)
            result, values = call(handle, x["last_call"])
        else:
            result, values = io_callback(_python_read_tunables, results, handle, x["last_call"])
        return {**x, "last_call": result}, values

    def release(self, x) -> jax.Array:
        """Last call: end the real-time scheduling of the thread."""
        return self._send_code(x["last_call"], -1)

    def _by_name(self, flat: jax.Array) -> Reading:
        reading, at = {}, 0
        for name, shape in self.signals:
            size = int(np.prod(shape, dtype=int))
            reading[name] = flat[at : at + size].reshape(shape)
            at += size
        return reading

    # Each call has the result of the previous call as an unused argument, so that the compiler cannot reorder them.

    def _call(self, after, state, command) -> tuple[jax.Array, jax.Array]:
        results = tuple(jax.ShapeDtypeStruct(shape, float) for shape in (self.first.shape, (len(NOTES),)))
        if self.native:
            call: Callable = jax.ffi.ffi_call("dovetail_step", results, has_side_effect=True)
            return call(self.handle, after, state, command)
        return io_callback(_python_step, results, self.handle, after, state, command)

    def _send_code(self, after, code) -> jax.Array:
        code = jnp.asarray(code, dtype=int)
        result = jax.ShapeDtypeStruct((), code.dtype)
        if self.native:
            call: Callable = jax.ffi.ffi_call("dovetail_settle", result, has_side_effect=True)
            return call(self.handle, after, code)
        return io_callback(_python_settle, result, self.handle, after, code)


def _python_step(handle, after, state, command):
    return _objects[int(handle)].step(int(state), np.asarray(command))


def _python_settle(handle, after, code):
    _objects[int(handle)].settle(int(code))
    return np.asarray(code)


def _python_read_tunables(handle, after):
    return np.asarray(after), _objects[int(handle)].copy()


def _python_write_record(handle, after, values):
    _objects[int(handle)].show(np.asarray(values))
    return np.asarray(after)
