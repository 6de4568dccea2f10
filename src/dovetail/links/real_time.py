"""Real-time run of a test against a rig behind a link.

The complete run is one compiled program: approach to the start, loop of the test, return to rest. It calls out once per
tick (`RemoteRig`). Its thread does nothing else; the calling thread processes the operator requests.
"""

from __future__ import annotations

import dataclasses
import math
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import LinkError
from dovetail.core.shapes import shapes
from dovetail.links import remote_rig
from dovetail.links.address import Address
from dovetail.links.connection import RigConnection, connect
from dovetail.links.handshake import Hello
from dovetail.links.native import NativeTick, available
from dovetail.links.recording import as_run
from dovetail.links.remote_rig import RemoteRig
from dovetail.links.rig_paths import minimum_jerk, path_to_rest
from dovetail.links.rig_protocol import RigState
from dovetail.links.ring import Ring
from dovetail.links.single_thread import as_single_function
from dovetail.links.tick import PythonTick, TickSettings
from dovetail.testing import hybrid_loop, paths, schedule
from dovetail.testing import operator as operators
from dovetail.testing.limit_monitor import LimitMonitor, rotary_axes, with_frozen_sensor_limit
from dovetail.testing.memory_estimate import require_memory
from dovetail.testing.operator import Operator
from dovetail.testing.run import Progress, Run
from dovetail.testing.test import Test

POLL_INTERVAL = 0.05  # [s] interval of the check for operator requests
FIRST_TICK, FIRST_TICKS = 50_000_000, 40  # [ns] interval and largest number of the first messages to the rig


@dataclasses.dataclass(frozen=True)
class RealTime:
    """Real-time settings of the loop on this machine.

    `native`: None uses the native tick if it is available, False the tick in Python. Real-time priority, locked memory
    and a CPU core are requested; the run reports what the system refuses.
    """

    native: bool | None = None
    priority: int = 50  # under SCHED_FIFO; 0: default scheduling
    lock: bool = True
    core: int = -1  # CPU core; -1: any
    spin: float = 60e-6  # [s] busy waiting before the deadline, instead of sleep
    wait: float = 0.0  # [s] largest time to wait for an answer; 0: 70 % of the tick


def run_realtime(
    test: Test,
    url: str,
    *,
    key: bytes | None = None,
    real_time: RealTime | None = None,
    operator: Operator | None = None,
    progress: Progress | None = None,
    window: str | Path | None = None,
) -> Run:
    """Run the test in real time against the rig at `url` (udp://HOST:PORT).

    The records are also written to the file `window` during the run (`dovetail.links.ring`), which remains if this
    process ends early.

    Ctrl-C is a stop by the operator. A run always returns its recording. Statistics of link and clock are attributes of
    the dataset, and the return to rest after a stop is in `Run.return_recording`.

    Raises
    ------
    LinkError
        If no session could be opened. The rig has not moved then.
    """
    require_memory(test)
    prepared = with_frozen_sensor_limit(test.prepare(), "realtime")
    shape = test.shape
    (operator := operator or Operator()).register_tunables(test)
    tunables = np.array(list(operator.values.values()))
    hello = Hello(
        axes=int(np.prod(shape, dtype=int)),
        rate=test.rate,
        link_timeout=test.limits.link_timeout,
        limits=test.limits.rig_limits(rotary_axes(test)),
    )
    with connect(Address.parse(url), hello, key) as connection:
        reading, sequence = _first_reading(connection)
        tick = _tick(connection, test, real_time or RealTime(), sequence)
        handle = tick.handle if isinstance(tick, NativeTick) else remote_rig.register(tick)
        rig = RemoteRig(
            handle=jnp.asarray(handle, dtype=int),
            first=jnp.asarray(reading),
            signals=_signal_shapes(connection.welcome.signals, shape),
            native=isinstance(tick, NativeTick),
        )
        with_rig = dataclasses.replace(prepared, rig=rig)
        approach, return_time = test.limits.approach_time, test.limits.return_time
        phases = (max(round(float(approach) * test.rate), 1), max(round(float(return_time) * test.rate), 1))
        first, recorded = shapes(_first, with_rig), shapes(_record, with_rig)
        if len(tunables):
            values = jax.ShapeDtypeStruct(tunables.shape, float)
            recorded = dict(sorted({**recorded, "tunable_values": values}.items()))
        step = test.record_every * test.dt
        records = Ring({name: of.shape for name, of in recorded.items()}, test.record_count, step, window)
        names = _return_signals(rig, first)
        return_records = Ring({name: recorded[name].shape for name in names}, phases[1], test.dt)
        rings = (records, return_records)
        ring_handles = [ring.handle if rig.native else remote_rig.register(ring) for ring in rings]
        requests = tunables.ctypes.data if rig.native else remote_rig.register(tunables)
        program = _compile_program(with_rig, phases)
        try:
            result = _run_program(
                lambda: program(with_rig, jnp.asarray((*ring_handles, requests), dtype=int)),
                tick,
                operator,
                lambda: records.row_count * step,
                tunables,
                progress and (lambda t: progress(min(t / test.duration, 1.0), f"{t:.3g} s in real time")),
            )
        finally:
            for each in (handle, *ring_handles, requests):
                remote_rig.unregister(each)
    run = as_run(test, url, result, records, return_records, tick, connection)
    return dataclasses.replace(run, data=run.data.assign_attrs(operator_events=operator.events_json()))


def _compile_program(test: Test, phases: tuple[int, int]) -> Callable[[Test, jax.Array], Any]:
    """Return the compiled program of a test; a program of an earlier run is not traced again."""
    compiled = _program.lower(test, jnp.zeros(3, dtype=int), phases).compile()
    return lambda test, handles: jax.block_until_ready(compiled(test, handles, phases))


def _first(test: Test) -> dict[str, Any]:
    """Return the signals of a test at its start."""
    return hybrid_loop.start(test)[1]


def _record(test: Test) -> dict[str, Any]:
    """Return the record of a tick, for its shapes."""
    state, _ = hybrid_loop.start(test)
    return hybrid_loop.tick(test, state, jnp.zeros((), dtype=int))[1]


def _return_signals(rig: RemoteRig, first: Any) -> list[str]:
    """Return the names of the signals that are recorded during the return to rest."""
    return sorted({"command", *rig.first_reading(rig.init())} & set(first))


def _flat(record: dict[str, jax.Array], names: Any) -> jax.Array:
    return jnp.concatenate([jnp.ravel(record[name]).astype(float) for name in names])


def _complete_run(test: Test, handles: jax.Array, phases: tuple[int, int]) -> dict[str, Any]:
    """Run approach, test and return to rest as one function.

    Records leave the function by calls, so no buffer is larger than the state of the test, and nothing is cleared or
    copied between two ticks. `handles`: of the two rings, and of the requested tunable values.
    """
    rig: Any = test.rig  # a RemoteRig
    start = hybrid_loop.start(test)[1]["displacement"]
    leading = _Leading(rig, test.dt, LimitMonitor.for_test(test, "approach and rest"), start)
    x, reading, approach = leading.approach(rig.init(), phases[0])
    flat = jnp.concatenate([jnp.ravel(reading[name]) for name, _ in rig.signals])
    test = eqx.tree_at(lambda t: t.rig.first, test, flat)
    state, first = hybrid_loop.start(test)
    state.pop("rig")
    ticks, x, state, last_two, last = _test_loop(test, x, state, start, handles)
    code = jnp.where(state["monitor"]["code"] > 0, state["monitor"]["code"], x["code"])
    names = _return_signals(rig, first)

    def write_record(x, record):
        return rig.write_record(x, handles[1], _flat(record, names))

    x, rest = leading.return_to_rest(x, ticks, last_two, phases[1], write_record)
    return {
        "first": first,
        "ticks": ticks,
        "code": code,
        "rig": {**x, "last_call": rig.release(x)},
        "approach": approach[1:],
        "rest": rest[1:],
        "monitor": state["monitor"],
        "last": last,
    }


_program: Any = eqx.filter_jit(_complete_run)


@dataclasses.dataclass(frozen=True)
class _Leading:
    """Approach of a rig before the test and return to rest after it, with a limit monitor.

    State from tick to tick: the last two commands, the state of the monitor, and the signals at the trip.
    """

    rig: Any  # a RemoteRig
    dt: float  # [s]
    monitor: LimitMonitor
    start: jax.Array  # start of the test, and rest position after it

    def approach(self, x: Any, ticks: int) -> tuple[Any, dict[str, jax.Array], Any]:
        """Move from the present position to the start of the test on a minimum-jerk path."""
        reading = self.rig.first_reading(x)
        position = reading["measured_displacement"]

        def tick(k, carry):
            x, _, state = carry
            command = position + minimum_jerk((k + 1) / ticks) * (self.start - position)
            return self._step(k * self.dt, x, state, command)

        return jax.lax.fori_loop(0, ticks, tick, (x, reading, self._initial_state((position, position))))

    def return_to_rest(
        self, x: Any, first: jax.Array, last_two: Any, ticks: int, write_record: Callable[[Any, Any], Any]
    ) -> Any:
        """Move to rest; position and velocity are continuous with the last two commands of the test."""
        last, before = last_two
        path = path_to_rest(last, (last - before) / self.dt, self.start, ticks * self.dt)

        def tick(k, carry):
            x, state = carry
            command = path((k + 1) * self.dt)
            x, reading, state = self._step((first + k) * self.dt, x, state, command)
            return write_record(x, {"command": command, **reading}), state

        return jax.lax.fori_loop(0, ticks, tick, (x, self._initial_state(last_two)))

    def _step(self, t, x, state, command):
        (last, before), monitor, at_trip = state
        x, reading = self.rig.step(t, self.dt, x, command)
        motion = {
            "displacement": command,
            "velocity": (command - last) / self.dt,
            "acceleration": (command - 2 * last + before) / self.dt**2,
        }
        now = {**motion, **hybrid_loop.monitored_signals(reading, hybrid_loop.READ)}
        at_trip = jax.tree.map(lambda old, new: jnp.where(monitor["code"] == 0, new, old), at_trip, now)
        monitor = self.monitor.step(
            t, self.dt, monitor, motion, hybrid_loop.monitored_signals(reading, hybrid_loop.SEEN)
        )
        return self.rig.settle(x, monitor["code"]), reading, ((command, last), monitor, at_trip)

    def _initial_state(self, last_two):
        blank = {name: jnp.zeros_like(self.start) for name in (*hybrid_loop.MOTION, *hybrid_loop.READ)}
        return last_two, self.monitor.empty_state(self.start.shape), blank


def _test_loop(test: Test, x: Any, state: Any, start: jax.Array, handles: jax.Array) -> tuple[Any, ...]:
    """Run the loop of the test.

    Return the number of ticks, the states of rig and loop, the last two commands, and with `record_every` above 1 the
    last row and the largest values.
    """
    rig: Any = test.rig  # a RemoteRig
    dt = test.dt
    one = (rig.handle != 0).astype(int)  # see `as_single_function`

    def continues(carry):
        k, x, state, *_ = carry
        return (k < test.tick_count) & (state["monitor"]["code"] == 0) & (x["code"] == 0)

    def advance(carry):
        k, x, state, (last, _), tunables, extremes = carry
        now = schedule.apply(test.schedule, test, k * dt + dt) if test.schedule else test
        if test.tunable:
            x, requests = rig.read_tunables(x, handles[2], len(test.tunable))
            tunables = jnp.stack(
                [p.step_towards(tunables[i], requests[i], dt) for i, p in enumerate(test.tunable.values())]
            )
            now = operators.apply(now, tunables)
        commanded = as_single_function(lambda: hybrid_loop.compute_command(now, state, k), one)
        command = commanded["command"]["command"]
        x, reading = rig.step(k * dt, dt, x, command)

        def process_reading():
            after, record = hybrid_loop.process_reading(now, state, k, commanded, reading)
            record |= {"tunable_values": tunables} if test.tunable else {}
            row = _flat(record, sorted(record))
            if test.record_every == 1:
                return after, (row,)
            tracking_error = jnp.ravel(record["displacement"] - record["measured_displacement"])
            size = jnp.abs(jnp.concatenate([row, tracking_error]))
            return after, (row, jnp.maximum(extremes[1], jnp.where(jnp.isfinite(size), size, 0.0)))

        state, (row, *_) = after = as_single_function(process_reading, one)
        x = rig.settle(x, state["monitor"]["code"])
        if test.record_every == 1:
            return k + 1, rig.write_record(x, handles[0], row), state, (command, last), tunables, ()
        is_due = (k + 1) % test.record_every == 0
        x = jax.lax.cond(is_due, lambda x: rig.write_record(x, handles[0], row), lambda x: x, x)
        return k + 1, x, state, (command, last), tunables, after[1]

    tunables = jnp.asarray([jnp.max(paths.get(test, path)) for path in test.tunable], dtype=float)
    width = sum(math.prod(of.shape) for of in shapes(_record, test).values()) + tunables.size
    extremes = (jnp.zeros(width), jnp.zeros(width + start.size)) if test.record_every > 1 else ()
    carry = (jnp.zeros((), dtype=int), x, state, (start, start), tunables, extremes)
    ticks, x, state, last_two, _, extremes = jax.lax.while_loop(continues, advance, carry)
    return ticks, x, state, last_two, extremes


def _first_reading(connection: RigConnection) -> tuple[np.ndarray, int]:
    """Return a reading of the rig at rest, and the sequence number of the last message."""
    welcome = connection.welcome
    slow = TickSettings(
        welcome.session, connection.hello.axes, welcome.count, FIRST_TICK, FIRST_TICKS, key=connection.key
    )
    tick = PythonTick(slow, connection.datagrams)
    zero = np.zeros(connection.hello.axes)
    while not tick.counts().received:
        reading, _ = tick.step(RigState.READY, zero)
        if tick.code:
            reason = (
                "is in its safe state"
                if tick.rig_state == RigState.SAFE
                else "does not answer; check that the network passes UDP"
            )
            raise LinkError(f"{connection.address}: the rig accepted the session but {reason}")
    return reading, tick.sequence


def _tick(connection: RigConnection, test: Test, real_time: RealTime, sequence: int) -> Any:
    """Return the tick of a session, native if possible."""
    settings = TickSettings(
        session=connection.welcome.session,
        axes=connection.hello.axes,
        count=connection.welcome.count,
        tick=round(1e9 / test.rate),
        link_timeout=test.limits.link_timeout,
        overrun=test.limits.overrun,
        key=connection.key,
        wait=round(real_time.wait * 1e9),
        spin=round(real_time.spin * 1e9),
        fifo=real_time.priority,
        lock=real_time.lock,
        core=real_time.core,
        sequence=sequence,
    )
    native = real_time.native
    reason = available() if native is not False else "not requested"
    if native and reason:
        raise LinkError(f"no native tick: {reason}")
    return (PythonTick if reason else NativeTick)(settings, connection.datagrams)


def _signal_shapes(
    signals: tuple[tuple[str, int], ...], shape: tuple[int, ...]
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return names and shapes of signals: interface signals have its shape, others are numbers or rows."""
    size = int(np.prod(shape, dtype=int))
    interface = {"measured_displacement", "measured_force", "achieved_displacement", "specimen_force"}
    named = []
    for name, count in signals:
        if name in interface and count != size:
            raise LinkError(f"the rig has {count} values of {name}; the test has {size} axes")
        named.append((name, shape if name in interface else (() if count == 1 else (count,))))
    return tuple(named)


def _run_program(
    program: Callable[[], Any],
    tick: Any,
    operator: Operator,
    clock: Callable[[], float],
    tunables: np.ndarray,
    progress: Callable[[float], None] | None,
) -> Any:
    """Run the program in a thread, and pass operator requests to the tick from this thread."""
    result: list[Any] = []
    failure: list[BaseException] = []
    finished = threading.Event()  # an interrupted `join` may mark a running thread as finished

    def work() -> None:
        try:
            result.append(program())
        except BaseException as error:  # raised in the calling thread
            failure.append(error)
        finally:
            finished.set()

    threading.Thread(target=work, name="dovetail-loop", daemon=True).start()
    while not finished.is_set():
        try:
            operator.update(clock())
            tunables[:] = list(operator.values.values())
            tick.hold, tick.stop = operator.held, operator.stopped
            finished.wait(POLL_INTERVAL)
            if progress:
                progress(clock())
        except KeyboardInterrupt:
            operator.stop("Ctrl-C")
    if failure:
        raise failure[0]
    return result[0]
