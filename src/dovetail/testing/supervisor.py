"""The supervisor: limits that are watched in every tick, and the first one that was met."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Part, choice, count, parameter
from dovetail.testing.outcome import Outcome

TURNING = ("roll", "pitch", "yaw")  # axes whose force is a torque


class Limits(Part):
    r"""What the test may not exceed; infinite where nothing is said.

    Growth is judged from two running means of :math:`|z|^2` with time constants :math:`T` and
    :math:`4T`: for an envelope :math:`e^{\sigma t}` they settle at the ratio
    :math:`R = (1 + 8\sigma T)/(1 + 2\sigma T)`, hence :math:`\sigma = (R - 1)/(2T(4 - R))`. The rate is
    watched once four of the longer time constants have passed, so that a start from rest does not trip.

    The energy that the interface has given to the simulation, :math:`\int F^T v\,dt`, is never above zero for a
    specimen that starts unstrained and creates none; what a late rig adds shows there before it shows in the
    motion. Set its limit above what the specimen may hold at the start.

    A contact that gives back more energy than it took stops the test by default, wherever the specimen shows its
    contact (see `contact_gain`); where that is what is to be seen, set this limit to infinity.

    A limit may differ from axis to axis. The force of the axes named roll, pitch and yaw is a torque and has the
    limit of that name. What concerns the wall clock and the link to a real rig (`silence`, `overrun`,
    `approach`, `to_rest`) matters in the `run` mode only.
    """

    displacement: jax.Array = parameter("m", "largest demand", above=0.0, default=jnp.inf)
    velocity: jax.Array = parameter("m/s", "fastest demand", above=0.0, default=jnp.inf)
    force: jax.Array = parameter("N", "largest measured force", above=0.0, default=jnp.inf)
    tracking: jax.Array = parameter("m", "largest demand minus measured", above=0.0, default=jnp.inf)
    growth: jax.Array = parameter(
        "1/s", "fastest growth of the demand's envelope", above=0.0, default=jnp.inf
    )
    growth_window: jax.Array = parameter(
        "s", "shorter averaging time T for the growth", above=0.0, default=0.25
    )

    acceleration: jax.Array = parameter(
        "m/s^2", "fastest change of the demand's velocity", above=0.0, default=jnp.inf
    )
    power: jax.Array = parameter("W", "largest power across the interface", above=0.0, default=jnp.inf)
    torque: jax.Array = parameter(
        "N m", "largest measured torque, of the axes roll, pitch and yaw", above=0.0, default=jnp.inf
    )
    energy: jax.Array = parameter(
        "J", "most energy that the interface may give to the simulation", above=0.0, default=jnp.inf
    )
    contact_gain: jax.Array = parameter(
        "1", "most that a contact may give beyond what it took, as a share of that", above=0.0, default=0.01
    )
    stale: int = count(
        "ticks that a reading may stand still while the demand moves, more than the rig is late; 0 for any",
        default=0,
    )
    silence: int = count("ticks without a word over the link", default=20, at_least=1)
    overrun: str = choice("count", "hold", "stop", about="what to do with a late tick", default="count")
    approach: jax.Array = parameter("s", "time to lead the rig to its start", at_least=0.0, default=1.0)
    to_rest: jax.Array = parameter("s", "time to lead the rig to rest", at_least=0.0, default=1.0)

    def by_axis(self, axes: tuple[str, ...]) -> Limits:
        """These limits with that of the torque in the place of the force's for the axes that turn."""
        turns = [name in TURNING for name in axes]
        if not any(turns):
            return self
        return eqx.tree_at(lambda x: x.force, self, jnp.where(jnp.array(turns), self.torque, self.force))

    def watched(self) -> dict[str, tuple[Outcome, jax.Array]]:
        """Each watched signal with the outcome it leads to and its limit, in order of precedence."""
        return {
            "displacement": (Outcome.DISPLACEMENT, self.displacement),
            "velocity": (Outcome.VELOCITY, self.velocity),
            "measured_force": (Outcome.FORCE, self.force),
            "tracking_error": (Outcome.TRACKING, self.tracking),
            "acceleration": (Outcome.ACCELERATION, self.acceleration),
            "power": (Outcome.POWER, self.power),
            "interface_energy": (Outcome.ENERGY, self.energy),
            "growth_rate": (Outcome.GROWTH, self.growth),
            "contact_gain": (Outcome.CONTACT, self.contact_gain),
        }


class Watch(Part):
    """The supervisor's part of a tick: remembers the growth means, still readings and the first breach."""

    limits: Limits

    def init(self, signals: dict[str, jax.Array] | None = None) -> dict[str, Any]:
        """Nothing seen yet; where still readings are watched, `signals` give their shapes."""
        still = {"still": (jnp.zeros((), dtype=int), *self._moving(signals))} if self.limits.stale else {}
        return {
            **still,
            "short": jnp.zeros(()),
            "long": jnp.zeros(()),
            "energy": jnp.zeros(()),
            "code": jnp.zeros((), dtype=int),
            "tick": jnp.zeros((), dtype=int),
        }

    def _moving(self, signals):
        """The demand, and what should move when it does."""
        force = signals["measured_force"]
        return signals["displacement"], signals["displacement"] - signals["tracking_error"], force

    def _still(self, x, signals):
        """How many ticks the readings have stood still to the bit while the demand moved; what they are."""
        number, demand, position, force = x["still"]
        now = self._moving(signals)
        # an axis is stuck if its demand moved and neither reading did
        moved, stood = now[0] != demand, (now[2] == force) & (now[1] == position)
        number = jnp.where(jnp.any(moved & stood), number + 1, jnp.where(jnp.any(moved), 0, number))
        return number, *now

    def step(self, tick, dt, x, signals) -> tuple[dict[str, Any], jax.Array]:
        """Watch one tick. `signals` hold what `Limits.watched` names, but for growth rate, power and energy.

        Returns the next state, where `code` is that of the first breach's `Outcome` (0 for none yet) and
        `tick` the last one before or at it, and the growth rate [1/s].
        """
        window = self.limits.growth_window
        size = jnp.sum(jnp.square(signals["displacement"]))
        short = x["short"] + dt / (window + dt) * (size - x["short"])
        long = x["long"] + dt / (4 * window + dt) * (size - x["long"])
        ratio = short / jnp.where(long > 0, long, 1.0)
        armed = (tick * dt > 16 * window) & (long > 0)
        # the ratio tends to 4 for infinitely fast growth; held below it to stay finite
        rate = jnp.where(armed, (ratio - 1) / (2 * window * (4 - jnp.minimum(ratio, 3.99))), 0.0)

        power = jnp.sum(signals["measured_force"] * signals["velocity"])
        energy = x["energy"] + dt * power
        everything = {
            **signals,
            "growth_rate": rate,
            "power": power,
            "interface_energy": jnp.maximum(energy, 0.0),
        }
        finite = jnp.array(True)
        for value in everything.values():
            finite &= jnp.all(jnp.isfinite(value))
        code = jnp.zeros((), dtype=int)
        for name, (outcome, limit) in reversed(self.limits.watched().items()):
            if name in everything:  # a contact is not in every test
                code = jnp.where(jnp.any(jnp.abs(everything[name]) > limit), outcome.code, code)
        still = {"still": self._still(x, signals)} if self.limits.stale else {}
        if still:
            code = jnp.where((code == 0) & (still["still"][0] >= self.limits.stale), Outcome.STALE.code, code)
        code = jnp.where(finite, code, Outcome.NOT_FINITE.code)

        going = x["code"] == 0
        return {
            **still,
            "short": short,
            "long": long,
            "energy": energy,
            "code": jnp.where(going, code, x["code"]),
            "tick": jnp.where(going, tick, x["tick"]),
        }, rate
