"""Real-time mode: the test on the wall clock, with a rig at the other end of a link.

The whole run is one compiled program: approach of the rig to its initial position, test, return to rest. It calls out
once per tick (`RemoteRig`). The thread of the program does nothing else; the thread of the caller serves the operator.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.advance import ALL_SAMPLES, Progress, advance_samples, begin, row_shapes
from dovetail.core.clock import LoopState, WallClock
from dovetail.core.errors import LinkError
from dovetail.core.monitor import MonitorState, NoMonitor
from dovetail.core.shapes import shapes
from dovetail.core.system import Signals, System
from dovetail.links import remote_rig
from dovetail.links.address import Address
from dovetail.links.connection import RigConnection, connect
from dovetail.links.handshake import Hello
from dovetail.links.native import NativeTick, available
from dovetail.links.operated_loop import OperatedLoop
from dovetail.links.recording import as_run
from dovetail.links.remote_rig import RemoteRig, RequestedValues, RingKeep
from dovetail.links.rig_paths import minimum_jerk, path_forecast, path_to_rest
from dovetail.links.rig_protocol import RigState
from dovetail.links.ring import Ring
from dovetail.links.ring_recorder import RingRecorder, ring_rows
from dovetail.links.tick import PythonTick, TickSettings
from dovetail.testing.hybrid_loop import HybridLoop
from dovetail.testing.limit_monitor import LimitMonitor
from dovetail.testing.limits import rotary_axes
from dovetail.testing.memory_estimate import require_memory
from dovetail.testing.modes import Mode
from dovetail.testing.operator import Operator
from dovetail.testing.outcome import Outcome
from dovetail.testing.path_loop import PathLoop, PathState
from dovetail.testing.record_store import RecordStore
from dovetail.testing.recorder import Records
from dovetail.testing.run import Run
from dovetail.testing.test import Test

OPERATOR_INTERVAL = 0.05  # [s] between two updates of the operator
FIRST_TICK, FIRST_TICKS = 50_000_000, 40  # [ns] between the first exchanges with the rig, and their number
PATH_SIGNALS = (
    "displacement",
    "velocity",
    "acceleration",
    "command",
)  # recorded on a path, with the measurement
_OPEN = "the loop is open in this phase"


@dataclasses.dataclass(frozen=True)
class RealTimeSettings:
    """Timing of the loop on this machine.

    `native` None uses the native tick if it can be built; False uses the tick in Python. Real-time priority, locked
    memory and a core are requested and, if the system refuses, reported.
    """

    native: bool | None = None
    priority: int = 50  # under SCHED_FIFO; 0 does not change the scheduling
    lock: bool = True
    core: int = -1  # -1: chosen by the system
    spin: float = 60e-6  # [s] before the deadline that are spun, not slept
    wait: float = 0.0  # [s] longest wait for an answer; 0: 70 % of the tick
    grace: float = 0.0  # [s] accepted lateness of a command; 0: half a tick


class RealTime(Mode):
    """Real-time test: the loop on the wall clock, with a real or served rig."""

    name: ClassVar[str] = "realtime"
    about: ClassVar[str] = "Real-time test: the loop on the wall clock, with a real or served rig."
    title: ClassVar[str] = "Real-time test"
    task: ClassVar[str] = "running"
    method: ClassVar[str] = "run_realtime"
    needs: ClassVar[tuple[str, ...]] = ("address",)
    takes: ClassVar[tuple[str, ...]] = ("key", "progress", "operator", "window", "store")
    live: ClassVar[bool] = True

    def system(self, test: Any) -> System:
        return HybridLoop.from_test(test)

    def forecast(self, test: Test) -> str:
        """Return the largest motion of approach and return that the limits permit."""
        return path_forecast(test.limits, math.prod(test.shape))

    @staticmethod
    def run_test(test: Test, address: str, **options: Any) -> Run:
        """Run a test; `options` are those of `run_realtime`."""
        return run_realtime(test, address, **options)


class ApproachAndReturn:
    """The two phases of a real-time test in which the rig follows a path."""

    name: ClassVar[str] = "approach and rest"
    not_monitored: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("growth_rate", "interface_energy", "contact_energy_gain"), _OPEN
    )

    @classmethod
    def monitor(cls, test: Any) -> LimitMonitor:
        """Return the limit monitor of both phases of a prepared test."""
        return LimitMonitor(test.limits, rotary_axes(test), frozenset(cls.not_monitored))


def run_realtime(
    test: Test,
    address: str,
    *,
    key: bytes | None = None,
    real_time: RealTimeSettings | None = None,
    operator: Operator | None = None,
    progress: Progress | None = None,
    window: str | Path | None = None,
    store: RecordStore | None = None,
) -> Run:
    """Run the test in real time with the rig at `address` (udp://HOST:PORT).

    The newest records can be read from the file `window` during the run (`dovetail.links.ring`). With a `store`
    (`testing.begin_run`) the records go to disk as they come, and remain if this process ends before it returns.

    Ctrl-C and SIGTERM are the stop of the operator. A run always returns its recording; the attributes of the dataset
    describe link and timing, and `Run.return_recording` the samples around a stop.

    Raises
    ------
    LinkError
        If no session can be opened. Nothing has moved then.
    """
    mode = RealTime()
    if store is None:
        require_memory(test, mode)
    prepared: Any = mode.prepare(test)
    operator = operator or Operator()
    operator.register_tunables(test)
    requested = np.array(list(operator.values.values()))
    with connect(Address.parse(address), _hello(test), key) as connection:
        reading, sequence = _first_reading(connection)
        tick = _tick(connection, test, real_time or RealTimeSettings(), sequence)
        native = isinstance(tick, NativeTick)
        handles: list[int] = []

        def handle_of(target: Any, address: int) -> jax.Array:
            handles.append(address if native else remote_rig.register(target))
            return jnp.asarray(handles[-1], dtype=int)

        rig = RemoteRig(
            handle=handle_of(tick, tick.handle if native else 0),
            first=jnp.asarray(reading),
            signals=_interface_signals(connection.welcome.signals, test.shape),
            native=native,
        )
        requests = RequestedValues(handle_of(requested, requested.ctypes.data), len(requested), native)
        arguments, rings = _program_arguments(
            dataclasses.replace(prepared, rig=rig), requests, handle_of, window, store is not None
        )
        program = _program.lower(*arguments).compile()  # before anything moves
        step = test.record_every * test.dt
        recorder = RingRecorder(rings[0], Records(store=store), operator.stop)
        try:
            with recorder:
                result = _run_with_operator(
                    lambda: jax.block_until_ready(program(*arguments)),
                    tick,
                    operator,
                    lambda: rings[0].row_count * step,
                    requested,
                    progress and (lambda t: progress(min(t / test.duration, 1.0), f"{t:.3g} s in real time")),
                )
        finally:
            for handle in handles:
                remote_rig.unregister(handle)
    run = as_run(test, address, result, arguments[1:3], recorder, rings[1:], tick, connection)
    recording = run.recording.with_attrs(operator_events=operator.events_json())
    return dataclasses.replace(run, recording=recording)


def _program_arguments(
    test: Any,
    requests: RequestedValues,
    handle_of: Callable[[Any, int], jax.Array],
    window: str | Path | None = None,
    is_stored: bool = False,
) -> tuple[tuple[Any, ...], list[Ring]]:
    """Return the arguments of the compiled program, and the rings of test, approach and return.

    `test` is prepared and has the remote rig; `handle_of` returns the handle of an object from its native address.
    """
    rig, limits = test.rig, test.limits
    system = OperatedLoop(HybridLoop.from_test(test), test.tunable, requests)
    monitor, path_monitor = RealTime().monitor(test), ApproachAndReturn.monitor(test)
    counts = [max(round(float(t) * test.rate), 1) for t in (limits.approach_time, limits.return_time)]
    recorded = shapes(row_shapes, system, monitor)
    on_path = {*PATH_SIGNALS, *shapes(_first_reading_of, rig)}
    followed = {name: recorded[name] for name in recorded if name in on_path}
    width = sum(math.prod(each.shape) for each in recorded.values())
    rows = ring_rows(test.record_count, width, is_stored)
    rings = [
        Ring(_sizes(recorded), rows, test.record_every * test.dt, window),
        *(Ring(_sizes(followed), count, test.dt) for count in counts),
    ]
    axes = math.prod(recorded["displacement"].shape)
    keeps = [
        RingKeep(
            handle_of(ring, ring.handle if rig.native else 0),
            tuple(ring.signals),
            rig.native,
            every,
            ring.width,
            axes,
        )
        for ring, every in zip(rings, (test.record_every, 1, 1), strict=True)
    ]
    samples = jnp.asarray([test.tick_count, *counts])
    return (system, monitor, path_monitor, keeps, samples, test.dt), rings


def _first_reading_of(rig: RemoteRig) -> Signals:
    return rig.first_reading(rig.init())


def _sizes(signals: Signals) -> dict[str, tuple[int, ...]]:
    return {name: signals[name].shape for name in sorted(signals)}


def _phases(
    system: OperatedLoop,
    monitor: LimitMonitor,
    path_monitor: LimitMonitor,
    keeps: list[RingKeep],
    samples: jax.Array,
    dt: float,
) -> dict[str, Any]:
    """Approach, test, return: the whole run as one function.

    Records leave it by calls: no buffer in it is larger than the state of the loop, so nothing is cleared or copied
    between two ticks.
    """
    rig: Any = system.loop.rig
    start = system.loop.start()[1]["displacement"]
    reading = rig.first_reading(rig.init())
    here = reading["measured_displacement"]
    time = samples * dt

    def approach_path(t: Any) -> jax.Array:
        return here + minimum_jerk(t / time[1]) * (start - here)

    initial = PathState(rig.init(), here, here, reading)
    approach = _follow(PathLoop(rig, approach_path, initial), path_monitor, keeps[1], samples[1], dt)
    measured = jnp.concatenate([jnp.ravel(approach.x.reading[name]) for name, _ in rig.signals])
    system = eqx.tree_at(lambda s: s.loop.rig.first, system, measured)
    now, first = begin(system, monitor, keeps[0])
    failed = approach.monitor.code
    now = eqx.tree_at(
        lambda n: (n.x.loop.rig, n.monitor.code),
        now,
        (approach.x.rig, jnp.where(failed > 0, failed, now.monitor.code)),
    )
    now, _, _ = advance_samples(system, WallClock(dt, samples[0]), monitor, keeps[0], now, ALL_SAMPLES)

    last, before = now.x.commands
    path = path_to_rest(
        last, (last - before) / dt, jnp.zeros_like(last), time[2]
    )  # rest of the rig: as its safe state
    back = PathLoop(rig, path, PathState(now.x.loop.rig, last, before, approach.x.reading))
    returned = _follow(back, path_monitor, keeps[2], samples[2], dt)
    # after a breach the recording continues to the end of the return
    rest = LoopState(returned.k, returned.t, returned.x, _no_breach(), returned.kept)
    ended, _, _ = advance_samples(back, WallClock(dt, samples[2]), NoMonitor(), keeps[2], rest, ALL_SAMPLES)
    return {
        "first": first,
        "test": now,
        "approach": approach.monitor,
        "approach_samples": approach.k,
        "return": returned.monitor,
        "last_call": rig.release(ended.x.rig),
    }


def _follow(
    loop: PathLoop, monitor: LimitMonitor, keep: RingKeep, samples: jax.Array, dt: float
) -> LoopState:
    """Follow a path until its end or a limit; return the final state."""
    shown = loop.start()[1]
    state = monitor.empty_state(jnp.shape(shown["displacement"]))
    now = LoopState(jnp.zeros((), int), jnp.zeros(()), loop.initial, state, keep.start(shown))
    return advance_samples(loop, WallClock(dt, samples), monitor, keep, now, ALL_SAMPLES)[0]


def _no_breach() -> MonitorState:
    none = jnp.zeros((), dtype=int)
    return MonitorState(none, none)


_program: Any = eqx.filter_jit(_phases)


def _hello(test: Test) -> Hello:
    return Hello(
        axes=int(np.prod(test.shape, dtype=int)),
        rate=test.rate,
        link_timeout=test.limits.link_timeout,
        limits=test.limits.rig_limits(rotary_axes(test)),
    )


def _first_reading(connection: RigConnection) -> tuple[np.ndarray, int]:
    """Where the rig is, asked without moving it; and the sequence number of the last question."""
    welcome = connection.welcome
    slow = TickSettings(
        welcome.session, connection.hello.axes, welcome.count, FIRST_TICK, FIRST_TICKS, key=connection.key
    )
    asking = PythonTick(slow, connection.datagrams)
    rest = np.zeros(connection.hello.axes)
    while not asking.counts().received:
        reading, _ = asking.step(RigState.READY, rest)
        if asking.code:
            why = (
                "is in its safe state"
                if asking.rig_state == RigState.SAFE
                else "does not answer; is UDP let through?"
            )
            raise LinkError(f"{connection.address}: the rig agreed to a session but {why}")
    return reading, asking.sequence


def _tick(connection: RigConnection, test: Test, real_time: RealTimeSettings, sequence: int) -> Any:
    """The tick of a session, native where it can be."""
    limits = test.limits
    settings = TickSettings(
        session=connection.welcome.session,
        axes=connection.hello.axes,
        count=connection.welcome.count,
        tick=round(1e9 / test.rate),
        link_timeout=connection.link_timeout,
        overrun=limits.overrun,
        unanswered_fraction=float(limits.unanswered_fraction),
        velocity=np.ravel(limits.velocity),
        acceleration=np.ravel(limits.acceleration),
        key=connection.key,
        wait=round(real_time.wait * 1e9),
        grace=round(real_time.grace * 1e9),
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


def _interface_signals(
    signals: tuple[tuple[str, int], ...], shape: tuple[int, ...]
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return the shape of each signal of a rig: that of the interface, a number, or a row."""
    size = int(np.prod(shape, dtype=int))
    interface = {"measured_displacement", "measured_force", "achieved_displacement", "specimen_force"}
    layout = []
    for name, count in signals:
        if name in interface and count != size:
            raise LinkError(f"the rig shows {count} values of {name}; the test has {size} axes")
        layout.append((name, shape if name in interface else (() if count == 1 else (count,))))
    return tuple(layout)


@contextlib.contextmanager
def _stop_signals() -> Iterator[list[str]]:
    """Collect the signals that stop a run, if this is the main thread: Ctrl-C and SIGTERM, by name."""
    received: list[str] = []
    names: dict[int, str] = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM"}
    is_main = threading.current_thread() is threading.main_thread()
    numbers = [number for number in names if is_main and signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, lambda n, _: received.append(names[n])) for number in numbers}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)


def _run_with_operator(
    program: Callable[[], Any],
    tick: Any,
    operator: Operator,
    clock: Callable[[], float],
    requested: np.ndarray,
    progress: Callable[[float], None] | None,
) -> Any:
    """Run the program in a separate thread, while this one passes operator requests to the tick."""
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

    def pass_requests() -> None:
        operator.update(clock())
        requested[:] = list(operator.values.values())
        tick.hold, tick.stop = operator.held, operator.stopped
        if tick.code > 0:
            operator.show_outcome(Outcome.from_code(tick.code))

    pass_requests()  # a stop before the first tick moves nothing
    threading.Thread(target=work, name="dovetail-loop", daemon=True).start()
    with _stop_signals() as received:
        while not finished.wait(OPERATOR_INTERVAL):
            try:
                if received and not operator.stopped:
                    operator.stop(received[0])
                pass_requests()
                if progress:
                    progress(clock())
            except BaseException as error:  # handed on when the rig has been led to rest
                failure.append(error)
                tick.stop = True
    if failure:
        raise failure[0]
    return result[0]
