"""Simulated rig of a test as a plant: actuator, specimen and sensors, stepped as one compiled function.

For a session over a link, `program` is the complete session as one compiled function.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.links.native import NativeSession, library
from dovetail.links.single_thread import as_single_function
from dovetail.testing import Test
from dovetail.testing.rig import AbstractRig


class VirtualPlant:
    """Simulated rig of a test, one tick at a time.

    All signals of the rig are sent over the link: first measured displacement and force, then the others in
    alphabetical order.
    """

    def __init__(self, test: Test):
        prepared = test.prepare()
        rig: AbstractRig = prepared.rig
        self.dt, self.shape = prepared.dt, test.shape
        self.axes = int(np.prod(self.shape, dtype=int))
        state, first = _initial_state(rig)
        required = ("measured_displacement", "measured_force")
        self.names = (*required, *sorted(set(first) - set(required)))
        self.signals = tuple((name, int(np.prod(first[name].shape, dtype=int))) for name in self.names)

        def advance(x, k, command):
            x, reading = rig.step(k * self.dt, self.dt, x, command.reshape(self.shape))
            return x, k + 1, _flat(reading, self.names)

        self._rig = rig
        k, zero = jnp.zeros((), dtype=int), jnp.zeros(self.axes)
        self._advance = jax.jit(advance).lower(state, k, zero).compile()
        self.state: Any = (state, k)

    def reset(self) -> np.ndarray:
        """Return the rig to rest; return the first reading."""
        state, reading = _initial_state(self._rig)
        self.state = (state, jnp.zeros((), dtype=int))
        return np.concatenate([np.ravel(reading[name]) for name in self.names])

    def step(self, command: np.ndarray) -> np.ndarray:
        """Follow the command over one tick; return the reading at its end."""
        state, k, reading = self._advance(*self.state, np.asarray(command, dtype=float))
        self.state = (state, k)
        return np.asarray(reading)

    @cached_property
    def program(self) -> Callable[[int], int]:
        """Complete session as one compiled program: from the handle of a `NativeSession` to its number of ticks.

        It has run once, so that the first command is not delayed.
        """
        count = sum(count for _, count in self.signals)
        library()
        settings = (self.dt, self.shape, self.names)
        compiled = _session.lower(self._rig, settings, jnp.zeros((), dtype=int)).compile()
        ended = NativeSession(self, session=0, rate=1 / self.dt, link_timeout=1, limits={})
        ended.end()
        assert ended.inner.count == count
        run = lambda handle: int(compiled(self._rig, settings, jnp.asarray(handle, dtype=int)))  # noqa: E731
        run(ended.handle)
        return run


def _flat(reading: dict[str, jax.Array], names: tuple[str, ...]) -> jax.Array:
    return jnp.concatenate([jnp.ravel(reading[name]) for name in names])


@eqx.filter_jit
def _initial_state(rig: AbstractRig) -> tuple[Any, dict[str, jax.Array]]:
    """Return the rig at rest, and its first reading."""
    x = rig.init()
    return x, rig.first_reading(x)


def _run_session(
    rig: AbstractRig, settings: tuple[float, tuple[int, ...], tuple[str, ...]], handle: jax.Array
) -> jax.Array:
    """Run a session from its first reading to its end; return the number of ticks."""
    dt, shape, names = settings
    results = (jax.ShapeDtypeStruct((math.prod(shape),), float), jax.ShapeDtypeStruct((), int))
    call: Any = jax.ffi.ffi_call("dovetail_session", results, has_side_effect=True)
    x = rig.init()

    def step(x, k, command):
        x, reading = rig.step(k * dt, dt, x, command.reshape(shape))
        return x, _flat(reading, names)

    def advance(carry):
        x, k, command, go, _ = carry
        x, reading = as_single_function(lambda: step(x, k, command), go)
        command, go = call(handle, reading)
        return x, k + 1, command, go, reading

    reading = _flat(rig.first_reading(x), names)
    command, go = call(handle, reading)
    carry = (x, jnp.zeros((), dtype=int), command, go, reading)
    return jax.lax.while_loop(lambda carry: carry[3] > 0, advance, carry)[1]


_session: Any = eqx.filter_jit(_run_session)  # traced once for rigs of the same parts
