"""The supervisor: limits that are watched in every sample of every mode, and the first one that was met.

Two things are judged, in this order. The *demand* (`DEMAND`) decides before the rig is sent anywhere, the *reading*
(`READING`) after it; what is not a finite number comes first in each. Whoever can still wait, the creep mode, asks
between the two; the others ask for both at once. What a mode has no signal for it cannot watch (`UNWATCHED`): such
a limit is refused before the run begins.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Part, choice, count, parameter, signals
from dovetail.core.errors import Fault
from dovetail.testing import contact_energy_gain
from dovetail.testing.outcome import Outcome, Trip

if TYPE_CHECKING:
    from dovetail.testing.runnable import Runnable
    from dovetail.testing.test import Test

T = TypeVar("T", bound="Runnable")
TURNING = ("roll", "pitch", "yaw")  # axes whose force is a torque
TURNED = {"m": "rad", "m/s": "rad/s", "m/s^2": "rad/s^2", "N": "N m"}  # units of an axis that is an angle
MOVED = 1e-3  # of its largest so far: what a demand goes before a reading that stands still is suspicious
STILL, AT_LEAST, MOVES = 5.0, 0.1, 10  # by default: times that the rig is late, [s], moves of a creep test


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
    contact (see `contact_gain`); where that is what is to be seen, set this limit to what is expected.

    A reading is stuck if displacement and force of an axis stay the same to the bit although its demand has moved on
    by a thousandth of its largest so far. Unless `stale` says how many ticks of that are allowed, it is five times the
    rig's lateness and a tenth of a second at least; ten moves in the creep mode, where lateness plays no part.

    A limit may differ from axis to axis. The force of the axes named roll, pitch and yaw is a torque and has the
    limit of that name. What concerns the wall clock and the link to a real rig (`silence`, `overrun`,
    `approach`, `to_rest`) matters in the `run` mode only.
    """

    ONE_KIND: ClassVar[bool] = True

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
    stale: jax.Array | None = parameter(
        "1",
        "ticks that a reading may stand still while the demand moves; by default several times the rig's lateness",
        above=0.0,
        default=None,
    )
    silence: int = count("ticks without a word over the link", default=20, at_least=1)
    overrun: str = choice("count", "hold", "stop", about="what to do with a late tick", default="count")
    approach: jax.Array = parameter("s", "time to lead the rig to its start", at_least=0.0, default=1.0)
    to_rest: jax.Array = parameter("s", "time to lead the rig to rest", at_least=0.0, default=1.0)

    def bound(self, name: str, turning: tuple[bool, ...]) -> jax.Array:
        """The limit of that name, by axis where some turn: none for a force there, none for a torque elsewhere."""
        limit: Any = getattr(self, name)
        limit = np.array(np.inf) if limit is None else limit
        if name not in ("force", "torque") or not any(turning):
            return limit
        own = np.array(turning) if name == "torque" else ~np.array(turning)
        return jnp.where(own, limit, jnp.inf)

    def of_rig(self, turning: tuple[bool, ...]) -> dict[str, np.ndarray]:
        """What a rig can hold itself to, by axis where it differs: displacement and force, or torque."""
        force = np.minimum(
            self.bound("force", turning), self.bound("torque", turning) if any(turning) else np.inf
        )
        known = {"displacement": np.asarray(self.displacement), "force": np.asarray(force)}
        return {name: limit for name, limit in known.items() if np.any(np.isfinite(limit))}


@dataclasses.dataclass(frozen=True)
class WatchedLimit:
    """One thing that is watched: a limit, the signal that is held against it, and the outcome of a breach."""

    limit: str  # field of `Limits`
    signal: str
    outcome: Outcome


DEMAND = (  # in order of precedence
    WatchedLimit("displacement", "displacement", Outcome.DISPLACEMENT),
    WatchedLimit("velocity", "velocity", Outcome.VELOCITY),
    WatchedLimit("acceleration", "acceleration", Outcome.ACCELERATION),
    WatchedLimit("growth", "growth_rate", Outcome.GROWTH),
)
READING = (
    WatchedLimit("force", "measured_force", Outcome.FORCE),
    WatchedLimit("torque", "measured_torque", Outcome.TORQUE),
    WatchedLimit("tracking", "tracking_error", Outcome.TRACKING),
    WatchedLimit("power", "power", Outcome.POWER),
    WatchedLimit("energy", "interface_energy", Outcome.ENERGY),
    WatchedLimit("contact_gain", "contact_gain", Outcome.CONTACT),
    WatchedLimit("stale", "still_readings", Outcome.STALE),
)
CHECKS = (*DEMAND, *READING)
MODES = ("emulate", "rehearse", "replay", "run", "creep", "simulate")  # in which something can be run
WATCHED = (*MODES[:4], "approach and rest", *MODES[4:])  # a run also leads its rig there and back
TENSION = "tension"  # what the limit of the force is on, where there is no interface
ALONE = ("growth", "power", "energy", "contact_gain")  # of all axes together
OF_A_RIG = ("silence", "overrun", "approach", "to_rest")  # of the run mode: no limits of the test
_OPEN = "the loop is open there"
_NO_RIG = "a simulation has no rig"
UNWATCHED: dict[str, dict[str, str]] = {  # by mode: limits that it cannot watch, and why
    "emulate": {"contact_gain": "the ideal holds no force"},
    "approach and rest": {"growth": _OPEN, "energy": _OPEN, "contact_gain": _OPEN},
    "creep": {"contact_gain": "the force is taken at rest; the audit of the run tells"},
    "simulate": {
        "growth": "a simulation's motion need not be about a rest",
        "torque": "a simulation shows no torque at an interface",
        **dict.fromkeys(("tracking", "power", "energy", "contact_gain", "stale"), _NO_RIG),
    },
}


def beyond(values: Any, limit: Any) -> Any:
    """Whether any of the values is larger than its limit, on either side. For JAX and NumPy."""
    return (abs(values) > limit).any()


def turning(test: Runnable) -> tuple[bool, ...]:
    """Which axes of the interface turn: the numerical substructure may say so, else their names do."""
    return test.turning or tuple(name in TURNING for name in test.axes)


class Watch(Part):
    """The one judge of limits: remembers growth means, energy, still readings and the first breach.

    Its state is a dictionary, in which `code` is that of the first breach's `Outcome` (0 for none yet), `tick` counts
    the samples after the first up to it, and `growth` is the present growth rate [1/s].
    """

    limits: Limits
    turning: tuple[bool, ...] = eqx.field(default=(), static=True)  # which axes do
    mode: str = eqx.field(default="rehearse", static=True)

    def __check_init__(self):
        pass  # the limits have been checked

    @staticmethod
    def of(test: Runnable, mode: str) -> Watch:
        """That of a test in a mode."""
        return Watch(test.limits, turning(test), mode)

    def blank(self, shape: tuple[int, ...] = ()) -> dict[str, Any]:
        """Nothing seen yet."""
        none, unknown = jnp.zeros((), dtype=int), jnp.full(shape, jnp.nan, dtype=float)
        means = {name: jnp.zeros(()) for name in ("short", "long", "growth", "energy")}
        still = (jnp.zeros(shape), unknown, unknown, unknown, jnp.zeros(shape))
        return {**means, "still": still, "code": none, "tick": none - 1}

    def init(self, motion: dict[str, jax.Array], reading: dict[str, jax.Array]) -> dict[str, Any]:
        """The state after the first sample, which is judged like any other."""
        x = self.blank(motion["displacement"].shape)
        if contact_energy_gain.shows_contact(reading):
            x["contact"] = contact_energy_gain.init(motion["velocity"])
        return self.step(0.0, 0.0, x, motion, reading)

    def step(self, t, dt, x, motion, reading, held=0.0) -> dict[str, Any]:
        """Judge a sample, the demand and then the reading; `held` is the force under which the motion came about."""
        return self.reading(dt, self.demand(t, dt, x, motion), motion, reading, held)

    def demand(self, t, dt, x, motion) -> dict[str, Any]:
        """Judge a demand that came `dt` after the one before."""
        window = self.limits.growth_window
        size = jnp.sum(jnp.square(motion["displacement"]))
        short = x["short"] + dt / (window + dt) * (size - x["short"])
        long = x["long"] + dt / (4 * window + dt) * (size - x["long"])
        ratio = short / jnp.where(long > 0, long, 1.0)
        armed = (t > 16 * window) & (long > 0)
        # the ratio tends to 4 for infinitely fast growth; held below it to stay finite
        rate = jnp.where(armed, (ratio - 1) / (2 * window * (4 - jnp.minimum(ratio, 3.99))), 0.0)
        x = {**x, "short": short, "long": long, "growth": rate, "tick": x["tick"] + (x["code"] == 0)}
        return self._judged(x, DEMAND, {**motion, "growth_rate": rate})

    def reading(self, dt, x, motion, reading, held=0.0, fresh: bool = True) -> dict[str, Any]:
        """Judge what was read at that demand; `fresh` is False where an old reading is kept on purpose."""
        values = across(motion, reading) if "measured_force" in reading else dict(reading)
        if "power" in values:
            # like what stands still, it stays what it was at the first breach: the trip's number
            x = {**x, "energy": x["energy"] + jnp.where(x["code"] == 0, dt * values["power"], 0.0)}
            values["interface_energy"] = jnp.maximum(x["energy"], 0.0)
        if "power" in values and fresh:
            x = {**x, "still": self._still(x, motion, reading)}
            values["still_readings"] = x["still"][0]
        if "contact" in x:
            x = {
                **x,
                "contact": contact_energy_gain.step(
                    dt, x["contact"], held, motion["velocity"], reading["depth"]
                ),
            }
            values["contact_gain"] = contact_energy_gain.gain(x["contact"])
        return self._judged(x, READING, values)

    def _still(self, x, motion, reading):
        """For how many samples each axis has shown the same to the bit although its demand had moved; what it shows.

        A reading that is kept because the link is silent does not count: how long it may be has a limit of its own.
        """
        number, anchor, position, force, largest = x["still"]
        z, now, felt = motion["displacement"], reading["measured_displacement"], reading["measured_force"]
        largest = jnp.maximum(largest, jnp.abs(z))
        stood = (now == position) & (felt == force)
        moved = jnp.abs(z - anchor) > MOVED * largest  # since a reading changed last
        moved &= reading.get("reading_age", 0) == 0
        return (
            jnp.where(x["code"] == 0, jnp.where(stood, number + moved, 0.0), number),
            jnp.where(stood, anchor, z),
            now,
            felt,
            largest,
        )

    def _judged(self, x, checks, values) -> dict[str, Any]:
        """The state with the code of the first of the checks that the values do not pass, if none came before."""
        code = jnp.zeros((), dtype=int)
        for check in reversed(checks):
            signal, turns = self._held(check)
            if signal in values and self.watches(check.limit):
                passed = beyond(values[signal], self.limits.bound(check.limit, turns))
                code = jnp.where(passed, check.outcome.code, code)
        finite = jnp.array(True)
        for value in values.values():
            finite &= jnp.all(jnp.isfinite(value))
        code = jnp.where(finite, code, Outcome.NOT_FINITE.code)
        return {**x, "code": jnp.where(x["code"] == 0, code, x["code"])}

    def watches(self, limit: str) -> bool:
        """Whether it looks at that limit."""
        return limit not in UNWATCHED.get(self.mode, ()) and (limit != "torque" or any(self.turning))

    def _held(self, check: WatchedLimit) -> tuple[str, tuple[bool, ...]]:
        """The signal that is held against a limit here, and which of its axes turn."""
        tension = self.mode == "simulate" and check.limit == "force"
        return (TENSION, ()) if tension else (check.signal, self.turning)

    def trip(self, outcome: Outcome, time: float, values: dict[str, Any]) -> Trip | None:
        """What the sample of a breach met, in numbers; of several axes the one furthest beyond its limit."""
        check = next((check for check in CHECKS if check.outcome is outcome), None)
        signal, turns = self._held(check) if check else ("", ())
        if check is None or signal not in values:
            return None
        met = np.atleast_1d(np.abs(np.asarray(values[signal], dtype=float)))
        limits = np.broadcast_to(np.asarray(self.limits.bound(check.limit, turns)), met.shape)
        at = np.unravel_index(np.argmax(np.nan_to_num(met / limits)), met.shape)
        unit = "ticks" if check.limit == "stale" else signals.signal(signal).unit
        if len(turns) == met.shape[-1] and turns[at[-1]]:
            unit = TURNED.get(unit, unit)
        return Trip(signal, float(met[at]), float(limits[at]), time, unit)


def across(motion: dict[str, Any], reading: dict[str, Any]) -> dict[str, Any]:
    """What crosses the interface in a sample, by the names of the checks. For JAX and NumPy."""
    force, shown = reading["measured_force"], {}
    if "measured_displacement" in reading:
        shown["tracking_error"] = motion["displacement"] - reading["measured_displacement"]
    power = (force * motion["velocity"]).sum()
    return {**shown, "measured_force": force, "measured_torque": force, "power": power}


def with_stale(test: T, mode: str) -> T:
    """The test with the number of ticks, or moves, for which its readings may stand still, if it has any."""
    if test.rig is None or test.limits.stale is not None:
        return test
    ticks = MOVES if mode == "creep" else math.ceil(_stale_time(test) / test.dt)
    return dataclasses.replace(test, limits=dataclasses.replace(test.limits, stale=float(ticks)))


def _stale_time(test: Runnable) -> float:
    return max(STILL * (test.rig.lateness() or 0.0), AT_LEAST)


def stale_by_default(test: Test) -> str:
    """What is taken for a stuck reading where the test does not say, in words."""
    late, time = test.rig.lateness(), _stale_time(test)
    rig = "the rig's lateness is not known" if late is None else f"the rig is {1e3 * late:.3g} ms late"
    ticks = math.ceil(time / test.dt)
    return f"readings may stand still for {ticks} ticks ({1e3 * time:.3g} ms; {rig}), or {MOVES} moves of a creep test"


def faults(
    limits: Limits, axes: tuple[str, ...], turns: tuple[bool, ...], number: int, mode: str
) -> list[Fault]:
    """Limits that cannot be watched: on axes that are not there, or for want of a signal in that mode."""
    unsaid: dict[str, Any] = {field.name: field.default for field in dataclasses.fields(Limits)}
    found = []
    for check in CHECKS:
        values = np.asarray(limits.bound(check.limit, ()))
        told = _size_fault(check.limit, values, axes, number)
        if not told and np.any(np.isfinite(values)) and not np.array_equal(values, unsaid[check.limit]):
            if check.limit in UNWATCHED.get(mode, ()):
                told = f"cannot be watched: {UNWATCHED[mode][check.limit]}; leave it out"
            else:
                told = _turn_fault(check.limit, values, axes, turns)
        found += [Fault(f"limits.{check.limit}", told)] if told else []
    if mode == "simulate":
        said = [name for name in OF_A_RIG if np.any(np.asarray(getattr(limits, name)) != unsaid[name])]
        found += [Fault(f"limits.{name}", f"is for a rig: {_NO_RIG}; leave it out") for name in said]
    return found


def _size_fault(limit: str, values: np.ndarray, axes: tuple[str, ...], number: int) -> str:
    """Values for axes that are not there."""
    if not values.ndim:
        return ""
    if limit in ALONE or number == 1:
        return f"is a list of {values.size}; needs one number" + (
            "" if limit in ALONE else ", as there is one axis"
        )
    if values.shape == (number,):
        return ""
    return f"is a list of {values.size}; needs one number, or one for each of the {number} axes" + (
        f": {', '.join(axes)}" if axes else ""
    )


def _turn_fault(limit: str, values: np.ndarray, axes: tuple[str, ...], turns: tuple[bool, ...]) -> str:
    """A torque where nothing turns, or a force where something does: no axis would be held to it."""
    if limit == "torque" and not any(turns):
        there = f"the axes are {', '.join(axes)}" if axes else "the axes have no names"
        return f"no axis turns, {there}; name those that do roll, pitch or yaw, or leave it out"
    if limit not in ("force", "torque") or not any(turns) or not values.ndim:
        return ""
    others = np.isfinite(values) & (np.array(turns) == (limit == "force"))
    named = ", ".join(axes[i] if axes else str(i + 1) for i in np.flatnonzero(others))
    what, instead = ("turn", "torque") if limit == "force" else ("do not turn", "force")
    return f"is said of axes that {what}: {named}; give inf there, and limits.{instead}" if named else ""
