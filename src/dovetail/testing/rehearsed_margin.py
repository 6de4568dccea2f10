r"""Rehearsed delay margin: the test is rehearsed with additional rig delay, with its own excitation and limits.

Three events are searched, each by its smallest additional delay:

- *grows*: the motion is not finite, or it does not die away after the excitation has ended;
- *leaves the reference*: the rms response error exceeds the acceptance criterion `response_error` (100 % without one),
  or the peak exceeds three times that of the reference solution;
- *meets a limit*: a limit of the test, as monitored.

Delays are rehearsed in batches. The first delays cover the range. The next ones fill it below the first event, because
a loop may be unstable in a short interval, and divide the interval of the first event. The largest delay without the
event is the result, so rounding is to the safe side.

*Dies away*: after the excitation the motion is divided into windows of the duration of the test, and the range of the
motion is taken in each. A batch ends as soon as all its members are decided:

- the motion has died away once its range is below 5 % of the peak of the reference, or below that of the reference
  itself, if that does not die away; it will die away if it has fallen to a fifth and decays like an exponential or
  faster. A loop that is unstable at rest is followed further, because a second mode may grow meanwhile;
- it does not die away if its range no longer decreases (a limit cycle) or has grown to many times the reference;
- a motion that decays ever more slowly is followed for longer, and counts as growing if that does not end.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from dovetail.core.advance import Progress, advance_samples, begin
from dovetail.core.block import Time
from dovetail.core.clock import LoopState, Simulated
from dovetail.core.errors import AnalysisError
from dovetail.core.keep import Keep
from dovetail.core.si_prefix import value_text
from dovetail.core.signals import MOTION
from dovetail.core.system import Signals
from dovetail.testing.excitation import Excitation, Zero
from dovetail.testing.limits import Limits
from dovetail.testing.memory_estimate import require_memory
from dovetail.testing.modes import Reference, Rehearse
from dovetail.testing.outcome import Outcome
from dovetail.testing.recorder import Records
from dovetail.testing.rig import Rig
from dovetail.transfer import Delay, Series, Transfer

if TYPE_CHECKING:
    from dovetail.testing.test import Test

MIN_RANGE, RANGE_FACTOR = 0.15, 10.0  # [s]; multiple of the rig delay: range of the additional delay
LANES = 16  # additional delays in a batch
FIRST = 1e-4  # [s] smallest additional delay of the first round
RESOLUTION = (0.005, 2e-5)  # of the delay of an event: relative, and [s]
LATER = 10.0  # factor on the resolution of an event after the first
ROUNDS = 5  # largest number of rounds
MAX_PEAK = 3.0  # peak over the peak of the reference above which a run has left the reference
MAX_ERROR = 1.0  # rms response error above which a run has left the reference, without acceptance criterion
WINDOW = 5000  # largest number of ticks of a window of free motion
MAX_WINDOWS = 40  # of free motion, for a decay that slows down
RESIDUAL = 0.05  # fraction of the peak of the reference; free motion below it has died away
GROWN = 10.0  # the same, for free motion that increases
STEADY = 0.98  # ratio of the ranges of two windows above which free motion does not decrease
SLOWING = 0.98  # ratio of the decrements of two windows below which the decay slows down
FALLEN = 0.2  # fraction of the range of the first window below which a steady decay is taken to continue
LASTING = 0.7  # fraction of the mean decay since the first window, below which the decay slows down
RESTLESS = 12  # windows for which motion is followed that has died away, but grows at rest
BUFFER = 0.05  # [s] step of the longest delay of the rig, so that programs are shared
MOVES = 1e-9  # fraction of the largest motion; axes that move less are not compared


@dataclasses.dataclass(frozen=True)
class RehearsedMargin:
    """Additional delay [s] of each event: infinite if it does not happen, negative if it happens as given."""

    grows: float
    leaves: float
    limited: float
    up_to: float  # [s] largest additional delay that was rehearsed
    limit: str = ""  # outcome of the first limit
    error: float = math.nan  # rms response error as given, as a fraction of the reference
    criterion: float = MAX_ERROR  # response error above which the run has left the reference
    decay: float = 1.0  # ratio of the ranges of the last two windows of free motion, as given
    undecided: bool = (
        False  # as given the free motion decays so slowly that it is not known whether it dies away
    )

    @property
    def margin(self) -> float:
        """Smallest additional delay of the three [s]."""
        return min(self.grows, self.leaves, self.limited)

    def __str__(self) -> str:
        events = {
            "grows": self.grows,
            f"leaves the reference (rms error {100 * self.criterion:.3g} %)": self.leaves,
            f"meets a limit ({self.limit})" if self.limit else "meets a limit": self.limited,
        }
        texts = [
            f"{name} {_when(delay)}" for name, delay in events.items() if math.isfinite(delay) or delay < 0
        ]
        never = [name for name, delay in events.items() if delay == math.inf]
        if never and self.grows < math.inf:
            texts.append(f"{', '.join(never)}: not before it grows")
        elif never:
            texts.append(f"{', '.join(never)}: no limit found up to {value_text(self.up_to, 's')}")
        return "; ".join(texts)


def _when(delay: float) -> str:
    """Return a delay as text."""
    if delay == -math.inf:
        return "as given"
    more = f"with {value_text(abs(delay), 's')}"
    return f"{more} more" if delay > 0 else f"as given, and not {more} less"


class Released(Excitation):
    """Excitation that ends at a time."""

    excitation: Excitation
    release: jax.Array  # [s]

    def value(self, t: Time) -> jax.Array:
        return jnp.where(t < self.release, self.excitation(t), 0.0)

    def rate(self, t: Time) -> jax.Array:
        return jnp.where(t < self.release, self.excitation.rate(t), 0.0)


def rehearsed_margin(
    test: Test,
    ideal: np.ndarray,
    delay: float,
    progress: Progress | None = None,
    *,
    grows_at_rest: Callable[[float], bool] = lambda extra: False,
) -> RehearsedMargin:
    """Return the rehearsed margin of a test with a simulated rig.

    Parameters
    ----------
    ideal
        Demand of the reference solution [m], from the first tick on.
    delay
        Delay of the loop as given [s]; sets the range of the additional delay.
    grows_at_rest
        Whether small motion about rest grows with an additional delay [s]: such a loop is followed for longer.
    """
    up_to, update = max(RANGE_FACTOR * delay, MIN_RANGE), progress or (lambda done, text: None)
    ideal = ideal.reshape(len(ideal), -1)
    free = _with_free_motion(test)
    late = _with_buffer(free, up_to)
    shortest = -float(np.min(_delay_part(late.require_rig().as_model().actuator).delay))
    criterion = test.accept.response_error if test.accept and test.accept.response_error else MAX_ERROR
    peak = np.abs(ideal).max(axis=0)
    residual = RESIDUAL * peak
    seen: dict[float, _Lane] = {}

    def rehearse(delays: np.ndarray, done: float) -> None:
        for i in range(0, len(delays), LANES):
            update(done, f"{len(seen)} rehearsals with additional delay")
            batch = np.resize(delays[i : i + LANES], LANES)
            restless = [grows_at_rest(float(extra)) for extra in batch]
            lanes = _lanes(late, *map(jnp.asarray, (batch, restless, ideal, criterion, residual)))
            lanes = jax.device_get(lanes)
            seen.update({float(d): jax.tree.map(lambda v, j=j: v[j], lanes) for j, d in enumerate(batch)})

    delays = np.append(0.0, np.geomspace(FIRST, up_to, 2 * LANES - 1))
    # without excitation it may be driven by forces of the numerical substructure, which do not end
    driven_inside = isinstance(test.excitation, Zero)
    if not driven_inside:
        rehearse(delays[:LANES], 0.0)
    if driven_inside or seen[0.0].grows:  # as the reference solution itself may do
        residual = np.maximum(residual, MAX_PEAK * _free_motion_of_reference(free, test.tick_count))
        if not seen or (residual > RESIDUAL * peak).any():
            seen.clear()
            rehearse(delays[:LANES], 0.0)
    if not any(lane.grows for lane in seen.values()):
        rehearse(delays[LANES:], 0.1)
    if any(event(seen[0.0]) for event in EVENTS.values()):
        rehearse(np.linspace(shortest, 0.0, LANES, endpoint=False), 0.2)
    for number in range(1, ROUNDS):
        happens = any(event(lane) for lane in seen.values() for event in EVENTS.values())
        fill = (LANES if happens else 2 * LANES) if number == 1 else 0
        rehearse(_next_delays(seen, fill), number / ROUNDS)
    event_delays = {name: _first(seen, event) for name, event in EVENTS.items()}
    given = seen[0.0]
    return RehearsedMargin(
        **{name: _margin(*interval) for name, interval in event_delays.items()},
        up_to=up_to,
        limit=_limit_name(seen, event_delays["limited"][1]),
        error=float(given.error),
        criterion=float(criterion),
        decay=float(given.decay),
        undecided=bool(given.undecided),
    )


class _Lane(eqx.Module):
    """Events of one rehearsal."""

    grows: Any
    undecided: Any  # whether it is so slow that it counts as growing
    decay: Any  # ratio of the ranges of the last two windows
    leaves: Any
    code: Any  # of the limit reached in the test, 0 for none
    error: Any  # rms response error, as a fraction of the reference


EVENTS: dict[str, Callable[[_Lane], bool]] = {
    "grows": lambda lane: bool(lane.grows),
    "leaves": lambda lane: bool(lane.leaves),
    "limited": lambda lane: bool(lane.code),
}


def _first(seen: dict[float, _Lane], event: Callable[[_Lane], bool]) -> tuple[float | None, float | None]:
    """Return the interval in which an event first happens: largest delay before it, smallest delay with it.

    If it happens as given, the interval has negative delays, as far as the rig has delay to lose.
    """
    delays = sorted(seen)
    if event(seen[0.0]):
        without = [delay for delay in delays if delay < 0 and not event(seen[delay])]
        if not without:
            return None, 0.0
        return without[-1], next(delay for delay in delays if delay > without[-1])
    above = [delay for delay in delays if delay > 0 and event(seen[delay])]
    if not above:
        return 0.0, None
    return max(delay for delay in delays if delay < above[0]), above[0]


def _margin(before: float | None, after: float | None) -> float:
    """Return the margin [s] of an interval of `_first`."""
    return -math.inf if before is None else math.inf if after is None else before


def _next_delays(seen: dict[float, _Lane], fill: int) -> np.ndarray:
    """Return delays of one batch that divide the intervals of the events, and some below the first event."""
    relative, absolute = RESOLUTION
    pairs = {_first(seen, event) for event in EVENTS.values()}
    bounded = [(low, high) for low, high in pairs if low is not None and high is not None]
    first = min((high for _, high in bounded), default=math.inf)
    wide = [
        (low, high)
        for low, high in bounded
        if high - low > (1.0 if high == first else LATER) * (relative * abs(high) + absolute)
    ]
    parts = [np.linspace(low, high, LANES // len(wide) + 2)[1:-1] for low, high in wide]
    top = min(first, max(seen))
    parts.append(np.linspace(0.0, max(top, 0.0), fill + 2)[1:-1])
    return np.setdiff1d(np.concatenate(parts), list(seen))


def _limit_name(seen: dict[float, _Lane], extra: float | None) -> str:
    """Return the name of the limit that is reached first."""
    if extra is None:
        return ""
    return Outcome.from_code(int(seen[extra].code)).name.lower().replace("_", " ")


def _with_free_motion(test: Test) -> Test:
    """Return the validated test with shapes, whose excitation ends with the test."""
    limits = dataclasses.replace(test.limits, frozen_sensor=math.inf)  # its default depends on the rig delay
    prepared = dataclasses.replace(test, limits=limits, record_every=1).with_shapes()
    release = jnp.asarray((test.tick_count + 0.25) * test.dt)
    return dataclasses.replace(prepared, excitation=Released(prepared.excitation, release))


def _free_motion_of_reference(free: Test, ticks: int) -> np.ndarray:
    """Return half the range of the demand [m] of the reference solution in the fourth window of free motion."""
    window = min(ticks, WINDOW)
    longer = dataclasses.replace(free, duration=(ticks + 4 * window) * free.dt)
    z = reference_motion(longer)["displacement"]
    return np.asarray(np.ptp(z[-window:].reshape(window, -1), axis=0) / 2)


def reference_motion(test: Test, progress: Progress | None = None) -> dict[str, np.ndarray]:
    """Return the motion of the reference solution without limits, from the first tick on.

    The program is that of `test.reference()`.

    Raises
    ------
    AnalysisError
        If the reference solution does not move or is not finite.
    TestFileError
        If its motion does not fit in memory.
    """
    records = Records()
    test.validate()
    unlimited = dataclasses.replace(test, limits=Limits(frozen_sensor=math.inf), record_every=1)
    require_memory(unlimited, Reference())
    Reference().record(unlimited, records, progress)
    rows = records.to_arrays()
    motion = {name: rows[name][1:] for name in MOTION}
    if len(motion["displacement"]) < test.tick_count or not np.isfinite(motion["displacement"]).all():
        raise AnalysisError("the reference solution is not finite")
    if not motion["displacement"].any():
        raise AnalysisError(
            "the reference solution does not move, so the size of the motion is not known; give the test an excitation"
        )
    return motion


def _delay_part(actuator: Transfer) -> Any:
    """Return the delay of an actuator to which additional delay is added, or None."""
    parts = actuator.parts if isinstance(actuator, Series) else (actuator,)
    return next((part for part in parts if isinstance(part, Delay)), None)


def _with_buffer(test: Test, extra: float) -> Test:
    """Return the prepared test with an actuator delay that can be extended by `extra` [s]."""
    assert isinstance(test.rig, Rig)
    actuator, h = test.rig.actuator, test.dt / test.rig.substeps
    if _delay_part(actuator) is None:
        added = Delay(jnp.zeros(()), max_delay=extra)
        actuator = Series((added, *(actuator.parts if isinstance(actuator, Series) else (actuator,))))
    part = _delay_part(actuator)
    longest = BUFFER * math.ceil((float(np.max(part.delay)) + extra) / BUFFER)
    longer = dataclasses.replace(part, max_delay=longest)
    actuator = eqx.tree_at(_delay_part, actuator, longer.with_sample_time(h, test.rig.shape))
    return dataclasses.replace(test, rig=dataclasses.replace(test.rig, actuator=actuator))


class _Motion(Keep):
    """Keeps the deviation from the reference solution in the test, and the range of each window [m]."""

    ideal: jax.Array

    def start(self, shown: Signals) -> Any:
        nothing = jnp.zeros(self.ideal.shape[1])
        return {"k": jnp.zeros((), int), "squares": nothing, "peak": nothing, **self.no_range()}

    def no_range(self) -> dict[str, jax.Array]:
        """Return the range of a window before its first sample."""
        far = jnp.full(self.ideal.shape[1], jnp.inf)
        return {"low": far, "high": -far}

    def row(self, kept: Any, t: Time, h: Time, shown: Signals) -> tuple[Any, Any]:
        k, z = kept["k"], shown["displacement"].reshape(-1)
        tested, ideal = k < len(self.ideal), self.ideal[jnp.minimum(k, len(self.ideal) - 1)]
        kept = {
            "k": k + 1,
            "squares": kept["squares"] + jnp.where(tested, (z - ideal) ** 2, 0.0),
            "peak": jnp.where(tested, jnp.maximum(kept["peak"], jnp.abs(z)), kept["peak"]),
            "low": jnp.minimum(kept["low"], z),
            "high": jnp.maximum(kept["high"], z),
        }
        return kept, {}


class _Free(eqx.Module):
    """Free motion up to a window: ranges of the last three windows, ratio of the last two, and the verdict on it."""

    ranges: jax.Array  # (3, axes), newest first, as multiples of the residual
    ratio: jax.Array
    start: jax.Array  # range of the first window
    grows: jax.Array
    dies: jax.Array

    def after(self, now: jax.Array, window: jax.Array, grown: jax.Array, restless: Any = False) -> _Free:
        """Return the verdict after another window, the first of which has number 1; a verdict stays."""
        last, before, _ = self.ranges
        largest, previous, earlier = (jnp.max(each) for each in (now, last, before))
        ratio = largest / previous
        decreases = (ratio < STEADY) & (largest < STEADY**2 * earlier)
        start = jnp.where(window == 1, largest, self.start)
        steady = (window >= 4) & (ratio >= STEADY) & (largest >= STEADY**2 * earlier) & (largest > 1.0)
        grows = ~jnp.all(jnp.isfinite(now)) | steady | (jnp.any(now > grown) & (ratio > 2.0) & (window >= 2))
        constant = 1.0 - ratio >= SLOWING * (1.0 - self.ratio)
        average = -jnp.log(largest / start) / jnp.maximum(window - 1, 1)  # in a window
        steadily = decreases & constant & (largest < FALLEN * start) & (-jnp.log(ratio) >= LASTING * average)
        followed = ~jnp.asarray(restless) | (window >= RESTLESS)
        dies = followed & ((largest <= 1.0) | ((window >= 4) & steadily))
        decided = self.grows | self.dies
        return _Free(
            jnp.stack([now, last, before]),
            jnp.where(decided, self.ratio, ratio),
            start,
            self.grows | (grows & ~decided),
            self.dies | (dies & ~grows & ~decided),
        )


@eqx.filter_jit
def _lanes(
    test: Test, extras: Array, restless: Array, ideal: Array, criterion: Array, residual: Array
) -> _Lane:
    """Return the events of a rehearsal with each additional delay."""
    mode, keep, ticks = Rehearse(), _Motion(ideal), len(ideal)
    clock = Simulated(test.dt, ticks, precompute=False)
    size, peak = jnp.sqrt(jnp.mean(ideal**2, axis=0)), jnp.max(jnp.abs(ideal), axis=0)
    moves = size > MOVES * jnp.max(size)
    window = min(ticks, WINDOW)
    tests = math.ceil(ticks / window)  # windows of the test; the last may extend into the free motion

    def system(extra: jax.Array) -> tuple[Any, Any]:
        varied = eqx.tree_at(
            lambda t: _delay_part(t.rig.actuator).delay, test, replace_fn=lambda d: d + extra
        )
        return mode.system(varied), mode.monitor(varied)

    def advance(
        extra: jax.Array, restless: jax.Array, now: LoopState, free: _Free, number: jax.Array
    ) -> tuple[LoopState, _Free]:
        varied, monitor = system(extra)
        now = now._replace(kept={**now.kept, **keep.no_range()})
        now, _, _ = advance_samples(varied, clock, monitor, keep, now, window)
        extent = (now.kept["high"] - now.kept["low"]) / 2
        scaled = jnp.where(moves, extent / jnp.where(moves, residual, 1.0), 0.0)
        grown = GROWN * peak / jnp.where(moves, residual, 1.0)
        after = free.after(scaled, number - tests + 1, grown, restless)
        return now, jax.tree.map(lambda a, b: jnp.where(number >= tests, a, b), after, free)

    def body(carry: Any) -> Any:
        number, now, free = carry
        now, free = jax.vmap(advance, in_axes=(0, 0, 0, 0, None))(extras, restless, now, free, number)
        return number + 1, now, free

    def continues(carry: Any) -> Any:
        number, _, free = carry
        return (number < tests + MAX_WINDOWS) & ~jnp.all(free.grows | free.dies)

    now = jax.vmap(lambda extra: begin(*system(extra), keep)[0])(extras)
    no, one = jnp.zeros(len(extras), bool), jnp.ones(len(extras))
    free = _Free(jnp.full((len(extras), 3, len(peak)), jnp.inf), one, one, no, no)
    _, now, free = jax.lax.while_loop(continues, body, (jnp.asarray(0), now, free))
    error = jnp.sqrt(now.kept["squares"] / ticks) / jnp.where(moves, size, 1.0)
    higher = now.kept["peak"] / jnp.where(moves, peak, 1.0)
    error, higher = (jnp.max(jnp.where(moves, each, 0.0), axis=1) for each in (error, higher))
    leaves = ~(error <= criterion) | ~(higher <= MAX_PEAK)
    code = jnp.where(now.monitor.sample <= ticks, now.monitor.code, 0)
    finite = code != Outcome.NOT_FINITE.code
    return _Lane(
        grows=~free.dies | ~finite,
        undecided=~free.dies & ~free.grows & finite,
        decay=free.ratio,
        leaves=leaves,
        code=jnp.where(finite, code, 0),
        error=error,
    )
