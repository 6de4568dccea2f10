r"""Strike of the probe on the drogue, from approach to its end, and the class of its outcome.

Hose, drogue and funnel are one flow, integrated with a fixed step. Only events and extremes are stored, so thousands of
strikes run as one batch. The outcome classes are those of the thesis [Bolien 2018, sec. 1.4.4]:

- `limit trip`: the moment on the drogue exceeded its limit before the nozzle was in the bore. A later trip ends the
  test, but not the coupling.
- `latched`: the latch engaged.
- `caught on the edge`: the strike ends in the coupling without latching.
- `beyond the ribs`: the nozzle passed outside after contact.
- `rim`: the nozzle touched only the rim.
- `contact lost`: the nozzle touched and separated.
- `miss`: no contact.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.air import DrogueHose
from dovetail.core import RK4, Flow, Input, Output, State
from dovetail.core.advance import ALL_SAMPLES, advance_samples, begin
from dovetail.core.block import Time
from dovetail.core.clock import Stopping
from dovetail.core.keep import Keep
from dovetail.core.monitor import Monitor, MonitorState
from dovetail.core.system import FlowSystem, Signals
from dovetail.mechanics import Substructure
from dovetail.specimens.base import Specimen
from dovetail.specimens.funnel import BORE, LEAD_IN, RIM, Funnel

TORQUE_LIMIT = 400.0  # [N m] capacity of the published force sensor [Bolien 2018, ch. 5 sec. IV-B]


class Ending(IntEnum):
    """Class of the outcome of a strike."""

    MISS = 0
    RIM = 1
    CONTACT_LOST = 2
    BEYOND_RIBS = 3
    CAUGHT_ON_EDGE = 4
    LIMIT_TRIP = 5
    LATCHED = 6

    @property
    def words(self) -> str:
        """Name in lower case with spaces."""
        return self.name.lower().replace("_", " ")


class Strike(Flow):
    """Flow of hose, drogue and receiver with the funnel between them; no input."""

    large: ClassVar[bool] = True

    hose: Substructure  # with the interface of `DrogueHose`
    funnel: Specimen

    @classmethod
    def at(cls, hose: DrogueHose, funnel: Funnel, *, offset: Any, speed: Any, incidence: Any) -> Strike:
        """Return the strike with an approach of given offset [m], speed [m/s] and incidence [rad]."""
        hose = eqx.tree_at(
            lambda h: (h.receiver.offset, h.receiver.approach.speed, h.receiver.incidence),
            hose,
            (jnp.asarray(offset, float), jnp.asarray(speed, float), jnp.asarray(incidence, float)),
        )
        return cls(hose, eqx.tree_at(lambda f: f.initial_position, funnel, hose.receiver.initial_pose.p))

    def init(self) -> State:
        return {"hose": self.hose.init(), "funnel": self.funnel.init()}

    def _felt(self, t, x):
        motion = self.hose.output(
            t, x["hose"], {"force": jnp.zeros(6)}
        )  # displacement and velocity do not depend on the force
        return motion, self.funnel.output(t, x["funnel"], motion)

    def derivative(self, t: Time, x: State, u: Input) -> State:
        motion, felt = self._felt(t, x)
        return {
            "hose": self.hose.derivative(t, x["hose"], felt),
            "funnel": self.funnel.derivative(t, x["funnel"], motion),
        }

    @property
    def jumps(self) -> bool:
        """True if the funnel has jumps."""
        return self.funnel.jumps

    def jump(self, t: Time, x: State, u: Input) -> State:
        motion, _ = self._felt(t, x)
        return {**x, "funnel": self.funnel.jump(t, x["funnel"], motion)}

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        motion, _ = self._felt(t, x)
        return self.funnel.guards(t, x["funnel"], motion)

    def output(self, t: Time, x: State, u: Input) -> Output:
        _, felt = self._felt(t, x)
        return {**self.hose.output(t, x["hose"], felt), **felt, "outside": x["funnel"]["outside"]}


class StrikeEvents(MonitorState):
    """Events of a strike, with the ending that stopped it; the time of an event that did not occur is infinite."""

    touched: jax.Array  # [s] first contact
    engaged: jax.Array  # [s] first contact in the bore
    latched: jax.Array  # [s] latch engaged
    tripped: jax.Array  # [s] moment first above its limit
    trip_zone: jax.Array  # contact zone at that time
    losses: jax.Array  # number of contact losses
    deepest_zone: jax.Array
    zone: jax.Array  # at the end
    outside: jax.Array  # 1 if the nozzle is outside at the end

    def ending(self) -> jax.Array:
        """Return the code of the `Ending`."""
        never = jnp.inf
        came_off = jnp.where(self.deepest_zone <= RIM, Ending.RIM, Ending.CONTACT_LOST)
        code = jnp.where(self.zone == LEAD_IN, Ending.CAUGHT_ON_EDGE, came_off)
        code = jnp.where(self.zone == BORE, Ending.CAUGHT_ON_EDGE, code)
        code = jnp.where((self.outside > 0.5) & (self.deepest_zone > RIM), Ending.BEYOND_RIBS, code)
        code = jnp.where(self.touched == never, Ending.MISS, code)
        code = jnp.where(self.latched < never, Ending.LATCHED, code)
        return jnp.where(self.tripped < jnp.minimum(self.engaged, self.latched), Ending.LIMIT_TRIP, code)


class StrikeMonitor(Monitor):
    """Notes the events of a strike and ends it when latched; with `stops` also when the limit is exceeded too early."""

    limit: jax.Array | float = TORQUE_LIMIT  # [N m]
    stops: bool = eqx.field(default=False, static=True)

    def start(self, shown: Signals) -> tuple[StrikeEvents, Signals]:
        none, never, zero = jnp.zeros((), int), jnp.asarray(jnp.inf), jnp.zeros(())
        return StrikeEvents(none, none, never, never, never, never, zero, zero, zero, zero, zero), shown

    def step(self, t: Time, h: Time, m: StrikeEvents, shown: Signals) -> tuple[StrikeEvents, Signals]:
        zone, moment = shown["contact_zone"], jnp.linalg.norm(shown["force"][4:])
        engaged = jnp.where((zone == BORE) & (m.engaged == jnp.inf), t, m.engaged)
        latched = jnp.where(shown["latched"] > 0.5, t, m.latched)
        over = (moment > self.limit) & (m.tripped == jnp.inf)
        tripped = jnp.where(over, t, m.tripped)
        code = jnp.where(latched < jnp.inf, Ending.LATCHED, 0)
        if self.stops:
            code = jnp.where((code == 0) & (tripped < engaged), Ending.LIMIT_TRIP, code)
        events = StrikeEvents(
            code,
            m.sample + 1,
            touched=jnp.where((zone > 0) & (m.touched == jnp.inf), t, m.touched),
            engaged=engaged,
            latched=latched,
            tripped=tripped,
            trip_zone=jnp.where(over, zone, m.trip_zone),
            losses=m.losses + jnp.where((m.zone > 0) & (zone == 0), 1.0, 0.0),
            deepest_zone=jnp.maximum(m.deepest_zone, zone),
            zone=zone,
            outside=shown["outside"],
        )
        return events, shown


class StrikeExtremes(eqx.Module):
    """Extremes of a strike until it is latched or stopped."""

    peak_moment: jax.Array  # [N m]
    peak_force: jax.Array  # [N]
    drogue_attitude_change: jax.Array  # [rad] largest
    least_tension: jax.Array  # [N] at the end of the hose
    most_tension: jax.Array


class _KeepExtremes(Keep):
    """Updates the extremes, and keeps no rows."""

    def start(self, shown: Signals) -> StrikeExtremes:
        zero, never = jnp.zeros(()), jnp.asarray(jnp.inf)
        return StrikeExtremes(zero, zero, zero, never, -never)

    def row(self, kept: StrikeExtremes, t: Time, h: Time, shown: Signals) -> tuple[StrikeExtremes, Signals]:
        force, tension = shown["force"], shown["end_tension"]
        extremes = StrikeExtremes(
            jnp.maximum(kept.peak_moment, jnp.linalg.norm(force[4:])),
            jnp.maximum(kept.peak_force, jnp.linalg.norm(force[:3])),
            jnp.maximum(kept.drogue_attitude_change, jnp.linalg.norm(shown["drogue_attitude_change"])),
            jnp.minimum(kept.least_tension, tension),
            jnp.maximum(kept.most_tension, tension),
        )
        return extremes, {}


def strike(
    flow: Strike, duration: Any, step: Any = 5e-4, limit: Any = TORQUE_LIMIT, *, stops: bool = False
) -> tuple[StrikeEvents, StrikeExtremes]:
    """Integrate a strike over a duration [s] with a fixed step [s], or until it is latched.

    If the moment exceeds the limit [N m] before the nozzle is in the bore, the events contain the time; with `stops`
    the strike ends there. The duration may be traced, so that one compiled function serves strikes of any length. A
    batch takes as long as its longest strike.
    """
    system, monitor, keep = FlowSystem(flow, RK4()), StrikeMonitor(limit, stops), _KeepExtremes()
    clock = Stopping(step, jnp.round(jnp.asarray(duration) / step).astype(int))
    now, _ = begin(system, monitor, keep)
    now, _, _ = advance_samples(system, clock, monitor, keep, now, ALL_SAMPLES)
    return now.monitor, now.kept
