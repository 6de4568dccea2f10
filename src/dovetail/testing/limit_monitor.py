"""Limit monitor: checks demand and measurement in every sample and stores the first breach.

The *demand* is checked first, before the command is sent; then the *measurement*. A value that is not finite has
precedence in each. The pseudo-dynamic mode waits between the two checks; the other modes make both at once. A mode
says which limits it cannot monitor; such a limit is an error before the run starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from dovetail.core import signals
from dovetail.core.block import Time
from dovetail.core.monitor import Monitor, MonitorState
from dovetail.core.signals import MOTION
from dovetail.core.system import Signals
from dovetail.testing.contact_energy_gain import ContactGainState, has_contact_signals
from dovetail.testing.limits import (
    DEMAND_LIMITS,
    MEASUREMENT_LIMITS,
    MIN_DEMAND_CHANGE,
    MONITORED_LIMITS,
    ROTARY_UNITS,
    TENSION,
    Limits,
    MonitoredLimit,
    exceeds,
)
from dovetail.testing.outcome import Outcome, Trip

STOP_CODE = "stop_code"  # signal of a real rig: code of the outcome found by its tick, 0 for none


class GrowthState(eqx.Module):
    """Running means of the squared demand, and the growth rate that follows from them."""

    short: Float[Array, ""]  # [m^2] with the time constant T
    long: Float[Array, ""]  # [m^2] with the time constant 4 T
    rate: Float[Array, ""]  # [1/s]


class ChannelState(eqx.Module):
    """Samples with an unchanged reading of a channel while the demand moved up and down, by axis."""

    value: Float[Array, "*n"]  # last reading
    demand: Float[Array, "*n"]  # [m] at the last change of the reading
    up: Float[Array, "*n"]
    down: Float[Array, "*n"]

    def step(
        self, value: Array, unchanged: Array, demand: Array, velocity: Array, moved: Array
    ) -> ChannelState:
        """Return the state after a reading; `moved` is the distance from which the demand has moved."""
        counts = unchanged & (jnp.abs(demand - self.demand) > moved)
        up = jnp.where(unchanged, self.up + (counts & (velocity > 0)), 0.0)
        down = jnp.where(unchanged, self.down + (counts & (velocity <= 0)), 0.0)
        return ChannelState(value, jnp.where(unchanged, self.demand, demand), up, down)


class FrozenState(eqx.Module):
    """Displacement and force channel while the demand moves."""

    position: ChannelState
    force: ChannelState
    peak: Float[Array, "*n"]  # [m] of the demand
    age: Float[Array, ""]  # [ticks] of the last reading

    @property
    def count(self) -> Array:
        """Samples with an unchanged reading, by axis.

        A force can be constant while the demand moves: friction, a plastic specimen, no contact. These forces change
        where the demand turns, or are zero. A force channel counts with the samples in both directions, unless it is
        zero.
        """
        force = 2 * jnp.minimum(self.force.up, self.force.down) * (self.force.value != 0)
        return jnp.maximum(self.position.up + self.position.down, force)

    def step(self, demand: Array, shown: Mapping[str, Any]) -> FrozenState:
        """Return the state after a sample.

        Each channel of a real rig is judged alone; only its readings have an age. The channels of a simulated rig have
        no faults: they count together, and a constant force alone is that of its specimen. A reading that is repeated
        because no answer arrived does not count: `link_timeout` limits its age.
        """
        peak = jnp.maximum(self.peak, jnp.abs(demand))
        age = jnp.asarray(shown.get("measurement_age", 0.0), dtype=float)
        moved = jnp.where(age <= self.age, MIN_DEMAND_CHANGE * peak, jnp.inf)  # else repeated
        channels = self.position, self.force
        values = [
            jnp.broadcast_to(shown[name], jnp.shape(demand))
            for name in ("measured_displacement", "measured_force")
        ]
        unchanged = [value == channel.value for value, channel in zip(values, channels, strict=True)]
        if "measurement_age" not in shown:
            unchanged = [unchanged[0] & unchanged[1], jnp.zeros_like(unchanged[1])]
        position, force = (
            channel.step(value, same, demand, shown["velocity"], moved)
            for channel, value, same in zip(channels, values, unchanged, strict=True)
        )
        return FrozenState(position, force, peak, age)


class LimitState(MonitorState):
    """First breach, and the quantities that accumulate."""

    growth: GrowthState
    energy: Float[Array, ""]  # [J] transferred from the interface to the simulation
    frozen: FrozenState
    held_force: Float[Array, "*n"]  # [N] feedback force of the last sample
    contact: ContactGainState | None = None


class LimitChecks(Monitor):
    """Checks of demand and measurement against the limits of a test; a subclass says which of them a sample needs."""

    limits: Limits
    rotary: tuple[bool, ...] = eqx.field(default=(), static=True)  # True for a rotary axis
    not_monitored: frozenset[str] = eqx.field(default=frozenset(), static=True)
    has_interface: bool = eqx.field(default=True, static=True)  # False: all signals of a system without a rig
    force_is_held: bool = eqx.field(default=True, static=True)  # over a step; False: continuous time

    def empty_state(self, shape: tuple[int, ...] = ()) -> LimitState:
        """Return the state before the first sample."""
        zero, nan = jnp.zeros(()), jnp.full(shape, jnp.nan, dtype=float)
        none = jnp.zeros((), dtype=int)
        channel = ChannelState(nan, nan, jnp.zeros(shape), jnp.zeros(shape))
        frozen = FrozenState(channel, channel, jnp.zeros(shape), zero)
        return LimitState(none, none - 1, GrowthState(zero, zero, zero), zero, frozen, jnp.zeros(shape))

    def start(self, shown: Signals) -> tuple[LimitState, Signals]:
        m = self.empty_state(jnp.shape(shown.get("displacement", 0.0)))
        if self.monitors("contact_energy_gain") and has_contact_signals(shown):
            m = eqx.tree_at(
                lambda m: m.contact,
                m,
                ContactGainState.apart_at(shown["velocity"]),
                is_leaf=lambda x: x is None,
            )
        return self.step(jnp.zeros(()), jnp.zeros(()), m, shown)

    def check_demand(self, t: Time, h: Time, m: LimitState, shown: Signals) -> LimitState:
        """Check a demand, `h` after the previous one."""
        values = {name: value for name, value in shown.items() if name in MOTION or not self.has_interface}
        growth = self._growth(t, h, m.growth, shown.get("displacement", jnp.zeros(())))
        m = _with(m, growth=growth, sample=m.sample + (m.code == 0))
        return self._check(m, DEMAND_LIMITS, {**values, "growth_rate": growth.rate})

    def check_measurement(self, h: Time, m: LimitState, shown: Signals) -> LimitState:
        """Check the measurement of a sample."""
        if not self.has_interface:
            return self._check(m, MEASUREMENT_LIMITS, {TENSION: shown[TENSION]} if TENSION in shown else {})
        if "measured_force" not in shown:
            return m
        values = interface_quantities(shown)
        # energy and frozen samples keep their values of the first breach, which the trip reports
        energy = m.energy + jnp.where(m.code == 0, h * values["power"], 0.0)
        m = _with(m, energy=energy)
        values["interface_energy"] = jnp.maximum(energy, 0.0)
        if "measured_displacement" in shown:
            frozen = m.frozen.step(shown["displacement"], shown)
            m = _with(
                m, frozen=jax.tree.map(lambda new, old: jnp.where(m.code == 0, new, old), frozen, m.frozen)
            )
            values["frozen_samples"] = m.frozen.count
        if m.contact is not None:
            now = shown.get("feedback_force", m.held_force)
            force = m.held_force if self.force_is_held else (m.held_force + now) / 2  # trapezoidal rule
            m = _with(
                m, contact=m.contact.step(h, force, shown["velocity"], shown["penetration"]), held_force=now
            )
            assert m.contact is not None
            values["contact_energy_gain"] = m.contact.gain
        m = self._check(m, MEASUREMENT_LIMITS, values)
        if STOP_CODE in shown:
            m = _with(m, code=jnp.where(m.code == 0, shown[STOP_CODE], m.code))
        return m

    def _growth(self, t: Time, h: Time, x: GrowthState, displacement: Array) -> GrowthState:
        window = self.limits.growth_window
        square = jnp.sum(jnp.square(displacement))
        short = x.short + h / (window + h) * (square - x.short)
        long = x.long + h / (4 * window + h) * (square - x.long)
        ratio = short / jnp.where(long > 0, long, 1.0)
        armed = (t > 16 * window) & (long > 0)
        # the ratio tends to 4 for infinitely fast growth; clipped below 4 to stay finite
        rate = jnp.where(armed, (ratio - 1) / (2 * window * (4 - jnp.minimum(ratio, 3.99))), 0.0)
        return GrowthState(short, long, rate)

    def _check(
        self, m: LimitState, checks: tuple[MonitoredLimit, ...], values: Mapping[str, Any]
    ) -> LimitState:
        """Return the state with the code of the first failed check, unless an earlier breach is stored."""
        code: Int[Array, ""] = jnp.zeros((), dtype=int)
        for check in reversed(checks):
            signal, rotary = self._signal_of(check)
            if signal in values and self.monitors(check.limit):
                exceeded = exceeds(values[signal], self.limits.limit_of(check.limit, rotary))
                code = jnp.where(exceeded, check.outcome.code, code)
        finite = jnp.array(True)
        for value in values.values():
            finite &= jnp.all(jnp.isfinite(value))
        code = jnp.where(finite, code, Outcome.NOT_FINITE.code)
        return _with(m, code=jnp.where(m.code == 0, code, m.code))

    def monitors(self, limit: str) -> bool:
        """Return whether the limit is monitored."""
        return limit not in self.not_monitored and (limit != "torque" or any(self.rotary))

    def _signal_of(self, check: MonitoredLimit) -> tuple[str, tuple[bool, ...]]:
        """Return the signal compared with a limit, and which of its axes are rotary."""
        tension = not self.has_interface and check.limit == "force"
        return (TENSION, ()) if tension else (check.signal, self.rotary)

    def trip(self, outcome: Outcome, time: float, shown: Mapping[str, Any], m: LimitState) -> Trip | None:
        """Return the trip of a breach at a sample: of several axes the one furthest beyond its limit."""
        check = next((check for check in MONITORED_LIMITS if check.outcome is outcome), None)
        if check is None:
            return None
        values = dict(shown)
        if self.has_interface and "measured_force" in shown:
            values |= interface_quantities(shown)
            values |= {"interface_energy": m.energy, "frozen_samples": m.frozen.count}
        signal, rotary = self._signal_of(check)
        if signal not in values:
            return None
        sizes = np.atleast_1d(np.abs(np.asarray(values[signal], dtype=float)))
        limits = np.broadcast_to(np.asarray(self.limits.limit_of(check.limit, rotary)), sizes.shape)
        worst = np.unravel_index(np.argmax(np.nan_to_num(sizes / limits)), sizes.shape)
        unit = "ticks" if check.limit == "frozen_sensor" else signals.signal(signal).unit
        if len(rotary) == sizes.shape[-1] and rotary[worst[-1]]:
            unit = ROTARY_UNITS.get(unit, unit)
        return Trip(signal, float(sizes[worst]), float(limits[worst]), time, unit)


class LimitMonitor(LimitChecks):
    """Limit monitor of a test in a mode: checks the demand and then the measurement of every sample."""

    def step(self, t: Time, h: Time, m: LimitState, shown: Signals) -> tuple[LimitState, Signals]:
        """Check the demand and then the measurement of a sample; add growth rate and contact energy gain to it."""
        m = self.check_measurement(h, self.check_demand(t, h, m, shown), shown)
        shown = {name: value for name, value in shown.items() if name != STOP_CODE}
        if self.monitors("growth_rate"):
            shown = {**shown, "growth_rate": m.growth.rate}
        if m.contact is not None:
            shown = {**shown, "contact_energy_gain": m.contact.gain}
        return m, shown


def _with(m: LimitState, **changes: Any) -> LimitState:
    """Return the state with changed fields."""
    return LimitState(**{**vars(m), **changes})


def interface_quantities(shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return tracking error, force, torque and power of a sample, by signal name. For JAX and NumPy."""
    force, quantities = shown["measured_force"], {}
    if "measured_displacement" in shown:
        quantities["tracking_error"] = shown["displacement"] - shown["measured_displacement"]
    power = (force * shown["velocity"]).sum()
    return {**quantities, "measured_force": force, "measured_torque": force, "power": power}
