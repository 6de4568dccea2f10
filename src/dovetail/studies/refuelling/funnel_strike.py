r"""A strike of the probe from approach to its end, and how it ended.

Hose, drogue and funnel are one system, integrated with a fixed step; nothing is kept on the way but what tells how
it went, so thousands run as one batch. The classes are those that the thesis wants told apart [Bolien 2018,
sec. 1.4.4]: a strike is a `limit trip` if the moment on the drogue passed its limit before the nozzle was in the bore
(later a trip ends the test, not the coupling), `latched` if the latch engaged, `caught on the edge` if it ends in the
coupling without, `beyond the ribs` if the nozzle passed outside after touching, `rim` if it touched nothing but the
rim, `contact lost` if it touched and came free, and a `miss` if it never touched.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.air import DrogueHose
from dovetail.core import RK4, Flow
from dovetail.mechanics import Substructure
from dovetail.specimens.base import Specimen
from dovetail.specimens.funnel import BORE, LEAD_IN, RIM, Funnel

TORQUE_LIMIT = 400.0  # [N m] what the published force sensor stands [Bolien 2018, ch. 5 sec. IV-B]


class Ending(IntEnum):
    """How a strike ended."""

    MISS = 0
    RIM = 1
    CONTACT_LOST = 2
    BEYOND_RIBS = 3
    CAUGHT_ON_EDGE = 4
    LIMIT_TRIP = 5
    LATCHED = 6

    @property
    def words(self) -> str:
        """As people read it."""
        return self.name.lower().replace("_", " ")


class Strike(Flow):
    """Hose, drogue and receiver with the funnel between them; no input."""

    large: ClassVar[bool] = True

    hose: Substructure  # of the interface of `DrogueHose`
    funnel: Specimen

    @classmethod
    def at(cls, hose: DrogueHose, funnel: Funnel, *, offset: Any, speed: Any, incidence: Any) -> Strike:
        """The same with another approach: offset [m], speed [m/s], incidence [rad]."""
        hose = eqx.tree_at(
            lambda h: (h.receiver.offset, h.receiver.approach.speed, h.receiver.incidence),
            hose,
            (jnp.asarray(offset, float), jnp.asarray(speed, float), jnp.asarray(incidence, float)),
        )
        return cls(hose, eqx.tree_at(lambda f: f.home, funnel, hose.receiver.home.p))

    def init(self):
        return {"hose": self.hose.init(), "funnel": self.funnel.init()}

    def _felt(self, t, x):
        motion = self.hose.output(
            t, x["hose"], {"force": jnp.zeros(6)}
        )  # its displacement and velocity need no force
        return motion, self.funnel.output(t, x["funnel"], motion)

    def derivative(self, t, x, u):
        motion, felt = self._felt(t, x)
        return {
            "hose": self.hose.derivative(t, x["hose"], felt),
            "funnel": self.funnel.derivative(t, x["funnel"], motion),
        }

    @property
    def jumps(self) -> bool:
        """Whether the funnel does."""
        return self.funnel.jumps

    def jump(self, t, x, u):
        motion, _ = self._felt(t, x)
        return {**x, "funnel": self.funnel.jump(t, x["funnel"], motion)}

    def output(self, t, x, u):
        _, felt = self._felt(t, x)
        return {**self.hose.output(t, x["hose"], felt), **felt, "outside": x["funnel"]["outside"]}


class StrikeRecord(eqx.Module):
    """What tells how a strike went; times are infinite where nothing happened."""

    touched: jax.Array  # [s] first contact
    engaged: jax.Array  # [s] first in the bore
    latched: jax.Array  # [s] latch engaged
    tripped: jax.Array  # [s] moment first over its limit
    trip_zone: jax.Array  # where the nozzle touched then
    losses: jax.Array  # times that contact was lost
    deepest_zone: jax.Array
    zone: jax.Array  # at the end
    outside: jax.Array  # whether the nozzle is outside at the end
    peak_moment: jax.Array  # [N m] until latched
    peak_force: jax.Array  # [N] until latched
    tipping: jax.Array  # [rad] largest, until latched
    least_tension: jax.Array  # [N] of the hose's end, until latched
    most_tension: jax.Array

    def ending(self) -> jax.Array:
        """Code of its `Ending`."""
        never = jnp.inf
        came_off = jnp.where(self.deepest_zone <= RIM, Ending.RIM, Ending.CONTACT_LOST)
        code = jnp.where(self.zone == LEAD_IN, Ending.CAUGHT_ON_EDGE, came_off)
        code = jnp.where(self.zone == BORE, Ending.CAUGHT_ON_EDGE, code)
        code = jnp.where((self.outside > 0.5) & (self.deepest_zone > RIM), Ending.BEYOND_RIBS, code)
        code = jnp.where(self.touched == never, Ending.MISS, code)
        code = jnp.where(self.latched < never, Ending.LATCHED, code)
        return jnp.where(self.tripped < jnp.minimum(self.engaged, self.latched), Ending.LIMIT_TRIP, code)


def start_record() -> StrikeRecord:
    """Nothing has happened yet."""
    never, zero = jnp.asarray(jnp.inf), jnp.zeros(())
    return StrikeRecord(
        never, never, never, never, zero, zero, zero, zero, zero, zero, zero, zero, never, -never
    )


def noted(record: StrikeRecord, t: jax.Array, shown: dict[str, jax.Array], limit: Any) -> StrikeRecord:
    """The record after one more sample of a strike's output."""
    zone = shown["contact_zone"]
    force, moment = jnp.linalg.norm(shown["force"][:3]), jnp.linalg.norm(shown["force"][4:])
    going = record.latched == jnp.inf
    over = going & (moment > limit) & (record.tripped == jnp.inf)

    def until_latch(new, old):
        return jnp.where(going, new, old)

    return StrikeRecord(
        touched=jnp.where((zone > 0) & (record.touched == jnp.inf), t, record.touched),
        engaged=jnp.where((zone == BORE) & (record.engaged == jnp.inf), t, record.engaged),
        latched=jnp.where(going & (shown["latched"] > 0.5), t, record.latched),
        tripped=jnp.where(over, t, record.tripped),
        trip_zone=jnp.where(over, zone, record.trip_zone),
        losses=record.losses + until_latch(jnp.where((record.zone > 0) & (zone == 0), 1.0, 0.0), 0.0),
        deepest_zone=jnp.maximum(record.deepest_zone, zone),
        zone=zone,
        outside=shown["outside"],
        peak_moment=until_latch(jnp.maximum(record.peak_moment, moment), record.peak_moment),
        peak_force=until_latch(jnp.maximum(record.peak_force, force), record.peak_force),
        tipping=until_latch(jnp.maximum(record.tipping, jnp.linalg.norm(shown["tipping"])), record.tipping),
        least_tension=until_latch(
            jnp.minimum(record.least_tension, shown["end_tension"]), record.least_tension
        ),
        most_tension=until_latch(jnp.maximum(record.most_tension, shown["end_tension"]), record.most_tension),
    )


def strike(
    flow: Strike, duration: Any, step: Any = 5e-4, limit: Any = TORQUE_LIMIT, *, stops: bool = False
) -> StrikeRecord:
    """Carry a strike through a time [s] at a fixed step [s], or until it is latched.

    A moment beyond the limit [N m] before the nozzle is in the bore is noted, and ends the strike if it `stops` there.
    The time may be traced: one compiled function then serves strikes of any length. A batch takes as long as its
    longest.
    """
    method = RK4()
    count = jnp.round(jnp.asarray(duration) / step).astype(int)

    def going(carry):
        k, _, record = carry
        ended = record.latched < jnp.inf
        if stops:
            ended = ended | (record.tripped < record.engaged)
        return (k < count) & ~ended

    def one(carry):
        k, x, record = carry
        x, _ = method.advance(flow, k * step, step, x, None, ())
        t = (k + 1) * step
        return k + 1, x, noted(record, t, flow.output(t, x, None), limit)

    return jax.lax.while_loop(going, one, (jnp.zeros((), int), flow.init(), start_record()))[2]
