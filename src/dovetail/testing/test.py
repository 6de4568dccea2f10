"""Hybrid test: numerical substructure, compensator, rig, excitation and limits, with a method for each mode."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import equinox as eqx
import jax
import numpy as np

from dovetail.compensation import Compensator, Feedback, MeasuredForce, NoCompensation
from dovetail.core import Part, choice
from dovetail.core.errors import DovetailError, Fault, collect_faults
from dovetail.core.shapes import shapes
from dovetail.mechanics import Substructure
from dovetail.testing import coupled, hybrid_loop, limits, modes, paths, user_part_checks
from dovetail.testing import operator as operators
from dovetail.testing import schedule as schedules
from dovetail.testing.pseudodynamic.settings import PseudodynamicSettings
from dovetail.testing.rig import AbstractRig
from dovetail.testing.runnable import Runnable
from dovetail.testing.step_checks import step_faults
from dovetail.testing.tick_grid import axis_faults

if TYPE_CHECKING:
    from dovetail.testing.assessment import Stability
    from dovetail.testing.continuous import ReferenceSettings
    from dovetail.testing.run import Progress, Run


class Test(Runnable):
    """Hybrid test with all its parameters.

    A test is a pytree: `eqx.tree_at` returns a variant, `eqx.filter_vmap(simulate)` runs a batch. Parameters common
    to tests and simulations are described in `Runnable`.

    Attributes
    ----------
    numerical
        The simulated substructure.
    rig
        Transfer system, specimen and sensors.
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
    """

    __test__ = False  # not a pytest class
    DEFAULT_MODE: ClassVar[str] = "rehearse"

    numerical: Substructure  # type: ignore[misc]  # a field here, a property of a simulation
    rig: AbstractRig  # type: ignore[misc]  # a field here, a property of a simulation
    compensator: Compensator = NoCompensation()
    feedback: Feedback = MeasuredForce()
    schedule: dict[str, schedules.Profile] = eqx.field(default_factory=dict)
    tunable: dict[str, operators.Tunable] = eqx.field(default_factory=dict)  # type: ignore[misc]  # as above
    pseudodynamic: PseudodynamicSettings | None = None
    sampling: str = choice("rate", "none", about="sampling of the rig in a rehearsal", default="rate")

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the interface signals: () for one axis, (n,) for n."""
        return shapes(_initial_output, hybrid_loop.Driven(self.numerical, self.excitation))[
            "displacement"
        ].shape

    def _find_faults(self) -> list[Fault]:
        checks = {
            "duration": lambda: self.length_faults("tick"),
            "rig": self._delay_faults,
            "excitation": self.end_faults,
            "schedule": self._schedule_faults,
            "limits": self._limit_faults,
            "tunable": lambda: operators.faults(self),
            "sampling": lambda: coupled.faults(self) if self.sampling == "none" else [],
        }
        faults = [fault for path, check in checks.items() for fault in collect_faults(path, check)]
        misfits = collect_faults("numerical", self._shape_faults)
        return faults + (misfits or collect_faults("rate", lambda: step_faults(self)))

    def _limit_faults(self) -> list[Fault]:
        """Return limits that cannot be monitored."""
        number, turns = int(np.prod(self.shape, dtype=int)), limits.rotary_axes(self)
        return limits.faults(self.limits, self.axes, turns, number, modes.Rehearse)

    def _schedule_faults(self) -> list[Fault]:
        """Return scheduled parameters that do not exist or cannot change during a run."""
        faults = []
        for path in self.schedule:
            try:
                if not isinstance(paths.get(self, path), jax.Array):
                    faults.append(
                        Fault(f"schedule.{path}", "is not a numeric parameter and cannot change during a run")
                    )
            except DovetailError as error:
                faults.append(Fault(f"schedule.{path}", str(error)))
        return faults

    def _shape_faults(self) -> list[Fault]:
        """Return parts that do not fit the shape of the interface."""
        shape = self.shape
        faults = axis_faults(self.axes, shape)
        home = None if self.pseudodynamic is None else self.pseudodynamic.home_pose
        if home is not None and np.size(home) != (axes := int(np.prod(shape))):
            text = f"has {np.size(home)} values; give {axes}, one for each axis"
            faults.append(Fault("pseudodynamic.home_pose", text))
        for field in ("numerical", "excitation", "compensator", "rig", "feedback", "limits"):
            faults += collect_faults(field, partial(_fits, getattr(self, field), self.dt, shape))
        return faults or user_part_checks.faults(self)

    def _delay_faults(self) -> list[Fault]:
        """Return delays that are longer than the test."""
        faults = []
        for path, leaf in jax.tree_util.tree_leaves_with_path(self):
            name = "".join(str(p) for p in path).lstrip(".")
            if name.split(".")[-1] == "delay" and (delay := np.asarray(leaf).max()) > self.duration:
                faults.append(
                    Fault(name, f"{delay:g} s is longer than the duration of the test, {self.duration:g} s")
                )
        return faults

    def remarks(self) -> list[str]:
        """Return remarks on recording and on the default of the frozen-sensor limit."""
        is_set = self.limits.frozen_sensor is not None
        defaults = [] if is_set else [f"limits.frozen_sensor: not set; {limits.frozen_sensor_remark(self)}"]
        return super().remarks() + defaults

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

    def rehearse(self, progress: Progress | None = None, *, keep: bool = True) -> Run:
        """Run the virtual hybrid test (vRTHS): the loop with a simulated rig, sampled at the rate of the test.

        On an interrupt, `keep=True` returns the run up to that time; otherwise the interrupt is raised.
        """
        return modes.run(self, modes.Rehearse(), progress, keep=keep)

    def run_realtime(self, address: str, **options: Any) -> Run:
        """Run the test in real time with the rig at an address; see `dovetail.links.real_time`."""
        realtime: Any = modes.all_modes()["realtime"]
        run: Run = realtime.run_test(self, address, **options)
        return run

    def run_pseudodynamic(self, cell: Any = None, **options: Any) -> Run:
        """Run the pseudo-dynamic test, with a robot cell or with the simulated rig.

        See `dovetail.testing.pseudodynamic.run`.
        """
        from dovetail.testing.pseudodynamic.run import run_pseudodynamic

        return run_pseudodynamic(self, cell, **options)

    def replay(self, recording: Any) -> Run:
        """Run the test with recorded measurements in place of the rig."""
        return modes.run(self, modes.all_modes()["replay"](recording))

    def stability(self) -> Stability:
        """Return the stability of the loop: critical delay, delay margin, and poles of the sampled loop."""
        from dovetail.testing.assessment import stability

        return stability(self)


def _fits(part: Part, dt: float, shape: tuple[int, ...]) -> list[Fault]:
    """Return no fault if a part accepts the shape of the interface; otherwise it raises."""
    part.with_sample_time(dt, shape)
    return []


def _initial_output(driven: hybrid_loop.Driven) -> dict[str, jax.Array]:
    """Return the initial output of the numerical substructure."""
    return driven.output(0.0, driven.init(), jax.numpy.zeros(()))
