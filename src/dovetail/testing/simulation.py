"""A simulation without a rig: a system, how it is integrated, what may not be exceeded.

Not everything that precedes a hybrid test has an interface yet. A rope that is towed, settles and is steered is
simulated as a whole, from a file of the same form, with the same run folder. Such a file says
`kind = "simulation"` and has a `system`, any flow that test files can name.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail import air as _air  # noqa: F401  (registers its kinds)
from dovetail import sea as _sea  # noqa: F401  (registers its kinds)
from dovetail.core import RK4, Flow, Method, Part, constant, count
from dovetail.core.errors import Fault, ParameterError, TestFileError, guarded
from dovetail.core.methods.rolled import rolled
from dovetail.core.randomness import seeded
from dovetail.testing import path as paths
from dovetail.testing import supervisor
from dovetail.testing.excitation import Excitation, Rest
from dovetail.testing.loop import Driven
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.room import require_room
from dovetail.testing.run import Progress, Run, dataset
from dovetail.testing.sharing import piece_length, shared
from dovetail.testing.supervisor import Limits, Watch
from dovetail.testing.whole import axis_faults, length_faults

PIECES = 200
FORCE = "tension"  # what the limit of the force is on, where there is no interface


class Simulation(Part):
    """A system that is simulated as a whole.

    Attributes
    ----------
    system
        The flow. It may say what is wrong with itself: `faults(method, step)` and `time_faults(duration)` give
        lists of `Fault`. It may change between pieces of a run: `adapted(x)` gives the flow and its state from there.
    excitation
        What drives it, where it takes an excitation; no interface force acts.
    limits
        `displacement`, `velocity`, `acceleration` (of its output) and `force` (its `tension`); a run ends where one
        is met. Others are refused: there is no rig, and no interface.
    rate, substeps
        Records per second [Hz]; integration steps between two records.
    axes
        Names of the axes of its vectors.
    """

    system: Flow
    excitation: Excitation = Rest()
    limits: Limits = Limits()
    method: Method = RK4()
    rate: float = constant("Hz", "records per second", default=100.0, above=0.0)
    duration: float = constant("s", "length of the simulation", default=10.0, above=0.0)
    substeps: int = count("integration steps between two records", default=1, at_least=1)
    seed: int = count("from which every random number of the run follows", default=0)
    title: str = eqx.field(default="", static=True)
    axes: tuple[str, ...] = eqx.field(default=("x", "y", "z"), static=True)
    source: str = eqx.field(default="", static=True)

    def _repr_html_(self) -> str:
        from dovetail.report.notebook import test_html

        return test_html(self)

    @property
    def dt(self) -> float:
        """Time between two records [s]."""
        return 1.0 / self.rate

    @property
    def tick_count(self) -> int:
        """Number of records after the first."""
        return round(self.duration * self.rate)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of vectors in the recording."""
        return (len(self.axes),) if self.axes else ()

    @property
    def numerical(self) -> Flow:
        """The system, as what a run's dataset asks for."""
        return self.system

    def faults(self) -> list[Fault]:
        """All that is wrong with it as a whole, beyond what each part checks for itself."""
        faults = length_faults(self.duration, self.rate, "record") + axis_faults(self.axes, self.shape)
        faults += supervisor.faults(self.limits, self.axes, (), len(self.axes), "simulation")
        ask = getattr(self.system, "faults", None)
        until = getattr(self.system, "time_faults", None)  # what is prescribed and ends too soon
        faults += guarded("system", lambda: ask(self.method, self.dt / self.substeps)) if ask else []
        return faults + (guarded("system", lambda: until(self.duration)) if until else [])

    def prepared(self) -> Simulation:
        """This simulation checked and with its random keys drawn. Raises `TestFileError` with all faults."""
        faults = self.faults()
        if faults:
            raise TestFileError(self.title or "simulation", faults)
        return seeded(self.sampled_at(self.dt), jax.random.key(self.seed))

    def with_values(self, **values: Any) -> Simulation:
        """A variant with other values at dotted paths."""
        changed = self
        for path, value in values.items():
            old = paths.get(changed, path)
            if isinstance(old, jax.Array):
                changed = paths.spread(changed, path, value)
            elif "." in path:
                raise ParameterError(f'"{path}" is no numeric parameter; build the part anew instead')
            else:
                changed = dataclasses.replace(changed, **{path: value})
        return changed

    def simulate(self, progress: Progress | None = None) -> Run:
        """Run it. What was computed until a limit, a number that is not finite, or an interrupt is kept."""
        require_room(self)
        prepared = self.prepared()
        records, outcome = _in_pieces(prepared, progress)
        times = np.arange(len(next(iter(records.values())))) * self.dt
        data = dataset(self, times, records, {"mode": "simulate", "title": self.title, "seed": self.seed})
        return Run(self, "simulate", data, outcome, _trip(self, data, outcome))


def driven(simulation: Simulation) -> Driven:
    """The system with its excitation attached; its input is an interface force that is zero."""
    return Driven(simulation.system, simulation.excitation)


def advance(
    simulation: Simulation, state: Any, first: jax.Array, number: int
) -> tuple[Any, dict[str, jax.Array]]:
    """`number` records from record `first` on: the state after, and the records. Pure, for batches too.

    The run is not cut where a limit was met: the last part of the state is what the supervisor saw.
    """
    flow, dt, steps = driven(simulation), simulation.dt, simulation.substeps
    h = dt / steps
    force, method = jnp.zeros(()), rolled(simulation.method)

    def one(carry, k):
        *carry, seen = carry

        def sub(carry, i):
            return method.advance(flow, k * dt + i * h, h, carry[0], force, carry[1]), None

        if steps == 1:
            carry, _ = sub(tuple(carry), 0)
        else:
            carry, _ = jax.lax.scan(sub, tuple(carry), jnp.arange(steps))
        shown = flow.output((k + 1) * dt, carry[0], force)
        return (*carry, _judged(simulation, (k + 1) * dt, dt, seen, shown)), shown

    return jax.lax.scan(one, state, first + jnp.arange(number))


def start(simulation: Simulation) -> tuple[Any, dict[str, jax.Array]]:
    """State at the start, and the first record."""
    flow = driven(simulation)
    x = flow.init()
    shown = flow.output(0.0, x, jnp.zeros(()))
    seen = _judged(simulation, 0.0, 0.0, Watch.of(simulation, "simulation").blank(), shown)
    return (x, simulation.method.init(flow, x), seen), shown


def _judged(simulation: Simulation, t, dt, seen, shown) -> dict[str, Any]:
    """What the supervisor has seen after a record: all of it is to be finite, some of it has limits."""
    watch = Watch.of(simulation, "simulation")
    still = {"displacement": jnp.zeros(())}  # of a system that shows none
    seen = watch.demand(t, dt, seen, {**still, **shown})
    return watch.reading(dt, seen, shown, {"measured_force": shown[FORCE]}) if FORCE in shown else seen


_start = eqx.filter_jit(start)
_advance = eqx.filter_jit(advance)


def _in_pieces(prepared: Simulation, progress: Progress | None) -> tuple[dict[str, np.ndarray], Outcome]:
    total = prepared.tick_count
    size, program = piece_length(total, 100, PIECES), shared(prepared)
    pieces: list[dict[str, np.ndarray]] = []
    outcome, kept = Outcome.FINISHED, 0
    try:
        state, first = _start(program)
        _refuse_unseen(prepared, first)
        while kept < total:
            state, piece = _advance(program, state, np.asarray(kept), size)
            pieces.append({name: np.asarray(values) for name, values in piece.items()})
            code, tick = int(state[-1]["code"]), int(state[-1]["tick"])
            if code and tick <= total:
                kept, outcome = tick, Outcome.from_code(code)
                break
            kept += size
            if (adapted := _adapted(prepared, state)) is not None:
                prepared, state = adapted
                program = shared(prepared)
            if progress:
                progress(min(kept / total, 1.0), f"{min(kept, total) * prepared.dt:.3g} s simulated")
    except KeyboardInterrupt:
        if not pieces:
            raise
        outcome = Outcome.INTERRUPTED
    whole = {
        name: np.concatenate([np.asarray(first[name])[None], *(p[name] for p in pieces)])
        for name in pieces[0]
    }
    return {name: values[: min(kept, total) + 1] for name, values in whole.items()}, outcome


def _adapted(simulation: Simulation, state: Any) -> tuple[Simulation, Any] | None:
    """Simulation and state from here on, where the system wants to change, as with its elements; else None."""
    ask = getattr(simulation.system, "adapted", None)
    system, x = ask(state[0]) if ask else (simulation.system, state[0])
    if system is simulation.system:
        return None
    simulation = dataclasses.replace(simulation, system=system)
    return simulation, (x, simulation.method.init(driven(simulation), x), state[-1])


def _refuse_unseen(simulation: Simulation, shown: dict[str, Any]) -> None:
    """Raise `TestFileError` for limits on what the system does not show."""
    signal = {
        "displacement": "displacement",
        "velocity": "velocity",
        "acceleration": "acceleration",
        "force": FORCE,
    }
    unseen = [
        Fault(f"limits.{name}", f"cannot be watched: the system shows no {of}; leave it out")
        for name, of in signal.items()
        if of not in shown and np.any(np.isfinite(getattr(simulation.limits, name)))
    ]
    if unseen:
        raise TestFileError(simulation.title or "simulation", unseen)


def _trip(simulation: Simulation, data: Any, outcome: Outcome) -> Trip | None:
    """What the last record of a stopped run met, in numbers."""
    last = {name: np.asarray(data[name])[-1] for name in data}
    last |= {"measured_force": last[FORCE]} if FORCE in last else {}
    trip = Watch.of(simulation, "simulation").trip(outcome, float(data.time[-1]), last)
    return dataclasses.replace(trip, signal=FORCE) if trip and outcome is Outcome.FORCE else trip
