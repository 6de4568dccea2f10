"""How time advances: one compiled loop over samples, and one loop of the host.

- `begin(system, monitor, keep)`: state and signals at t = 0;
- `advance_samples(system, clock, monitor, keep, now, size)`: at most `size` samples, compiled;
- `run_samples(system, dt, count, keep, monitor)`: the first two together, for batches, derivatives and studies;
- `advance(system, clock, monitor, keep, recorder, size)`: a whole run, with records, progress and interrupts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from dovetail.core.block import Time
from dovetail.core.clock import Clock, LoopState, Simulated
from dovetail.core.keep import Keep, Recorder, Rows
from dovetail.core.monitor import Monitor, NoMonitor
from dovetail.core.programs import jit_unoptimised
from dovetail.core.system import Signals, System

Progress = Callable[[float, str], None]  # completed fraction in [0, 1], and a text
ALL_SAMPLES = 2**62  # size of a loop without rows that ends by its clock or its monitor


def begin(system: System, monitor: Monitor, keep: Keep) -> tuple[LoopState, Signals]:
    """Return the state of a run at t = 0, and its first sample."""
    x, shown = system.start()
    checked, shown = monitor.start(shown)
    now = LoopState(jnp.zeros((), int), jnp.zeros(()), x, checked, keep.start(shown))
    return _with_types(now, now), shown


def advance_samples(
    system: System, clock: Clock, monitor: Monitor, keep: Keep, now: LoopState, size: int
) -> tuple[LoopState, Int[Array, ""], Signals]:
    """Advance by at most `size` rows; return the state, the number of rows, and the rows.

    Signals that are the same array in a sample (without a compensator the command is the demand) are recorded once and
    returned under each name, because writing rows takes a third of the time of a simple loop.
    """
    columns: dict[str, int] = {}

    def sample(now: LoopState) -> tuple[LoopState, Any, tuple[Array, ...]]:
        t, h = clock.interval(system, now)
        after, wanted, row = _step(system, monitor, keep, now, t, h)
        distinct = {id(value): value for value in row.values()}
        order = {key: i for i, key in enumerate(distinct)}
        columns.update({name: order[id(value)] for name, value in row.items()})
        return _with_types(after, now), wanted, tuple(jnp.asarray(value) for value in distinct.values())

    if isinstance(clock, Simulated):

        def at(now: LoopState, k: Array) -> tuple[LoopState, tuple[Array, ...]]:
            return sample(now._replace(k=k))[::2]

        now, rows = clock.scan(at, now, now.k + jnp.arange(size))
        return now, jnp.asarray(size), {name: rows[i] for name, i in columns.items()}

    def continues(carry: Any) -> Any:
        count, first, now, _ = carry
        waits = ~first & clock.waits(system, now)
        return (count < size) & ~clock.finished(now) & (now.monitor.code == 0) & ~waits

    def one(carry: Any) -> Any:
        count, _, now, rows = carry
        now, wanted, row = sample(now)
        rows = tuple(
            column.at[count].set(jnp.where(wanted, value, column[count]) if wanted is not True else value)
            for column, value in zip(rows, row, strict=True)
        )
        return count + wanted, jnp.array(False), now, rows

    now = _with_types(clock.resume(system, monitor, now), now)
    shapes = jax.eval_shape(lambda: sample(now)[2])
    empty = tuple(jnp.zeros((size, *row.shape), row.dtype) for row in shapes)
    start = (jnp.zeros((), int), jnp.array(True), now, empty)
    count, _, now, rows = jax.lax.while_loop(continues, one, start)
    return now, count, {name: rows[i] for name, i in columns.items()}


def run_samples(
    system: System, dt: Time, count: int, keep: Keep, monitor: Monitor | None = None
) -> tuple[LoopState, Signals]:
    """Return the state after `count` samples from t = 0, and their rows, as a pure function.

    Nothing is precomputed: the members of a batch are computed at the same time.
    """
    monitor = monitor or NoMonitor()
    now, _ = begin(system, monitor, keep)
    clock = Simulated(dt, count, precompute=False)
    now, _, rows = advance_samples(system, clock, monitor, keep, now, count)
    return now, rows


def _step(
    system: System, monitor: Monitor, keep: Keep, now: LoopState, t: Time, h: Time
) -> tuple[LoopState, Any, Signals]:
    """Advance by one sample; return the state, whether its row is recorded, and the row."""
    x, shown = system.step(t, h, now.x)

    def check() -> tuple[Any, Any, Any]:
        checked, signals = monitor.step(t + h, h, now.monitor, shown)
        return checked, *keep.row(now.kept, t + h, h, signals)

    checked, kept, row = system.compute(check)
    wanted = keep.wants(kept, row)
    x = system.settle(x, checked.code)
    kept, signals = keep.send(kept, row)
    return LoopState(now.k + 1, t + h, x, checked, kept), wanted, signals


def row_shapes(system: System, monitor: Monitor) -> Signals:
    """Return the shapes of the signals of a sample after the first, without computing it."""

    def row() -> Signals:
        now, _ = begin(system, monitor, Rows())
        return _step(system, monitor, Rows(), now, jnp.zeros(()), jnp.ones(()))[2]

    return dict(jax.eval_shape(row))


def _with_types(state: LoopState, like: LoopState) -> LoopState:
    """Return a state with the array types of another, and no weak types, so that every chunk uses one program."""
    typed: LoopState = jax.tree.map(
        lambda value, other: jnp.asarray(value, jnp.result_type(other)), state, like
    )
    return typed


def _chunk(
    system: System, clock: Clock, monitor: Monitor, keep: Keep, now: LoopState, size: int
) -> tuple[LoopState, Int[Array, "4"], Signals]:
    """Advance by at most `size` rows; return the state, what the host needs as one array, and the rows.

    The array: number of rows, code and sample of the monitor, whether the end is reached.
    """
    now, count, rows = advance_samples(system, clock, monitor, keep, now, size)
    numbers = (count, now.monitor.code, now.monitor.sample, clock.finished(now))
    return now, jnp.stack([jnp.asarray(number, int) for number in numbers]), rows


compiled_begin = eqx.filter_jit(begin)
compiled_advance = eqx.filter_jit(advance_samples)
_compiled_chunk = eqx.filter_jit(_chunk)
unoptimised_begin, _unoptimised_chunk = jit_unoptimised(begin), jit_unoptimised(_chunk)


def advance(
    system: System,
    clock: Clock,
    monitor: Monitor,
    keep: Keep,
    recorder: Recorder,
    size: int,
    progress: Progress | None = None,
) -> tuple[LoopState, int]:
    """Advance until the clock ends or the monitor stops the run, `size` samples at a time.

    Return the state and the code of the outcome, 0 at the end of the clock. On an interrupt the recorder has the
    samples before it.
    """
    start, chunk = (
        (compiled_begin, _compiled_chunk) if clock.optimised else (unoptimised_begin, _unoptimised_chunk)
    )
    now: LoopState
    now, first = start(system, monitor, keep)
    recorder.start(jax.device_get(first))
    k, code, finished = 0, int(now.monitor.code), False
    between, adapts = clock.between, type(system).adapt is not System.adapt
    while not code and not finished:
        if adapts and k and (changed := system.adapt(now.x)) is not None:
            system, x = changed
            now = now._replace(x=x)
        system, now = between(system, monitor, now)
        now, numbers, rows = chunk(system, clock, monitor, keep, now, size)
        count, code, sample, finished = np.asarray(numbers).tolist()
        if isinstance(clock, Simulated):  # the last chunk may extend past the end, and any chunk past a limit
            end = int(clock.end)
            code = code if sample <= end else 0
            count = (sample if code else min(k + count, end)) - k
        recorder.add(rows, count)
        k += count
        if progress and not code:
            progress(clock.fraction(now), f"{float(now.t):.3g} s simulated")
    return now, code
