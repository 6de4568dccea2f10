"""Modes: the ways in which a test can be run.

A mode is an object. It makes a system and a clock of a test, and says which limits it cannot monitor and what it
needs. `run(test, mode)` is the one way to a `Run`. A package that depends on this one adds its modes by an entry point
of the group `dovetail.modes`.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, ClassVar

import equinox as eqx
import jax.numpy as jnp

from dovetail.core.advance import Progress, advance, run_samples
from dovetail.core.clock import Clock, LoopState, Simulated
from dovetail.core.errors import AnalysisError
from dovetail.core.keep import Rows
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.core.system import FlowSystem, Signals, System
from dovetail.testing.continuous import ReferenceSettings, continuous_system
from dovetail.testing.coupled import Coupled, reference_system, rigged_system
from dovetail.testing.hybrid_loop import Driven, HybridLoop
from dovetail.testing.limit_monitor import LimitChecks, LimitMonitor
from dovetail.testing.limits import default_frozen_ticks, rotary_axes, with_frozen_sensor_limit
from dovetail.testing.memory_estimate import chunk_length, require_memory
from dovetail.testing.outcome import Outcome
from dovetail.testing.recorder import Records
from dovetail.testing.rig import Rig
from dovetail.testing.run import Run, as_run

if TYPE_CHECKING:
    from dovetail.testing.record_store import RecordStore
    from dovetail.testing.test import Test

GROUP = "dovetail.modes"  # entry points of modes
BUILT_IN = (  # modes of this package, before and after those of other packages
    {
        "reference": "dovetail.testing.modes:Reference",
        "rehearse": "dovetail.testing.modes:Rehearse",
        "replay": "dovetail.testing.replay:Replay",
    },
    {
        "pseudodynamic": "dovetail.testing.pseudodynamic.run:PseudoDynamic",
        "simulate": "dovetail.testing.modes:Simulate",
    },
)
NO_RIG = "is a simulation without a rig"


class Mode(eqx.Module):
    """How a test is run. Fields are the options of one run."""

    name: ClassVar[str]  # in files, options and recordings
    about: ClassVar[str]  # one sentence
    title: ClassVar[str]  # subtitle of a report
    task: ClassVar[str] = "simulating"  # name of the work in a progress bar
    method: ClassVar[str]  # method of a test that runs it
    needs: ClassVar[tuple[str, ...]] = ()  # options of that method without which a test cannot be run
    takes: ClassVar[tuple[str, ...]] = ()  # its other options that a command line can give
    report: ClassVar[str] = "test"  # kind of its report: test, simulation or pseudodynamic
    not_monitored: ClassVar[Mapping[str, str]] = {}  # limits that it cannot monitor, with the reason
    has_rig: ClassVar[bool] = True
    is_reference: ClassVar[bool] = False  # whether it is the reference solution
    compares: ClassVar[bool] = True  # whether a reference solution is meaningful
    rig_responds: ClassVar[bool] = True  # whether the measurement depends on the command
    predicts: ClassVar[bool] = False  # whether the stability of the loop is computed before the run
    live: ClassVar[bool] = False  # whether it can be watched and operated while it runs
    resumable: ClassVar[bool] = False  # whether an ended run can be continued in its folder
    batched: ClassVar[bool] = False  # whether many tests can be computed as one batch, by `simulate`
    chunks: ClassVar[tuple[int, int]] = (1000, 40)  # samples of the shortest chunk; largest number of chunks

    def reason_against(self, test: Test) -> str:
        """Return why the test cannot be run in this mode, as a predicate; an empty string if it can."""
        return NO_RIG if test.rig is None else ""

    def forecast(self, test: Test) -> str:
        """Return a text about the run before it starts, such as its duration; may be empty."""
        return ""

    def default_frozen_ticks(self, test: Test) -> float:
        """Return the default of the frozen-sensor limit."""
        return default_frozen_ticks(test)

    def prepare(self, test: Test) -> Test:
        """Return the validated test with shapes, random keys and default limits.

        Raises
        ------
        TestFileError
            With all faults.
        """
        return with_frozen_sensor_limit(test.prepare(), self)

    @abstractmethod
    def system(self, test: Any) -> System:
        """Return the system of a prepared test in this mode."""

    def monitor(self, test: Any) -> LimitChecks:
        """Return the limit monitor of a prepared test."""
        return LimitMonitor(test.limits, rotary_axes(test), frozenset(self.not_monitored))

    def clock(self, test: Test) -> Clock:
        """Return the clock of a prepared test."""
        return Simulated(test.dt, test.tick_count)

    def record(self, test: Test, records: Records, progress: Progress | None = None) -> tuple[LoopState, int]:
        """Run a prepared test into `records`; return the final state and the code of the outcome."""
        size = chunk_length(test.tick_count, *self.chunks)
        return advance(
            self.system(test), self.clock(test), self.monitor(test), Rows(), records, size, progress
        )


class Rehearse(Mode):
    """Virtual hybrid test (vRTHS): the loop with a simulated rig."""

    name: ClassVar[str] = "rehearse"
    method: ClassVar[str] = "rehearse"
    batched: ClassVar[bool] = True
    takes: ClassVar[tuple[str, ...]] = ("progress", "keep", "store")
    about: ClassVar[str] = (
        "Virtual hybrid test: the loop with a simulated rig, sampled at the rate of the test."
    )
    title: ClassVar[str] = "Virtual hybrid test (simulated rig)"
    task: ClassVar[str] = "rehearsing"
    predicts: ClassVar[bool] = True

    def system(self, test: Any) -> System:
        return (
            continuous_system(test, rigged_system(test))
            if _is_continuous(test)
            else HybridLoop.from_test(test)
        )

    def monitor(self, test: Any) -> LimitChecks:
        monitor = super().monitor(test)
        return dataclasses.replace(monitor, force_is_held=False) if _is_continuous(test) else monitor


def _is_continuous(test: Any) -> bool:
    """Return whether the rehearsal of a test is in continuous time."""
    return bool(test.sampling == "none")


class Reference(Mode):
    """Reference solution: the specimen model coupled directly, in continuous time, without a rig."""

    name: ClassVar[str] = "reference"
    method: ClassVar[str] = "reference"
    batched: ClassVar[bool] = True
    takes: ClassVar[tuple[str, ...]] = ("progress", "keep")
    about: ClassVar[str] = (
        "Reference solution: the specimen model coupled directly, in continuous time, without a rig."
    )
    title: ClassVar[str] = "Reference solution"
    task: ClassVar[str] = "computing reference"
    is_reference: ClassVar[bool] = True
    not_monitored: ClassVar[Mapping[str, str]] = {
        "contact_energy_gain": "the reference solution has no held force"
    }
    compares: ClassVar[bool] = False

    settings: ReferenceSettings | None = None  # default: those of the numerical substructure

    def reason_against(self, test: Test) -> str:
        if test.rig is None or isinstance(test.rig, Rig):
            return super().reason_against(test)
        return "has a rig without a specimen model; give it a simulated rig, or compare two runs"

    def prepare(self, test: Any) -> Any:
        """Return the validated test; shapes of a rig do not matter."""
        return with_frozen_sensor_limit(test.validate(), self)

    def system(self, test: Any) -> FlowSystem:
        return continuous_system(test, self.coupled(test), self.settings)

    def coupled(self, test: Any) -> Coupled:
        """Return the coupled substructures."""
        return reference_system(test, test.rig.specimen)


class Simulate(Mode):
    """Simulation of a system without a rig."""

    name: ClassVar[str] = "simulate"
    method: ClassVar[str] = "simulate"
    batched: ClassVar[bool] = True
    takes: ClassVar[tuple[str, ...]] = ("progress", "store")
    about: ClassVar[str] = "Simulation of a system without a rig."
    title: ClassVar[str] = "Simulation without a rig"
    report: ClassVar[str] = "simulation"
    has_rig: ClassVar[bool] = False
    not_monitored: ClassVar[Mapping[str, str]] = {
        "growth_rate": "the motion of a simulation is not always about a rest position",
        "torque": "a simulation has no interface torque",
        **dict.fromkeys(
            ("tracking_error", "power", "interface_energy", "contact_energy_gain", "frozen_sensor"),
            "a simulation has no rig",
        ),
    }
    compares: ClassVar[bool] = False
    chunks: ClassVar[tuple[int, int]] = (100, 200)

    def reason_against(self, test: Test) -> str:
        return "" if test.rig is None else "is a hybrid test, not a simulation"

    def system(self, test: Any) -> System:
        driven = Driven(test.numerical, test.excitation)
        return FlowSystem(driven, with_stage_loop(test.method), test.substeps, held=jnp.zeros(()))

    def monitor(self, test: Any) -> LimitMonitor:
        return LimitMonitor(
            test.limits, rotary_axes(test), frozenset(self.not_monitored), has_interface=False
        )


@dataclasses.dataclass(frozen=True)
class ModeTable(Mapping[str, type[Mode]]):
    """Modes by name. The module of a mode is imported when the mode is used."""

    points: Mapping[str, EntryPoint]

    def __getitem__(self, name: str) -> type[Mode]:
        mode: type[Mode] = self.points[name].load()
        return mode

    def __contains__(self, name: object) -> bool:
        return name in self.points

    def __iter__(self) -> Iterator[str]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)


@cache
def all_modes() -> ModeTable:
    """Return all modes by name."""
    added = {point.name: point for point in entry_points(group=GROUP)}
    first, last = (
        {name: EntryPoint(name, place, GROUP) for name, place in part.items()} for part in BUILT_IN
    )
    return ModeTable({**first, **added, **last})


def mode_named(name: str | None) -> type[Mode]:
    """Return the mode of a recording; the base class, with its defaults, for the recording of another program."""
    return all_modes().get(name or "", Mode)


def run(
    test: Test,
    mode: Mode,
    progress: Progress | None = None,
    *,
    keep: bool = True,
    store: RecordStore | None = None,
) -> Run:
    """Run a test in a mode: until its end, a limit, a value that is not finite, or an interrupt.

    With `keep` an interrupt ends the run with the data recorded so far; otherwise it is raised. With a `store` of
    `begin_run` the records go to disk as they come.

    Raises
    ------
    AnalysisError
        If the test cannot be run in this mode.
    """
    if reason := mode.reason_against(test):
        raise AnalysisError(f"{mode.name}: the test {reason}")
    if store is None:
        require_memory(test, mode)
    prepared = mode.prepare(test)
    records, state = Records(test.record_every, store), None
    try:
        state, code = mode.record(prepared, records, progress)
        outcome = Outcome.from_code(code)
    except KeyboardInterrupt:
        if not (keep and records.is_begun):
            raise
        outcome = Outcome.INTERRUPTED
    trip = None
    if state is not None and outcome is not Outcome.FINISHED:
        time = records.tick * test.dt
        trip = mode.monitor(prepared).trip(outcome, time, records.last, state.monitor)
    return as_run(test, mode.name, records, outcome, trip)


def simulate(test: Test, mode: Mode | None = None) -> tuple[LoopState, Signals]:
    """Return final state and records of a prepared test, as a pure function for batches and derivatives.

    `eqx.filter_vmap(simulate)(tests)`, `eqx.filter_grad(...)`. The run is not cut where a limit is reached;
    `state.monitor` has the code and the sample of the first breach. A member of a batch equals its single run to
    rounding, about 2e-15 of its size, not to the bit.
    """
    mode = mode or (Simulate() if test.rig is None else Rehearse())
    if isinstance(mode, Rehearse) and _is_continuous(test):
        raise AnalysisError(
            'simulate: the test has sampling = "none" (continuous time), but a batch is sampled; '
            'set sampling = "rate", or rehearse the tests one by one'
        )
    return run_samples(mode.system(test), test.dt, test.tick_count, Rows(), mode.monitor(test))
