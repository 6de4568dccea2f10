"""Emulate: the ideal reference. The specimen's model attached directly, in continuous time, no rig."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.compensation import BlendedForce
from dovetail.core import DormandPrince8, Flow, Method
from dovetail.core.errors import AnalysisError, StepSizeError
from dovetail.specimens import Specimen
from dovetail.testing.loop import MOTION, READ, judged
from dovetail.testing.outcome import Outcome
from dovetail.testing.room import require_room
from dovetail.testing.run import Run, dataset, ended, find_trip
from dovetail.testing.schedule import Profile, apply
from dovetail.testing.steps import RESOLVED, fewest_steps
from dovetail.testing.supervisor import Watch, with_stale

if TYPE_CHECKING:
    from dovetail.testing.test import Test


REFINEMENTS = 6  # times that the steps of the ideal are made shorter for a contact, by up to 64 each


@dataclasses.dataclass(frozen=True)
class Accuracy:
    """How finely the ideal is integrated: a fixed-step method, and its steps inside a tick."""

    method: Method = dataclasses.field(default_factory=DormandPrince8)
    substeps: int = 2


class Coupled(Flow):
    """Numerical substructure and specimen as one system: what the hybrid test is to reproduce.

    The interface force follows from the present motion. Where it depends on the acceleration too, which
    itself depends on the force, the equation for the force is affine and is solved exactly by one Newton
    step from zero.

    Parameters on the test's schedule change here as they do in the test. So does the share of a modelled
    force that the schedule leads from simulated to measured: starting on a model is the plan of the test, no
    error of its rig. A constant share is no plan but a means to robustness, and what it distorts is an error.
    """

    numerical: Flow
    specimen: Specimen
    excitation: Any
    shape: tuple[int, ...] = eqx.field(default=(), static=True)
    feedback: BlendedForce | None = None
    schedule: dict[str, Profile] = eqx.field(default_factory=dict)

    @property
    def large(self) -> bool:  # type: ignore[override]
        """Whether either part is."""
        return self.numerical.large or self.specimen.large

    def init(self):
        model = () if self.feedback is None else self.feedback.model.init()
        return {"numerical": self.numerical.init(), "specimen": self.specimen.init(), "model": model}

    def derivative(self, t, x, u):
        now = apply(self.schedule, self, t)
        given, shown, _ = now._interface(t, x)
        return {
            "numerical": now.numerical.derivative(t, x["numerical"], given),
            "specimen": now.specimen.derivative(t, x["specimen"], shown),
            "model": () if now.feedback is None else now.feedback.model.derivative(t, x["model"], shown),
        }

    def jump(self, t, x, u):
        flows = [self.numerical, self.specimen] + ([] if self.feedback is None else [self.feedback.model])
        if all(type(flow).jump is Flow.jump for flow in flows):  # nothing jumps: nothing to compute
            return x
        now = apply(self.schedule, self, t)
        given, shown, _ = now._interface(t, x)
        return {
            "numerical": now.numerical.jump(t, x["numerical"], given),
            "specimen": now.specimen.jump(t, x["specimen"], shown),
            "model": () if now.feedback is None else now.feedback.model.jump(t, x["model"], shown),
        }

    def output(self, t, x, u):
        given, shown, felt = apply(self.schedule, self, t)._interface(t, x)
        return {"excitation": given["excitation"], **felt, **shown}

    def _interface(self, t, x):
        """The numerical substructure's input, its motion, and what the specimen shows."""

        def given(force):
            return {
                "excitation": self.excitation(t),
                "excitation_rate": self.excitation.rate(t),
                "force": force,
            }

        def felt(force):
            motion = self.numerical.output(t, x["numerical"], given(force))
            shown = self.specimen.output(t, x["specimen"], motion)
            if self.feedback is None:
                return {**shown, "specimen_force": shown["force"]}
            share = self.feedback.share
            model = self.feedback.model.output(t, x["model"], motion)["force"]
            blended = share * shown["force"] + (1.0 - share) * model
            return {**shown, "specimen_force": shown["force"], "force": blended}

        force = felt(jnp.zeros(self.shape))["force"]
        if self.specimen.inertial or (
            self.feedback is not None and getattr(self.feedback.model, "inertial", False)
        ):
            size = force.size
            slope = jax.jacfwd(lambda f: felt(f)["force"])(jnp.zeros(self.shape)).reshape(size, size)
            if size == 1:  # a general solver would be most of the time of a run
                force = force / (1.0 - slope.reshape(self.shape))
            else:
                force = jnp.linalg.solve(jnp.eye(size) - slope, force.reshape(size)).reshape(self.shape)
        return given(force), self.numerical.output(t, x["numerical"], given(force)), felt(force)


@eqx.filter_jit
def integrate_ideal(coupled: Coupled, watch: Watch, method: Method, dt: float, substeps: int, ticks: int):
    """What the supervisor said, and the records at every tick from t = 0 on; not cut where a limit was met."""

    def advance(carry, k):
        (*carry, seen) = carry
        # before tick 0 a step of no length, so that what is shown at the start is compiled only once
        t, h = jnp.maximum(k, 0) * dt, jnp.where(k < 0, 0.0, dt / substeps)

        def inner(carry, i):
            return method.advance(coupled, t + i * h, h, carry[0], None, carry[1]), None

        carry, _ = jax.lax.scan(inner, tuple(carry), jnp.arange(substeps))
        shown = coupled.output((k + 1) * dt, carry[0], None)
        passed, read = jnp.where(k < 0, 0.0, dt), judged(as_recorded(shown), READ)
        seen = watch.step((k + 1) * dt, passed, seen, judged(shown, MOTION), read)
        return (*carry, seen), {**shown, "growth_rate": seen["growth"]}

    x = coupled.init()
    start = (x, method.init(coupled, x), watch.blank(coupled.shape))
    (*_, seen), records = jax.lax.scan(advance, start, jnp.arange(-1, ticks))
    return seen, records


def as_recorded(shown: dict[str, Any]) -> dict[str, Any]:
    """What the ideal shows, with the readings of a rig that is perfect."""
    z, force = shown["displacement"], shown["specimen_force"]
    return {
        **shown,
        "command": z,
        "achieved_displacement": z,
        "measured_displacement": z,
        "measured_force": force,
    }


def emulate(test: Test, accuracy: Accuracy | None = None) -> Run:
    """The test as it would be if the interface were perfect, at the ticks of the test, until it meets a limit."""
    specimen = getattr(test.rig, "specimen", None)
    if specimen is None:
        raise AnalysisError(
            "emulate: the rig has no model of its specimen, so there is no ideal to compare with; "
            "give the test a virtual rig, or compare two runs"
        )
    require_room(test)
    prepared = with_stale(test, "emulate").prepared()
    seen, records = _resolved(test, coupled_system(test, specimen), Watch.of(prepared, "emulate"), accuracy)
    outcome = Outcome.from_code(seen["code"])
    kept = int(seen["tick"]) + 1
    records = as_recorded({name: values[:kept] for name, values in records.items()})
    times = np.arange(kept) * test.dt
    data = dataset(test, times, records, {"mode": "emulate", "title": test.title, "seed": test.seed})
    data, outcome = ended(test, data, outcome)
    return Run(test, "emulate", data, outcome, find_trip(prepared, data, outcome))


def _resolved(
    test: Test, coupled: Coupled, watch: Watch, wanted: Accuracy | None
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What the supervisor saw, and the ideal at every tick.

    Steps that a contact is too short for are made shorter, those asked for refused.
    """
    accuracy = wanted or Accuracy(**getattr(test.numerical, "ideal", {}))
    for _ in range(REFINEMENTS):
        h = test.dt / accuracy.substeps
        seen, records = jax.tree.map(
            np.asarray,
            integrate_ideal(coupled, watch, accuracy.method, test.dt, accuracy.substeps, test.tick_count),
        )
        steps = float(fewest_steps(records["contact_time"], h)) if "contact_time" in records else math.inf
        if steps >= RESOLVED or not np.all(np.isfinite(records["displacement"])):
            return seen, records
        needed = math.ceil(accuracy.substeps * RESOLVED / max(steps, RESOLVED / 64))
        if wanted is not None:
            break
        accuracy = dataclasses.replace(accuracy, substeps=needed)
    raise StepSizeError(
        f"emulate: the shortest contact lasts {steps:.3g} steps of {h:.3g} s; the ideal needs {RESOLVED} to "
        f"resolve it. Do: take Accuracy(substeps={needed}) or more, a higher rate, or a softer contact."
    )


def coupled_system(test: Test, specimen: Specimen) -> Coupled:
    """Both substructures joined, with what of the test's schedule concerns them."""
    moved = {
        path.replace("rig.specimen.", "specimen."): profile
        for path, profile in test.schedule.items()
        if path.startswith(("numerical.", "rig.specimen.", "excitation.", "feedback.share"))
    }
    blended = isinstance(test.feedback, BlendedForce) and "feedback.share" in moved
    if not blended:
        moved.pop("feedback.share", None)
    feedback = test.feedback if blended else None
    return Coupled(test.numerical, specimen, test.excitation, test.shape, feedback, moved)
