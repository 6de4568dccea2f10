"""Monitors: check every sample, and end a run."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Int

from dovetail.core.block import Time
from dovetail.core.system import Signals


class MonitorState(eqx.Module):
    """Outcome that ends a run."""

    code: Int[Array, ""]  # of the first outcome other than the end of the run; 0: none
    sample: Int[
        Array, ""
    ]  # number of the last checked sample, or of the sample with that outcome; t = 0 is sample 0


class Monitor(eqx.Module):
    """Checks every sample, and may add signals to it."""

    @abstractmethod
    def start(self, shown: Signals) -> tuple[Any, Signals]:
        """Return the state of the monitor and the signals of the first sample, which is checked like any other."""

    @abstractmethod
    def step(self, t: Time, h: Time, m: Any, shown: Signals) -> tuple[Any, Signals]:
        """Return the state and the signals of the sample at t, a time h after the previous one."""


class NoMonitor(Monitor):
    """Checks nothing."""

    def start(self, shown: Signals) -> tuple[MonitorState, Signals]:
        return MonitorState(jnp.zeros((), int), jnp.zeros((), int)), shown

    def step(self, t: Time, h: Time, m: MonitorState, shown: Signals) -> tuple[MonitorState, Signals]:
        return MonitorState(m.code, m.sample + 1), shown
