r"""Strike of the probe on the drogue, from approach to its end, and the class of its outcome.

Hose, drogue and funnel are one flow, integrated with a fixed step. Only a summary record is stored, so thousands of
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
from dovetail.core import RK4, Flow
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

    def init(self):
        return {"hose": self.hose.init(), "funnel": self.funnel.init()}

    def _felt(self, t, x):
        motion = self.hose.output(
            t, x["hose"], {"force": jnp.zeros(6)}
        )  # displacement and velocity do not depend on the force
        return motion, self.funnel.output(t, x["funnel"], motion)

    def derivative(self, t, x, u):
        motion, felt = self._felt(t, x)
        return {
            "hose": self.hose.derivative(t, x["hose"], felt),
            "funnel": self.funnel.derivative(t, x["funnel"], motion),
        }

    @property
    def jumps(self) -> bool:
        """True if the funnel has jumps."""
        return self.funnel.jumps

    def jump(self, t, x, u):
        motion, _ = self._felt(t, x)
        return {**x, "funnel": self.funnel.jump(t, x["funnel"], motion)}

    def output(self, t, x, u):
        _, felt = self._felt(t, x)
        return {**self.hose.output(t, x["hose"], felt), **felt, "outside": x["funnel"]["outside"]}


class StrikeRecord(eqx.Module):
    """Summary record of a strike; the time of an event that did not occur is infinite."""

    touched: jax.Array  # [s] first contact
    engaged: jax.Array  # [s] first contact in the bore
    latched: jax.Array  # [s] latch engaged
    tripped: jax.Array  # [s] moment first above its limit
    trip_zone: jax.Array  # contact zone at that time
    losses: jax.Array  # number of contact losses
    deepest_zone: jax.Array
    zone: jax.Array  # at the end
    outside: jax.Array  # 1 if the nozzle is outside at the end
    peak_moment: jax.Array  # [N m] until latched
    peak_force: jax.Array  # [N] until latched
    drogue_attitude_change: jax.Array  # [rad] largest attitude change until latched
    least_tension: jax.Array  # [N] at the end of the hose, until latched
    most_tension: jax.Array

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


def start_record() -> StrikeRecord:
    """Return the record before the first sample."""
    never, zero = jnp.asarray(jnp.inf), jnp.zeros(())
    return StrikeRecord(
        never, never, never, never, zero, zero, zero, zero, zero, zero, zero, zero, never, -never
    )


def noted(record: StrikeRecord, t: jax.Array, shown: dict[str, jax.Array], limit: Any) -> StrikeRecord:
    """Return the record updated with one sample of the strike's output."""
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
        drogue_attitude_change=until_latch(
            jnp.maximum(record.drogue_attitude_change, jnp.linalg.norm(shown["drogue_attitude_change"])),
            record.drogue_attitude_change,
        ),
        least_tension=until_latch(
            jnp.minimum(record.least_tension, shown["end_tension"]), record.least_tension
        ),
        most_tension=until_latch(jnp.maximum(record.most_tension, shown["end_tension"]), record.most_tension),
    )


def strike(
    flow: Strike, duration: Any, step: Any = 5e-4, limit: Any = TORQUE_LIMIT, *, stops: bool = False
) -> StrikeRecord:
    """Integrate a strike over a duration [s] with a fixed step [s], or until it is latched.

    If the moment exceeds the limit [N m] before the nozzle is in the bore, the record contains the time; with `stops`
    the strike ends there. The duration may be traced, so that one compiled function serves strikes of any length. A
    batch takes as long as its longest strike.
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
