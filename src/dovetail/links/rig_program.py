"""The rig of a test as a plant: actuator, specimen and sensors, stepped as one compiled function.

For a session over a link there is more: `program` is the whole session as one compiled function.
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
from dovetail.links.single_thread import one_function
from dovetail.testing import Test
from dovetail.testing.rig import AbstractRig


class VirtualPlant:
    """The virtual rig of a test, one tick at a time.

    All that the rig shows goes over the link, first what the loop needs: measured displacement and force,
    then the rest in alphabetical order.
    """

    def __init__(self, test: Test):
        prepared = test.prepare()
        rig: AbstractRig = prepared.require_rig()
        self.dt, self.shape = prepared.dt, test.shape
        self.axes = int(np.prod(self.shape, dtype=int))
        state, shown = _started(rig)
        needed = ("measured_displacement", "measured_force")
        self.names = (*needed, *sorted(set(shown) - set(needed)))
        self.signals = tuple((name, int(np.prod(shown[name].shape, dtype=int))) for name in self.names)

        def advance(x, k, command):
            x, reading = rig.step(k * self.dt, self.dt, x, command.reshape(self.shape))
            return x, k + 1, _flat(reading, self.names)

        self._rig = rig
        k, rest = jnp.zeros((), dtype=int), jnp.zeros(self.axes)
        self._advance = jax.jit(advance).lower(state, k, rest).compile()
        self.state: Any = (state, k)

    def reset(self) -> np.ndarray:
        """Back to rest; the first reading."""
        state, reading = _started(self._rig)
        self.state = (state, jnp.zeros((), dtype=int))
        return np.concatenate([np.ravel(reading[name]) for name in self.names])

    def step(self, command: np.ndarray) -> np.ndarray:
        """Follow the command over one tick; the reading at its end."""
        state, k, reading = self._advance(*self.state, np.asarray(command, dtype=float))
        self.state = (state, k)
        return np.asarray(reading)

    @cached_property
    def program(self) -> Callable[[int], int]:
        """A whole session as one compiled program: from the handle of a `NativeSession` to its number of ticks.

        It has been run once when this returns, so that the first command meets no cold code.
        """
        count = sum(count for _, count in self.signals)
        library()
        about = (self.dt, self.shape, self.names)
        compiled = _session.lower(self._rig, about, jnp.zeros((), dtype=int)).compile()
        over = NativeSession(self, session=0, rate=1 / self.dt, link_timeout=1, limits={})
        over.end()
        assert over.inner.count == count
        run = lambda handle: int(compiled(self._rig, about, jnp.asarray(handle, dtype=int)))  # noqa: E731
        run(over.handle)
        return run


def _flat(reading: dict[str, jax.Array], names: tuple[str, ...]) -> jax.Array:
    return jnp.concatenate([jnp.ravel(reading[name]) for name in names])


@eqx.filter_jit
def _started(rig: AbstractRig) -> tuple[Any, dict[str, jax.Array]]:
    """The rig at rest, and its first reading."""
    x = rig.init()
    return x, rig.first_reading(x)


def _served(
    rig: AbstractRig, about: tuple[float, tuple[int, ...], tuple[str, ...]], handle: jax.Array
) -> jax.Array:
    """A session from its first reading to its end; how many ticks it had."""
    dt, shape, names = about
    results = (jax.ShapeDtypeStruct((math.prod(shape),), float), jax.ShapeDtypeStruct((), int))
    call: Any = jax.ffi.ffi_call("dovetail_session", results, has_side_effect=True)
    x = rig.init()

    def step(x, k, command):
        x, reading = rig.step(k * dt, dt, x, command.reshape(shape))
        return x, _flat(reading, names)

    def advance(carry):
        x, k, command, going, _ = carry
        x, reading = one_function(lambda: step(x, k, command), going)
        command, going = call(handle, reading)
        return x, k + 1, command, going, reading

    reading = _flat(rig.first_reading(x), names)
    command, going = call(handle, reading)
    carry = (x, jnp.zeros((), dtype=int), command, going, reading)
    return jax.lax.while_loop(lambda carry: carry[3] > 0, advance, carry)[1]


_session: Any = eqx.filter_jit(_served)  # traced once for rigs of the same parts
