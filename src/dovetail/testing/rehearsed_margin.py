r"""Rehearsed delay margin: the test is rehearsed with additional rig delay, with its own excitation and limits.

Three events are searched, each by its smallest additional delay:

- *grows*: the motion is not finite, or it does not die away after the excitation has ended;
- *leaves the reference*: the rms response error exceeds the acceptance criterion `response_error` (100 % without one),
  or the peak exceeds three times that of the reference solution;
- *meets a limit*: a limit of the test, as monitored.

All delays of a round are rehearsed as one batch. The first round covers the range; the second also the delays below the
first event, because a loop may be unstable in a short interval. Each further round divides the interval in which an
event first happens. The largest delay without the event is the result, so rounding is to the safe side.
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

from dovetail.core.advance import Progress, Selected, run_samples
from dovetail.core.block import Time
from dovetail.core.errors import AnalysisError
from dovetail.core.si_prefix import value_text
from dovetail.core.signals import MOTION
from dovetail.testing.excitation import Excitation
from dovetail.testing.limits import Limits
from dovetail.testing.modes import Reference, Rehearse
from dovetail.testing.outcome import Outcome
from dovetail.testing.recorder import Records
from dovetail.testing.rig import Rig
from dovetail.transfer import Delay, Series, Transfer

if TYPE_CHECKING:
    from dovetail.testing.test import Test

MIN_RANGE, RANGE_FACTOR = 0.15, 10.0  # [s]; multiple of the rig delay: range of the additional delay
LANES = 64  # additional delays in a batch
FIRST = 1e-4  # [s] smallest additional delay of the first round
ROUNDS = 3  # batches in all; each after the first divides an interval by ten or more
MAX_PEAK = 3.0  # peak over the peak of the reference above which a run has left the reference
MAX_ERROR = 1.0  # rms response error above which a run has left the reference, without acceptance criterion
FREE, MAX_FREE = (
    4,
    20_000,
)  # free motion: multiple of the duration, and largest number of ticks of more than one
RESIDUAL = 0.05  # fraction of the peak of the reference; free motion below it has died away
DECAYED = (
    0.95  # ratio of the ranges of the last two quarters of the free motion above which it does not die away
)
PERSISTENT = (
    0.3  # fraction of the peak of the reference; larger free motion has not died away, decaying or not
)
MARGINAL = 0.9  # that ratio above which the test is too short to show that the motion dies away
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
    marginal: bool = False  # as given the test is too short to show that the motion dies away

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
        if never:
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
    test: Test, free: Test, ideal: np.ndarray, delay: float, progress: Progress | None = None
) -> RehearsedMargin:
    """Return the rehearsed margin of a test with a simulated rig.

    Parameters
    ----------
    free, ideal
        The test followed by free motion (`with_free_motion`), and the demand of its reference solution [m].
    delay
        Delay of the loop as given [s]; sets the range of the additional delay.
    """
    up_to, update = max(RANGE_FACTOR * delay, MIN_RANGE), progress or (lambda done, text: None)
    ideal = ideal.reshape(len(ideal), -1)
    late = _with_buffer(free, up_to)
    shortest = -float(np.min(_delay_part(late.require_rig().as_model().actuator).delay))
    criterion = test.accept.response_error if test.accept and test.accept.response_error else MAX_ERROR
    seen: dict[float, _Lane] = {}
    delays = np.append(np.geomspace(FIRST, up_to, LANES - 3), [0.0, shortest / 2, shortest])
    for number in range(ROUNDS):
        update(number / ROUNDS, f"rehearsals with additional delay, {number + 1} of {ROUNDS}")
        lanes: _Lane = _lanes(
            late, jnp.asarray(_filled(delays)), jnp.asarray(ideal), test.tick_count, jnp.asarray(criterion)
        )
        lanes = jax.device_get(lanes)
        for i, extra in enumerate(_filled(delays)):
            seen[float(extra)] = jax.tree.map(lambda values, i=i: values[i], lanes)
        intervals = {_first(seen, event) for event in EVENTS.values()}
        bounded = [(low, high) for low, high in intervals if low is not None and high is not None]
        if number == 0 and bounded and (first := min(high for _, high in bounded)) > 0:
            bounded = [*bounded, *[(0.0, first)] * len(bounded)]
        delays = _between(bounded)
        if not len(delays):
            break
    event_delays = {name: _first(seen, event) for name, event in EVENTS.items()}
    given = seen[0.0]
    return RehearsedMargin(
        **{name: _margin(*interval) for name, interval in event_delays.items()},
        up_to=up_to,
        limit=_limit_name(seen, event_delays["limited"][1]),
        error=float(given.error),
        criterion=float(criterion),
        marginal=bool(given.marginal),
    )


class _Lane(eqx.Module):
    """Events of one rehearsal."""

    grows: Any
    marginal: Any
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
    if before is None:
        return -math.inf
    return math.inf if after is None else before


def _between(intervals: list[tuple[float, float]]) -> np.ndarray:
    """Return delays that divide these intervals, as many for each."""
    shared = {interval: LANES * intervals.count(interval) // len(intervals) for interval in intervals}
    parts = [np.linspace(*interval, count + 2)[1:-1] for interval, count in shared.items()]
    return np.concatenate(parts) if parts else np.zeros(0)


def _filled(delays: np.ndarray) -> np.ndarray:
    """Return the delays of a batch, of which there are always the same number."""
    return np.append(delays, np.full(LANES - len(delays), delays[-1]))


def _limit_name(seen: dict[float, _Lane], extra: float | None) -> str:
    """Return the name of the limit that is reached first."""
    if extra is None:
        return ""
    return Outcome.from_code(int(seen[extra].code)).name.lower().replace("_", " ")


def with_free_motion(test: Test) -> Test:
    """Return the prepared test, followed by free motion."""
    limits = dataclasses.replace(test.limits, frozen_sensor=math.inf)  # its default depends on the rig delay
    prepared = dataclasses.replace(test, limits=limits, record_every=1).prepare()
    release = jnp.asarray((test.tick_count + 0.25) * test.dt)
    ticks = test.tick_count + min(FREE * test.tick_count, max(test.tick_count // 4, MAX_FREE))
    return dataclasses.replace(
        prepared, excitation=Released(prepared.excitation, release), duration=ticks * test.dt
    )


def reference_motion(free: Test, progress: Progress | None = None) -> dict[str, np.ndarray]:
    """Return the motion of the reference solution without limits, from the first tick on.

    Raises
    ------
    AnalysisError
        If the reference solution does not move or is not finite.
    """
    records = Records()
    unlimited = dataclasses.replace(free, limits=Limits(frozen_sensor=math.inf))
    Reference().record(unlimited, records, progress)
    rows = records.to_arrays()
    motion = {name: rows[name][1:] for name in MOTION}
    if len(motion["displacement"]) < free.tick_count or not np.isfinite(motion["displacement"]).all():
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


@eqx.filter_jit
def _lanes(test: Test, extras: jax.Array, ideal: jax.Array, ticks: int, criterion: jax.Array) -> _Lane:
    """Return the events of a rehearsal with each additional delay."""
    mode, names = Rehearse(), ("displacement",)

    def at(extra: jax.Array) -> _Lane:
        varied = eqx.tree_at(
            lambda t: _delay_part(t.rig.actuator).delay, test, replace_fn=lambda d: d + extra
        )
        system, monitor = mode.system(varied), mode.monitor(varied)
        state, rows = run_samples(system, test.dt, test.tick_count, Selected(names), monitor)
        z = rows["displacement"].reshape(ideal.shape)
        code = jnp.where(state.monitor.sample <= ticks, state.monitor.code, 0)
        return _events(z, ideal, ticks, criterion, code)

    lanes: _Lane = jax.vmap(at)(extras)
    return lanes


def _events(z: jax.Array, ideal: jax.Array, ticks: int, criterion: jax.Array, code: jax.Array) -> _Lane:
    """Return the events of a motion; `code` is that of the limit that it reached."""
    tested, reference = z[:ticks], ideal[:ticks]
    size, peak = _rms(reference), jnp.max(jnp.abs(reference), axis=0)
    moves = size > MOVES * jnp.max(size)
    error = jnp.max(jnp.where(moves, _rms(tested - reference) / jnp.where(moves, size, 1.0), 0.0))
    higher = jnp.max(jnp.where(moves, jnp.max(jnp.abs(tested), axis=0) / jnp.where(moves, peak, 1.0), 0.0))
    leaves = ~(error <= criterion) | ~(higher <= MAX_PEAK)
    finite = jnp.all(jnp.isfinite(z)) & (code != Outcome.NOT_FINITE.code)
    quarter = (len(z) - ticks) // 4
    before, last = (_range(z, end, quarter) for end in (quarter, 0))
    ideally = _range(ideal, 0, quarter)
    moving = moves & (last > RESIDUAL * peak) & (last > MAX_PEAK * ideally)
    grows = ~finite | jnp.any(moving & ((last > DECAYED * before) | (last > PERSISTENT * peak)))
    marginal = ~grows & jnp.any(moving & (last > MARGINAL * before))
    code = jnp.where(code == Outcome.NOT_FINITE.code, 0, code)
    return _Lane(grows, marginal, leaves, code, error)


def _rms(signal: jax.Array) -> jax.Array:
    return jnp.sqrt(jnp.mean(signal**2, axis=0))


def _range(motion: jax.Array, end: int, length: int) -> jax.Array:
    """Return half the range of a motion over some ticks that end some ticks before its end."""
    return jnp.ptp(motion[len(motion) - end - length : len(motion) - end], axis=0) / 2
