"""Rig at the other end of a link, as a rig of the loop: command in, measurement out.

Its step calls out of the compiled program: into the native tick through XLA's foreign function interface, or
into the Python tick by a callback. The session is a value and not part of the program, so the next run of the same
test is not compiled again.

Every call takes the result of the previous one as an argument that it does not read, so that the compiler cannot
reorder them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback
from jaxtyping import Array, Float, Int

from dovetail.core.block import State, Time
from dovetail.core.keep import Keep
from dovetail.core.system import Signals
from dovetail.links.rig_protocol import RigState
from dovetail.links.single_thread import one_function
from dovetail.links.tick import NOTES
from dovetail.testing.limit_monitor import STOP_CODE
from dovetail.testing.recorder import with_tracking_error
from dovetail.testing.rig import AbstractRig, Reading

T = TypeVar("T")
RECORDED_NOTES = NOTES[:5]
_python_objects: dict[int, Any] = {}  # ticks, rings and requested values, in Python, by their handle


def register(target: Any) -> int:
    """Return the handle of a tick, a ring or an array in Python."""
    handle = id(target)
    _python_objects[handle] = target
    return handle


def unregister(handle: int) -> None:
    """Remove a handle."""
    _python_objects.pop(handle, None)


class RemoteRig(AbstractRig):
    """Rig of an open session.

    `state` is the state requested of the rig (`rig_protocol.RigState`). The notes of the tick are recorded with the
    measurements. The code of its first reason to stop is the signal `stop_code`, on which the monitor ends the run.
    """

    handle: jax.Array  # int64: address of the tick
    first: jax.Array  # measurement before the first command, all values
    signals: tuple[tuple[str, tuple[int, ...]], ...] = eqx.field(static=True)  # names and shapes
    native: bool = eqx.field(static=True)
    state: RigState = eqx.field(default=RigState.ACTIVE, static=True)

    def init(self) -> dict[str, jax.Array]:
        return {"code": jnp.zeros((), dtype=int), "last_call": jnp.zeros((), dtype=int)}

    def first_reading(self, x: State) -> Reading:
        return {**self._by_name(self.first), **{name: jnp.zeros(()) for name in RECORDED_NOTES}}

    def step(self, t: Time, dt: Time, x: State, u: Any) -> tuple[State, Reading]:
        values, notes = self._exchange(x["last_call"], jnp.asarray(int(self.state)), jnp.ravel(u))
        note = dict(zip(NOTES, notes, strict=True))
        code = note["code"].astype(int)
        reading = {**self._by_name(values), **{name: note[name] for name in RECORDED_NOTES}, STOP_CODE: code}
        return {"code": code, "last_call": x["last_call"]}, reading

    def compute(self, work: Callable[[], T]) -> T:
        return one_function(work, (self.handle != 0).astype(int))

    def settle(self, x: State, code: jax.Array) -> State:
        # a stop that the tick itself has found needs no second message
        call = self._settle(x["code"], jnp.where(x["code"] > 0, 0, code))
        return {"code": jnp.where(x["code"] > 0, x["code"], code), "last_call": call}

    def release(self, x: State) -> jax.Array:
        """Make the last call, which ends the real-time scheduling of the thread."""
        return self._settle(x["last_call"], jnp.asarray(-1))

    def _by_name(self, values: jax.Array) -> Reading:
        reading, at = {}, 0
        for name, shape in self.signals:
            size = math.prod(shape)
            reading[name] = values[at : at + size].reshape(shape)
            at += size
        return reading

    def _exchange(
        self, after: jax.Array, state: jax.Array, command: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        results = tuple(jax.ShapeDtypeStruct(shape, float) for shape in (self.first.shape, (len(NOTES),)))
        return _call(self.native, "dovetail_step", _python_step, results, self.handle, after, state, command)

    def _settle(self, after: jax.Array, code: jax.Array) -> jax.Array:
        code = jnp.asarray(code, dtype=int)
        result = jax.ShapeDtypeStruct((), code.dtype)
        return _call(self.native, "dovetail_settle", _python_settle, result, self.handle, after, code)


class RingState(eqx.Module):
    """Rows written to a ring, and the extremes of all samples if not every one is written."""

    last_call: Int[Array, ""]
    count: Int[Array, ""]  # samples
    last: Float[Array, " width"]  # row of the last sample
    largest: Float[Array, " all_widths"]  # magnitudes, with the tracking error at the end


class RingKeep(Keep):
    """Writes every n-th sample to a ring, outside of the compiled loop."""

    handle: jax.Array  # int64: address of the ring
    names: tuple[str, ...] = eqx.field(static=True)  # of the recorded signals, in the order of the ring
    native: bool = eqx.field(static=True)
    every: int = eqx.field(default=1, static=True)
    width: int = eqx.field(default=0, static=True)  # values in a row
    axes: int = eqx.field(default=1, static=True)  # of the interface

    def start(self, shown: Signals) -> RingState:
        none = jnp.zeros((), dtype=int)
        width, axes = (0, 0) if self.every == 1 else (self.width, self.axes)
        return RingState(none, none, jnp.zeros(width), jnp.zeros(width + axes))

    def row(self, kept: RingState, t: Time, h: Time, shown: Signals) -> tuple[RingState, jax.Array]:
        row = jnp.concatenate([jnp.ravel(shown[name]).astype(float) for name in self.names])
        count = kept.count + 1
        if self.every == 1:
            return RingState(kept.last_call, count, kept.last, kept.largest), row
        error = jnp.ravel(with_tracking_error(shown)["tracking_error"])
        size = jnp.abs(jnp.concatenate([row, error]))
        largest = jnp.maximum(kept.largest, jnp.where(jnp.isfinite(size), size, 0.0))
        return RingState(kept.last_call, count, row, largest), row

    def send(self, kept: RingState, row: jax.Array) -> tuple[RingState, Signals]:
        result = jax.ShapeDtypeStruct((), kept.last_call.dtype)

        def write(after: jax.Array) -> jax.Array:
            return _call(self.native, "dovetail_show", _python_show, result, self.handle, after, row)

        due = kept.count % self.every == 0
        call = (
            write(kept.last_call)
            if self.every == 1
            else jax.lax.cond(due, write, lambda x: x, kept.last_call)
        )
        return RingState(call, kept.count, kept.last, kept.largest), {}


class RequestedValues(eqx.Module):
    """Values of the tunable parameters that the operator has requested, read in every tick."""

    handle: jax.Array  # int64: address of the values
    count: int = eqx.field(static=True)
    native: bool = eqx.field(static=True)

    def read(self, after: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return the number for the next call, and the values."""
        results = (jax.ShapeDtypeStruct((), after.dtype), jax.ShapeDtypeStruct((self.count,), float))
        return _call(self.native, "dovetail_tunables", _python_values, results, self.handle, after)


def _call(native: bool, name: str, python: Callable[..., Any], results: Any, *arguments: jax.Array) -> Any:
    """Call the native function with a name, or its counterpart in Python."""
    if native:
        call: Callable[..., Any] = jax.ffi.ffi_call(name, results, has_side_effect=True)
        return call(*arguments)
    return io_callback(python, results, *arguments)


def _python_step(handle, after, state, command):
    return _python_objects[int(handle)].step(int(state), np.asarray(command))


def _python_settle(handle, after, code):
    _python_objects[int(handle)].settle(int(code))
    return np.asarray(code)


def _python_values(handle, after):
    return np.asarray(after), _python_objects[int(handle)].copy()


def _python_show(handle, after, values):
    _python_objects[int(handle)].show(np.asarray(values))
    return np.asarray(after)
