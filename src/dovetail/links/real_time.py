"""Run: the test itself, on the wall clock, against a rig at the other end of a link.

The whole run is one compiled program: lead the rig to its start, the loop of the test, lead it to rest. It
calls out once per tick (`RemoteRig`). Nothing else happens in the thread that runs it; this one only watches
for the operator.
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
from dovetail.links.connection import Connection, connect
from dovetail.links.handshake import Hello
from dovetail.links.native import NativeTick, available
from dovetail.links.recording import as_run
from dovetail.links.remote_rig import RemoteRig
from dovetail.links.rig_paths import least_jerk, to_rest
from dovetail.links.rig_protocol import State
from dovetail.links.ring import Ring
from dovetail.links.single_thread import as_one
from dovetail.links.tick import PythonTick, Settings
from dovetail.testing import hybrid_loop, paths, schedule
from dovetail.testing import operator as operators
from dovetail.testing.limit_monitor import Watch, turning, with_stale
from dovetail.testing.memory_estimate import require_room
from dovetail.testing.operator import Operator
from dovetail.testing.run import Progress, Run
from dovetail.testing.test import Test

LOOK = 0.05  # [s] between two looks at the operator
ASK, QUESTIONS = 50_000_000, 40  # [ns] between the first questions to the rig, and how many


@dataclasses.dataclass(frozen=True)
class RealTime:
    """How the loop keeps time on this machine.

    `native` None takes the native tick where it can be built; False takes the one in Python. Real-time
    priority, locked memory and a core of its own are asked for and, where the system refuses, reported.
    """

    native: bool | None = None
    priority: int = 50  # under SCHED_FIFO; 0 leaves the scheduling alone
    lock: bool = True
    core: int = -1  # -1 leaves it to the system
    spin: float = 60e-6  # [s] before the deadline that are spun, not slept
    wait: float = 0.0  # [s] longest wait for an answer; 0 takes 70 % of the tick


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

    A file named as `window` shows the records while the run goes on (`dovetail.links.ring`), and keeps
    them should this process not live to return them.

    Ctrl-C is the operator's stop. A run always returns what it recorded; how the link and the clock did is in
    the dataset's attributes, and what happened around a stop in `Run.aftermath`.

    Raises
    ------
    LinkError
        If no session comes about. Nothing has moved then.
    """
    require_room(test)
    prepared = with_stale(test.prepared(), "run")
    shape = test.shape
    operator = operator or Operator()
    operator.allow(test)
    dials = np.array(list(operator.values.values()))
    hello = Hello(
        axes=int(np.prod(shape, dtype=int)),
        rate=test.rate,
        silence=test.limits.silence,
        limits=test.limits.of_rig(turning(test)),
    )
    with connect(Address.parse(url), hello, key) as connection:
        reading, sequence = _asked(connection)
        tick = _tick(connection, test, real_time or RealTime(), sequence)
        handle = tick.handle if isinstance(tick, NativeTick) else remote_rig.enter(tick)
        rig = RemoteRig(
            handle=jnp.asarray(handle, dtype=int),
            first=jnp.asarray(reading),
            signals=_shaped(connection.welcome.signals, shape),
            native=isinstance(tick, NativeTick),
        )
        ready = dataclasses.replace(prepared, rig=rig)
        approach, to_rest = test.limits.approach, test.limits.to_rest
        phases = (max(round(float(approach) * test.rate), 1), max(round(float(to_rest) * test.rate), 1))
        shown, recorded = shapes(_first, ready), shapes(_records, ready)
        if len(dials):
            recorded = dict(sorted({**recorded, "dials": jax.ShapeDtypeStruct(dials.shape, float)}.items()))
        step = test.record_every * test.dt
        records = Ring({name: of.shape for name, of in recorded.items()}, test.record_count, step, window)
        after = Ring({name: recorded[name].shape for name in _after(rig, shown)}, phases[1], test.dt)
        rings = tuple(ring.handle if rig.native else remote_rig.enter(ring) for ring in (records, after))
        turned = dials.ctypes.data if rig.native else remote_rig.enter(dials)
        program = _compiled(ready, phases)
        try:
            result = _attended(
                lambda: program(ready, jnp.asarray((*rings, turned), dtype=int)),
                tick,
                operator,
                lambda: records.written * step,
                dials,
                progress and (lambda t: progress(min(t / test.duration, 1.0), f"{t:.3g} s in real time")),
            )
        finally:
            for each in (handle, *rings, turned):
                remote_rig.leave(each)
    run = as_run(test, url, result, records, after, tick, connection)
    return dataclasses.replace(run, data=run.data.assign_attrs(presses=operator.told()))


def _compiled(test: Test, phases: tuple[int, int]) -> Callable[[Test, jax.Array], Any]:
    """The program for a test, compiled before anything moves; one that was run before is not traced again."""
    compiled = _program.lower(test, jnp.zeros(3, dtype=int), phases).compile()
    return lambda ready, handles: jax.block_until_ready(compiled(ready, handles, phases))


def _first(test: Test) -> dict[str, Any]:
    """What a test shows at its start."""
    return hybrid_loop.start(test)[1]


def _records(test: Test) -> dict[str, Any]:
    """A record of a tick, for its shapes."""
    state, _ = hybrid_loop.start(test)
    return hybrid_loop.tick(test, state, jnp.zeros((), dtype=int))[1]


def _after(rig: RemoteRig, shown: Any) -> list[str]:
    """What is recorded on the way to rest."""
    return sorted({"command", *rig.first_reading(rig.init())} & set(shown))


def _flat(record: dict[str, jax.Array], names: Any) -> jax.Array:
    return jnp.concatenate([jnp.ravel(record[name]).astype(float) for name in names])


def _whole(test: Test, handles: jax.Array, phases: tuple[int, int]) -> dict[str, Any]:
    """Approach, test, rest: the whole run as one function.

    Records leave it by calls, as everything else does: no buffer in it is larger than the test's state, so
    nothing is cleared or copied between two ticks. `handles`: of the two rings, and of the operator's dials.
    """
    rig: Any = test.rig  # a RemoteRig
    there = hybrid_loop.start(test)[1]["displacement"]
    leading = _Leading(rig, test.dt, Watch.of(test, "approach and rest"), there)
    x, reading, before = leading.approach(rig.init(), phases[0])
    flat = jnp.concatenate([jnp.ravel(reading[name]) for name, _ in rig.signals])
    test = eqx.tree_at(lambda t: t.rig.first, test, flat)
    state, first = hybrid_loop.start(test)
    state.pop("rig")
    done, x, state, last_two, kept = _tested(test, x, state, there, handles)
    code = jnp.where(state["watch"]["code"] > 0, state["watch"]["code"], x["code"])
    names = _after(rig, first)
    x, after = leading.rest(
        x, done, last_two, phases[1], lambda x, shown: rig.note(x, handles[1], _flat(shown, names))
    )
    x = {**x, "told": rig.release(x)}
    said = {"approach": before[1:], "rest": after[1:]}
    said |= {"watch": state["watch"], "kept": kept}  # see `testing.record`
    return {"first": first, "done": done, "code": code, "rig": x, **said}


_program: Any = eqx.filter_jit(_whole)


@dataclasses.dataclass(frozen=True)
class _Leading:
    """Leads a rig before and after the test, under the eyes of the supervisor.

    What is carried from tick to tick: the last two commands, what the supervisor saw, what a limit met.
    """

    rig: Any  # a RemoteRig
    dt: float  # [s]
    watch: Watch
    there: jax.Array  # where the test starts, and where the rig rests after it

    def approach(self, x: Any, ticks: int) -> tuple[Any, dict[str, jax.Array], Any]:
        """From where the rig is to the start of the test, with least jerk."""
        reading = self.rig.first_reading(x)
        here = reading["measured_displacement"]

        def tick(k, carry):
            x, _, so_far = carry
            command = here + least_jerk((k + 1) / ticks) * (self.there - here)
            return self._step(k * self.dt, x, so_far, command)

        return jax.lax.fori_loop(0, ticks, tick, (x, reading, self._nothing_yet((here, here))))

    def rest(
        self, x: Any, done: jax.Array, last_two: Any, ticks: int, note: Callable[[Any, Any], Any]
    ) -> Any:
        """From the last two commands of the test to rest: position and velocity are kept."""
        last, before = last_two
        path = to_rest(last, (last - before) / self.dt, self.there, ticks * self.dt)

        def tick(k, carry):
            x, so_far = carry
            command = path((k + 1) * self.dt)
            x, reading, so_far = self._step((done + k) * self.dt, x, so_far, command)
            return note(x, {"command": command, **reading}), so_far

        return jax.lax.fori_loop(0, ticks, tick, (x, self._nothing_yet(last_two)))

    def _step(self, t, x, so_far, command):
        (last, before), seen, met = so_far
        x, reading = self.rig.step(t, self.dt, x, command)
        motion = {
            "displacement": command,
            "velocity": (command - last) / self.dt,
            "acceleration": (command - 2 * last + before) / self.dt**2,
        }
        now = {**motion, **hybrid_loop.judged(reading, hybrid_loop.READ)}
        met = jax.tree.map(lambda old, new: jnp.where(seen["code"] == 0, new, old), met, now)
        seen = self.watch.step(t, self.dt, seen, motion, hybrid_loop.judged(reading, hybrid_loop.SEEN))
        return self.rig.settle(x, seen["code"]), reading, ((command, last), seen, met)

    def _nothing_yet(self, last_two):
        blank = {name: jnp.zeros_like(self.there) for name in (*hybrid_loop.MOTION, *hybrid_loop.READ)}
        return last_two, self.watch.blank(self.there.shape), blank


def _tested(test: Test, x: Any, state: Any, there: jax.Array, handles: jax.Array) -> tuple[Any, ...]:
    """The loop of the test: ticks done, states of rig and loop, the last two commands, what is kept of all ticks."""
    rig: Any = test.rig  # a RemoteRig
    dt = test.dt
    one = (rig.handle != 0).astype(int)  # see `as_one`

    def going(carry):
        k, x, state, *_ = carry
        return (k < test.tick_count) & (state["watch"]["code"] == 0) & (x["code"] == 0)

    def advance(carry):
        k, x, state, (last, _), dials, kept = carry
        now = schedule.apply(test.schedule, test, k * dt + dt) if test.schedule else test
        if test.dials:
            x, asked = rig.dials(x, handles[2], len(test.dials))
            dials = jnp.stack([d.follow(dials[i], asked[i], dt) for i, d in enumerate(test.dials.values())])
            now = operators.apply(now, dials)
        led = as_one(lambda: hybrid_loop.lead(now, state, k), one)
        command = led["command"]["command"]
        x, reading = rig.step(k * dt, dt, x, command)

        def follow():
            after, record = hybrid_loop.follow(now, state, k, led, reading)
            record |= {"dials": dials} if test.dials else {}
            row = _flat(record, sorted(record))
            if test.record_every == 1:
                return after, (row,)
            strayed = jnp.ravel(record["displacement"] - record["measured_displacement"])
            size = jnp.abs(jnp.concatenate([row, strayed]))
            return after, (row, jnp.maximum(kept[1], jnp.where(jnp.isfinite(size), size, 0.0)))

        state, (row, *_) = after = as_one(follow, one)
        x = rig.settle(x, state["watch"]["code"])
        if test.record_every == 1:
            return k + 1, rig.note(x, handles[0], row), state, (command, last), dials, ()
        due = (k + 1) % test.record_every == 0
        x = jax.lax.cond(due, lambda x: rig.note(x, handles[0], row), lambda x: x, x)
        return k + 1, x, state, (command, last), dials, after[1]

    dials = jnp.asarray([jnp.max(paths.get(test, path)) for path in test.dials], dtype=float)
    width = sum(math.prod(of.shape) for of in shapes(_records, test).values()) + dials.size
    kept = (jnp.zeros(width), jnp.zeros(width + there.size)) if test.record_every > 1 else ()
    carry = (jnp.zeros((), dtype=int), x, state, (there, there), dials, kept)
    done, x, state, last_two, _, kept = jax.lax.while_loop(going, advance, carry)
    return done, x, state, last_two, kept


def _asked(connection: Connection) -> tuple[np.ndarray, int]:
    """Where the rig is, asked without moving it; and the sequence number of the last question."""
    welcome = connection.welcome
    slow = Settings(welcome.session, connection.hello.axes, welcome.count, ASK, QUESTIONS, key=connection.key)
    asking = PythonTick(slow, connection.datagrams)
    rest = np.zeros(connection.hello.axes)
    while not asking.counts().received:
        reading, _ = asking.step(State.READY, rest)
        if asking.code:
            why = (
                "is in its safe state"
                if asking.rig_state == State.SAFE
                else "does not answer; is UDP let through?"
            )
            raise LinkError(f"{connection.address}: the rig agreed to a session but {why}")
    return reading, asking.sequence


def _tick(connection: Connection, test: Test, real_time: RealTime, sequence: int) -> Any:
    """The tick of a session, native where it can be."""
    settings = Settings(
        session=connection.welcome.session,
        axes=connection.hello.axes,
        count=connection.welcome.count,
        tick=round(1e9 / test.rate),
        silence=test.limits.silence,
        overrun=test.limits.overrun,
        key=connection.key,
        wait=round(real_time.wait * 1e9),
        spin=round(real_time.spin * 1e9),
        fifo=real_time.priority,
        lock=real_time.lock,
        core=real_time.core,
        sequence=sequence,
    )
    wanted = real_time.native
    why_not = available() if wanted is not False else "not asked for"
    if wanted and why_not:
        raise LinkError(f"no native tick: {why_not}")
    return (PythonTick if why_not else NativeTick)(settings, connection.datagrams)


def _shaped(
    signals: tuple[tuple[str, int], ...], shape: tuple[int, ...]
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Signals of the interface have its shape; what else a rig shows is a number or a row of them."""
    size = int(np.prod(shape, dtype=int))
    interface = {"measured_displacement", "measured_force", "achieved_displacement", "specimen_force"}
    found = []
    for name, count in signals:
        if name in interface and count != size:
            raise LinkError(f"the rig shows {count} values of {name}; the test has {size} axes")
        found.append((name, shape if name in interface else (() if count == 1 else (count,))))
    return tuple(found)


def _attended(
    program: Callable[[], Any],
    tick: Any,
    operator: Operator,
    clock: Callable[[], float],
    dials: np.ndarray,
    progress: Callable[[float], None] | None,
) -> Any:
    """The program in a thread of its own, while this one carries the operator's wishes to the tick."""
    result: list[Any] = []
    failure: list[BaseException] = []
    finished = threading.Event()  # an interrupted `join` may leave a thread that looks dead and is not

    def work() -> None:
        try:
            result.append(program())
        except BaseException as error:  # handed on to the caller's thread
            failure.append(error)
        finally:
            finished.set()

    threading.Thread(target=work, name="dovetail-loop", daemon=True).start()
    while not finished.is_set():
        try:
            operator.attend(clock())
            dials[:] = list(operator.values.values())
            tick.hold, tick.stop = operator.held, operator.stopped
            finished.wait(LOOK)
            if progress:
                progress(clock())
        except KeyboardInterrupt:
            operator.stop("Ctrl-C")
    if failure:
        raise failure[0]
    return result[0]
