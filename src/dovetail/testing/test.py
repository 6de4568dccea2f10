"""The test: numerical substructure, compensator, rig, excitation, limits; and the ways to run it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import equinox as eqx
import jax
import numpy as np

from dovetail.compensation import Compensator, Feedback, MeasuredForce, NoCompensation
from dovetail.core import Part, choice
from dovetail.core import precomputed_inputs as in_advance
from dovetail.core.errors import DovetailError, Fault, answered, guarded
from dovetail.core.shapes import shapes
from dovetail.mechanics import Substructure
from dovetail.testing import coupled, hybrid_loop, limit_monitor, paths, user_part_checks
from dovetail.testing import operator as operators
from dovetail.testing import schedule as schedules
from dovetail.testing.pseudodynamic.settings import Stepping
from dovetail.testing.rig import AbstractRig, Rig
from dovetail.testing.runnable import Runnable
from dovetail.testing.step_checks import step_faults
from dovetail.testing.tick_grid import axis_faults

if TYPE_CHECKING:
    from dovetail.testing.assessment import Stability
    from dovetail.testing.continuous import Accuracy
    from dovetail.testing.run import Progress, Run


class Test(Runnable):
    """A hybrid test, and the parameters of everything in it.

    It is a pytree: `eqx.tree_at` gives a variant, `eqx.filter_vmap(simulate)` runs a batch of them. What it shares
    with a simulation is said there: see `Runnable`.

    Attributes
    ----------
    numerical
        The simulated substructure.
    rig
        Transfer system, specimen and sensors.
    compensator
        Outer loop that turns the demand into a command.
    feedback
        Turns the reading into the force that is fed back: measured, blended with a model, extrapolated.
    schedule
        Parameters that change during the run, by path.
    dials
        Parameters that the operator may change while the test runs, by path, each with its range.
    stepping
        How the creep mode steps: step sizes, contact gate, times of a move; by default a move for every tick.
    rehearsal
        Whether `rehearse` samples its rig as the test will, or takes it as equations in continuous time.
    """

    __test__ = False  # not a pytest class
    USUAL: ClassVar[str] = "rehearse"
    PIECES: ClassVar[tuple[int, int]] = (1000, 40)

    numerical: Substructure  # type: ignore[misc]  # what a simulation computes, and a test is given
    rig: AbstractRig  # type: ignore[misc]  # likewise
    compensator: Compensator = NoCompensation()
    feedback: Feedback = MeasuredForce()
    schedule: dict[str, schedules.Profile] = eqx.field(default_factory=dict)
    dials: dict[str, operators.Dial] = eqx.field(default_factory=dict)  # type: ignore[misc]  # likewise
    stepping: Stepping | None = None
    rehearsal: str = choice(
        "sampled", "continuous", about="how time passes in a rehearsal", default="sampled"
    )

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the interface signals: () for one axis, (n,) for n."""
        return shapes(_shown, hybrid_loop.Driven(self.numerical, self.excitation))["displacement"].shape

    def why_not(self, mode: str) -> str:
        """A rig without a model has no ideal; not every specimen shows its force at rest, nor every limit."""
        if mode == "emulate" and not isinstance(self.rig, Rig):
            return "has a rig without a model of its specimen, so there is no ideal"
        if mode == "creep":
            from dovetail.testing.pseudodynamic.run import faults

            return "; ".join(f"{fault.place}: {fault.text}" for fault in faults(self))
        return "is a hybrid test, no simulation" if mode == "simulate" else ""

    def _look(self) -> list[Fault]:
        checks = {
            "duration": lambda: self.length_faults("tick"),
            "rig": self._delay_faults,
            "excitation": self.end_faults,
            "schedule": self._schedule_faults,
            "limits": self._limit_faults,
            "dials": lambda: operators.faults(self),
            "rehearsal": lambda: coupled.faults(self) if self.rehearsal == "continuous" else [],
        }
        faults = [fault for place, check in checks.items() for fault in guarded(place, check)]
        misfits = guarded("numerical", self._shape_faults)
        return faults + (misfits or guarded("rate", lambda: step_faults(self)))

    def _limit_faults(self) -> list[Fault]:
        """Limits that cannot be watched."""
        number, turns = int(np.prod(self.shape, dtype=int)), limit_monitor.turning(self)
        return limit_monitor.faults(self.limits, self.axes, turns, number, "rehearse")

    def _schedule_faults(self) -> list[Fault]:
        """Scheduled parameters that are not there, or cannot change."""
        faults = []
        for path in self.schedule:
            try:
                if not isinstance(paths.get(self, path), jax.Array):
                    faults.append(
                        Fault(f"schedule.{path}", "is no numeric parameter and cannot change in a run")
                    )
            except DovetailError as error:
                faults.append(Fault(f"schedule.{path}", str(error)))
        return faults

    def _shape_faults(self) -> list[Fault]:
        """Parts that do not fit the interface, each by its place."""
        shape = self.shape
        faults = axis_faults(self.axes, shape)
        home = None if self.stepping is None else self.stepping.home
        if home is not None and np.size(home) != (axes := int(np.prod(shape))):
            faults.append(
                Fault("stepping.home", f"has {np.size(home)} values; needs {axes}, one for each axis")
            )
        for place in ("numerical", "excitation", "compensator", "rig", "feedback", "limits"):
            faults += guarded(place, partial(_fits, getattr(self, place), self.dt, shape))
        return faults or user_part_checks.faults(self)

    def _delay_faults(self) -> list[Fault]:
        """Delays anywhere in the test that are longer than the test itself."""
        faults = []
        for path, leaf in jax.tree_util.tree_leaves_with_path(self):
            name = "".join(str(p) for p in path).lstrip(".")
            if name.split(".")[-1] == "delay" and (most := np.asarray(leaf).max()) > self.duration:
                faults.append(Fault(name, f"{most:g} s is longer than the test of {self.duration:g} s"))
        return faults

    def start(self) -> tuple[dict[str, Any], dict[str, jax.Array]]:
        """State of the loop at rest, and the first record."""
        return hybrid_loop.start(self)

    def advance(self, state, first, number, ahead=False):
        """Ticks of the loop."""
        return hybrid_loop.ticks(self, state, first, number, scan=in_advance.scan if ahead else jax.lax.scan)

    def whole(self) -> tuple[dict[str, Any], dict[str, jax.Array]]:
        """The whole rehearsal as one pure function, sampled."""
        return hybrid_loop.simulate(self)

    def remarks(self) -> list[str]:
        """What is recorded, and for how long readings may stand still where it does not say."""
        said = self.limits.stale is not None
        stale = [] if said else [f"limits.stale: not said; {limit_monitor.stale_by_default(self)}"]
        return super().remarks() + stale

    def equations(self) -> coupled.Coupled | None:
        """Both substructures and the rig, where its rehearsal is continuous."""
        return coupled.rigged_system(self) if self.rehearsal == "continuous" else None

    def ideal(self, progress: Progress | None = None) -> Run | None:
        """The test as it would be with a perfect rig; None where the rig has no model of its specimen."""
        return answered(lambda: self.emulate(progress=progress))

    def emulate(
        self, accuracy: Accuracy | None = None, progress: Progress | None = None, *, keep: bool = False
    ) -> Run:
        """The ideal: the specimen's model attached directly, continuous and accurate, no rig.

        `keep` makes a run of what was computed until an interrupt, which is passed on otherwise.
        """
        from dovetail.testing.reference import emulate

        return emulate(self, accuracy, progress, keep=keep)

    def rehearse(self, progress: Progress | None = None, *, keep: bool = True) -> Run:
        """The test against its virtual rig, sampled at the test's rate; an interrupt ends it, or is passed on."""
        from dovetail.testing.rehearse import rehearse

        return rehearse(self, progress, keep=keep)

    def run(self, url: str, **options: Any) -> Run:
        """The test itself, in real time against the rig at `url`; see `dovetail.links.real_time`."""
        from dovetail.links import run_realtime

        return run_realtime(self, url, **options)

    def creep(self, cell: Any = None, **options: Any) -> Run:
        """The test pseudo-dynamically, with a robot cell or slowly with its virtual rig.

        See `dovetail.testing.pseudodynamic.run.creep`.
        """
        from dovetail.testing.pseudodynamic.run import creep

        return creep(self, cell, **options)

    def replay(self, recording: Any) -> Run:
        """The test against a recording of its rig's readings."""
        from dovetail.testing.replay import replay

        return replay(self, recording)

    def stability(self) -> Stability:
        """Would this test work? Critical delay, margin, and the poles of the sampled loop."""
        from dovetail.testing.assessment import stability

        return stability(self)


def _fits(part: Part, dt: float, shape: tuple[int, ...]) -> list[Fault]:
    """Nothing, if a part takes the shape of the interface; it raises if not."""
    part.sampled_at(dt, shape)
    return []


def _shown(driven: hybrid_loop.Driven) -> dict[str, jax.Array]:
    """What a numerical substructure shows at its start."""
    return driven.output(0.0, driven.init(), jax.numpy.zeros(()))
