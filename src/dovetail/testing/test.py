"""Test: numerical substructure, compensator, rig, excitation and limits, with a method for each mode.

A hybrid test has a rig. A test without a rig is a simulation: it steps any flow under its excitation, for studies that
precede a hybrid test, such as a towed rope.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import equinox as eqx
import jax

from dovetail.compensation import Compensator, Feedback, MeasuredForce, NoCompensation
from dovetail.core import RK4, Flow, Method, Part, choice, constant, count
from dovetail.core.errors import AnalysisError, Fault, ParameterError, TestFileError
from dovetail.core.extensions import display
from dovetail.core.random import assign_keys, has_random
from dovetail.core.shapes import shapes
from dovetail.mechanics import Substructure
from dovetail.testing import hybrid_loop, modes, paths, test_checks
from dovetail.testing.acceptance import Accept
from dovetail.testing.excitation import Excitation, Zero
from dovetail.testing.limits import Limits
from dovetail.testing.operator import Tunable
from dovetail.testing.pseudodynamic.settings import PseudodynamicSettings
from dovetail.testing.rig import AbstractRig
from dovetail.testing.schedule import Profile

if TYPE_CHECKING:
    from dovetail.core.advance import Progress
    from dovetail.testing.assessment import Assessment
    from dovetail.testing.continuous import ReferenceSettings
    from dovetail.testing.record_store import RecordStore
    from dovetail.testing.run import Run

LOOP_FIELDS = ("compensator", "feedback", "schedule", "tunable", "pseudodynamic", "sampling")  # need a rig


class Test(Part):
    """Test with all its parameters: a hybrid test, or a simulation if it has no rig.

    A test is a pytree: `eqx.tree_at` returns a variant, `eqx.filter_vmap(simulate)` runs a batch.

    Attributes
    ----------
    numerical
        The simulated substructure; in a simulation any flow. Optional methods in a simulation:
        `faults(method, step)` and `time_faults(duration)` return lists of `Fault`; `adapt(x)` returns a changed flow
        and its state between two chunks of a run.
    rig
        Transfer system, specimen and sensors; None in a simulation.
    compensator
        Outer loop that turns the demand into a command.
    feedback
        Computes the force that is fed back from the measurement: measured, blended with a model, or extrapolated.
    schedule
        Parameters that change during the run, by parameter path.
    tunable
        Parameters that the operator may change during the run, by parameter path, each with its range.
    pseudodynamic
        Settings of the pseudo-dynamic test: step sizes, contact gate, move times; default: one move per tick.
    sampling
        `rate`: `rehearse` samples the rig at the rate of the test. `none`: the rig is simulated in continuous time.
    excitation
        Excitation of the numerical substructure.
    limits
        Limits that stop the run. A simulation has limits on `displacement`, `velocity`, `acceleration` (of its output)
        and `force` (its `tension`) only.
    accept
        Acceptance criteria for the report; they do not affect the run.
    record_every
        Ticks from one record to the next; all ticks are computed and monitored (`dovetail.testing.recorder`).
    """

    __test__ = False  # not a pytest class

    numerical: Flow
    rig: AbstractRig | None = None
    compensator: Compensator = NoCompensation()
    feedback: Feedback = MeasuredForce()
    schedule: dict[str, Profile] = eqx.field(default_factory=dict)
    tunable: dict[str, Tunable] = eqx.field(default_factory=dict)
    pseudodynamic: PseudodynamicSettings | None = None
    sampling: str = choice("rate", "none", about="sampling of the rig in a rehearsal", default="rate")
    _: dataclasses.KW_ONLY
    excitation: Excitation = Zero()
    limits: Limits = Limits()
    accept: Accept | None = None
    method: Method = RK4()
    rate: float = constant("Hz", "ticks per second", default=1000.0, above=0.0)
    duration: float = constant("s", "duration of the test", default=10.0, above=0.0)
    substeps: int = count("integration steps in a tick", default=1, at_least=1)
    record_every: int = count("ticks from one record to the next", default=1, at_least=1)
    seed: int = count("seed of all random numbers of the run", default=0)
    title: str = eqx.field(default="", static=True)
    axes: tuple[str, ...] = eqx.field(default=(), static=True)  # names, if there are several
    source: str = eqx.field(default="", static=True)  # of the parameter values

    @property
    def dt(self) -> float:
        """Duration of a tick [s]."""
        return 1.0 / self.rate

    @property
    def tick_count(self) -> int:
        """Number of ticks."""
        return round(self.duration * self.rate)

    @property
    def record_count(self) -> int:
        """Number of records after the first."""
        return self.tick_count // self.record_every

    @property
    def rotary_axes(self) -> tuple[bool, ...]:
        """For each axis of the interface, whether it is rotary; empty if the substructure does not define it."""
        return tuple(self.numerical.rotary_axes) if isinstance(self.numerical, Substructure) else ()

    @property
    def excitation_unit(self) -> str | None:
        """Unit of the excitation, if the substructure defines it."""
        return self.numerical.excitation_unit if isinstance(self.numerical, Substructure) else None

    @property
    def unused_fields(self) -> tuple[str, ...]:
        """Names of the fields that have no effect: in a simulation those of the hybrid loop."""
        return LOOP_FIELDS if self.rig is None else ()

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the interface signals: () for one axis, (n,) for n; of a simulation by its axes."""
        if self.rig is None:
            return (len(self.axes),) if self.axes else ()
        first = shapes(_initial_output, hybrid_loop.Driven(self.numerical, self.excitation))
        return tuple(first["displacement"].shape)

    def require_rig(self) -> AbstractRig:
        """Return the rig; raise `AnalysisError` if this is a simulation."""
        if self.rig is None:
            raise AnalysisError(f"{self.title or 'untitled test'}: {modes.NO_RIG}")
        return self.rig

    @property
    def default_mode(self) -> str:
        """Mode used if none is given."""
        return modes.Simulate.name if self.rig is None else modes.Rehearse.name

    def modes(self) -> dict[str, str]:
        """Return for each mode why it cannot be used; an empty string if it can."""
        return {name: self.mode_faults(name) for name in modes.all_modes()}

    def mode_faults(self, mode: str) -> str:
        """Return why a mode cannot be used, as a predicate; an empty string if it can."""
        return modes.all_modes()[mode]().reason_against(self)

    def has_reference(self, mode: str) -> bool:
        """Return whether a run in this mode can be compared with a reference solution."""
        return modes.mode_named(mode).compares

    def simulate(self, progress: Progress | None = None, *, store: RecordStore | None = None) -> Run:
        """Run the simulation to its end, a limit or an interrupt; with a `store` its records go to disk at once."""
        return modes.run(self, modes.Simulate(), progress, store=store)

    def reference(
        self,
        settings: ReferenceSettings | None = None,
        progress: Progress | None = None,
        *,
        keep: bool = False,
    ) -> Run:
        """Compute the reference solution: the specimen model coupled directly, in continuous time, without a rig.

        On an interrupt, `keep=True` returns the run up to that time; otherwise the interrupt is raised.
        """
        return modes.run(self, modes.Reference(settings), progress, keep=keep)

    def rehearse(
        self, progress: Progress | None = None, *, keep: bool = True, store: RecordStore | None = None
    ) -> Run:
        """Run the virtual hybrid test (vRTHS): the loop with a simulated rig, sampled at the rate of the test.

        `keep` is that of `reference`. With a `store` (`testing.begin_run`) the records go to disk as they come.
        """
        return modes.run(self, modes.Rehearse(), progress, keep=keep, store=store)

    def run_realtime(self, address: str, **options: Any) -> Run:
        """Run the test in real time with the rig at an address; see `dovetail.links.real_time`."""
        return self._run_test("realtime", address, **options)

    def run_pseudodynamic(self, cell: Any = None, **options: Any) -> Run:
        """Run the pseudo-dynamic test, with a robot cell or with the simulated rig.

        See `dovetail.testing.pseudodynamic.run`.
        """
        return self._run_test("pseudodynamic", cell, **options)

    def _run_test(self, mode: str, target: Any, **options: Any) -> Run:
        """Run the test in a mode that has a loop on the host, with a rig or a cell."""
        self.require_rig()
        with_loop: Any = modes.all_modes()[mode]
        run: Run = with_loop.run_test(self, target, **options)
        return run

    def replay(self, recording: Any) -> Run:
        """Run the test with recorded measurements in place of the rig."""
        return modes.run(self, modes.all_modes()["replay"](recording))

    def stability(self, progress: Progress | None = None, *, quick: bool = False) -> Assessment:
        """Return the assessment, computed once: delay margin and its analysis; with `quick` nothing is rehearsed."""
        from dovetail.testing.assessment import assess

        self.require_rig()
        if quick not in self._assessments:
            self._assessments[quick] = assess(self, progress, quick=quick)
        return self._assessments[quick]

    @cached_property
    def _assessments(self) -> dict[bool, Assessment]:
        return {}

    def faults(self) -> list[Fault]:
        """Return the faults of the test as a whole, beyond the checks of each part; computed once."""
        return list(self._faults)

    @cached_property
    def _faults(self) -> tuple[Fault, ...]:
        # the initial state may depend on random numbers, for example a deck in waves
        drawn = assign_keys(self, _key(self.seed)) if has_random(self.numerical) else self
        return tuple(test_checks.faults(drawn))

    def validate(self) -> Self:
        """Return the test itself if it has no faults; raise `TestFileError` with all faults."""
        if faults := self.faults():
            raise TestFileError(self.title or "test", faults)
        return self

    def with_shapes(self, shape: tuple[int, ...] | None = None, seed: Any = None) -> Self:
        """Return the test with shapes and random keys, as the loop needs it; a batch passes both."""
        if self.rig is None:
            shape = ()  # there is no interface
        sampled = self.with_sample_time(self.dt, self.shape if shape is None else shape)
        if not has_random(sampled):
            return sampled
        return assign_keys(sampled, _key(self.seed if seed is None else seed))

    def prepare(self) -> Self:
        """Return the validated test with shapes; raise `TestFileError` with all faults."""
        return self.validate().with_shapes()

    def with_values(self, **values: Any) -> Self:
        """Return a variant with other values at paths: `test.with_values(**{"rig.actuator.delay": 9e-3})`."""
        variant = self
        for path, value in values.items():
            if isinstance(paths.get(variant, path), jax.Array):
                variant = paths.replace_all(variant, {path: value})
            elif "." in path:
                raise ParameterError(f'"{path}" is not a numeric parameter; replace the part instead')
            else:
                variant = dataclasses.replace(variant, **{path: value})
        return variant

    def _repr_html_(self) -> str:
        return str(display("test", self))


def _initial_output(driven: hybrid_loop.Driven) -> Any:
    """Return the initial output of the numerical substructure."""
    return driven.output(0.0, driven.init(), jax.numpy.zeros(()))


_key = jax.jit(jax.random.key)  # compiled once for all seeds
