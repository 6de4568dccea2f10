"""A rig at the other end of a link, as the loop sees it: a command goes in, a reading comes out.

Its step calls out of the compiled program: into the native tick through XLA's foreign function interface, or
into the Python tick by a callback. Which session it talks to is a value, not part of the program, so the next
run of the same test is not compiled anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

from dovetail.links.rig_protocol import State
from dovetail.links.tick import NOTES
from dovetail.testing.rig import AbstractRig, Reading

_python_ticks: dict[int, Any] = {}  # ticks, rings of records and dials, in Python by their handle


def enter(tick: Any) -> int:
    """Make a Python tick or a ring known under a handle."""
    handle = id(tick)
    _python_ticks[handle] = tick
    return handle


def leave(handle: int) -> None:
    """Forget it again."""
    _python_ticks.pop(handle, None)


class RemoteRig(AbstractRig):
    """The rig of an open session.

    `state` is what the rig is asked to be in (`protocol.State`). The notes of the tick are recorded beside
    the readings; the code of the first reason to stop is in the rig's state, for the loop to end on.
    """

    handle: jax.Array  # int64: where the tick is
    first: jax.Array  # what the sensors showed before the first command, all values
    signals: tuple[tuple[str, tuple[int, ...]], ...] = eqx.field(static=True)  # names and shapes
    native: bool = eqx.field(static=True)
    state: State = eqx.field(default=State.ACTIVE, static=True)

    def init(self) -> dict[str, jax.Array]:
        return {"code": jnp.zeros((), dtype=int), "told": jnp.zeros((), dtype=int)}

    def first_reading(self, x) -> Reading:
        return {**self._named(self.first), **{name: jnp.zeros(()) for name in NOTES[:5]}}

    def step(self, t, dt, x, u):
        flat, notes = self._call(x["told"], jnp.asarray(int(self.state)), jnp.ravel(u))
        shown = dict(zip(NOTES, notes, strict=True))
        x = {"code": notes[NOTES.index("code")].astype(int), "told": x["told"]}
        return x, {**self._named(flat), **{name: shown[name] for name in NOTES[:5]}}

    def settle(self, x, code):
        told = self._tell(x["code"], code)
        return {"code": jnp.where(x["code"] > 0, x["code"], told), "told": told}

    def note(self, x, ring: jax.Array, values: jax.Array):
        """Write a record into the ring with that handle (`watching.Ring`)."""
        result = jax.ShapeDtypeStruct((), x["told"].dtype)
        if self.native:
            call: Callable = jax.ffi.ffi_call("dovetail_show", result, has_side_effect=True)
            return {**x, "told": call(ring, x["told"], values)}
        return {**x, "told": io_callback(_python_note, result, ring, x["told"], values)}

    def dials(self, x, handle: jax.Array, count: int):
        """What the operator's dials are turned to now."""
        results = (jax.ShapeDtypeStruct((), x["told"].dtype), jax.ShapeDtypeStruct((count,), float))
        if self.native:
            call: Callable = jax.ffi.ffi_call("dovetail_dials", results, has_side_effect=True)
            told, values = call(handle, x["told"])
        else:
            told, values = io_callback(_python_dials, results, handle, x["told"])
        return {**x, "told": told}, values

    def release(self, x) -> jax.Array:
        """The last call: gives back the thread's real-time scheduling."""
        return self._tell(x["told"], -1)

    def _named(self, flat: jax.Array) -> Reading:
        reading, at = {}, 0
        for name, shape in self.signals:
            size = int(np.prod(shape, dtype=int))
            reading[name] = flat[at : at + size].reshape(shape)
            at += size
        return reading

    # Calls take the result of the one before as an argument, unread: so the compiler cannot reorder them.

    def _call(self, after, state, command) -> tuple[jax.Array, jax.Array]:
        results = tuple(jax.ShapeDtypeStruct(shape, float) for shape in (self.first.shape, (len(NOTES),)))
        if self.native:
            call: Callable = jax.ffi.ffi_call("dovetail_step", results, has_side_effect=True)
            return call(self.handle, after, state, command)
        return io_callback(_python_step, results, self.handle, after, state, command)

    def _tell(self, after, code) -> jax.Array:
        code = jnp.asarray(code, dtype=int)
        result = jax.ShapeDtypeStruct((), code.dtype)
        if self.native:
            call: Callable = jax.ffi.ffi_call("dovetail_settle", result, has_side_effect=True)
            return call(self.handle, after, code)
        return io_callback(_python_settle, result, self.handle, after, code)


def _python_step(handle, after, state, command):
    return _python_ticks[int(handle)].step(int(state), np.asarray(command))


def _python_settle(handle, after, code):
    _python_ticks[int(handle)].settle(int(code))
    return np.asarray(code)


def _python_dials(handle, after):
    return np.asarray(after), _python_ticks[int(handle)].copy()


def _python_note(handle, after, values):
    _python_ticks[int(handle)].show(np.asarray(values))
    return np.asarray(after)
