"""Emulate: the ideal reference. The specimen's model attached directly, in continuous time, no rig."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import DormandPrince8, Flow, Method
from dovetail.core.errors import AnalysisError
from dovetail.specimens import Specimen
from dovetail.testing.outcome import Outcome
from dovetail.testing.run import Run, dataset

if TYPE_CHECKING:
    from dovetail.testing.test import Test


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
    """

    numerical: Flow
    specimen: Specimen
    excitation: Any
    shape: tuple[int, ...] = eqx.field(default=(), static=True)

    def init(self):
        return {"numerical": self.numerical.init(), "specimen": self.specimen.init()}

    def derivative(self, t, x, u):
        given, shown, _ = self._interface(t, x)
        return {
            "numerical": self.numerical.derivative(t, x["numerical"], given),
            "specimen": self.specimen.derivative(t, x["specimen"], shown),
        }

    def output(self, t, x, u):
        given, shown, felt = self._interface(t, x)
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
            return self.specimen.output(t, x["specimen"], motion)

        force = felt(jnp.zeros(self.shape))["force"]
        if self.specimen.inertial:
            size = force.size
            slope = jax.jacfwd(lambda f: felt(f)["force"])(jnp.zeros(self.shape)).reshape(size, size)
            if size == 1:  # a general solver would be most of the time of a run
                force = force / (1.0 - slope.reshape(self.shape))
            else:
                force = jnp.linalg.solve(jnp.eye(size) - slope, force.reshape(size)).reshape(self.shape)
        return given(force), self.numerical.output(t, x["numerical"], given(force)), felt(force)


@eqx.filter_jit
def _integrate(coupled: Coupled, method: Method, dt: float, substeps: int, ticks: int):
    h = dt / substeps

    def advance(carry, k):
        def inner(carry, i):
            return method.step(coupled, k * dt + i * h, h, carry[0], None, carry[1]), None

        carry, _ = jax.lax.scan(inner, carry, jnp.arange(substeps))
        return carry, coupled.output((k + 1) * dt, carry[0], None)

    x = coupled.init()
    first = coupled.output(0.0, x, None)
    _, records = jax.lax.scan(advance, (x, method.init(coupled, x)), jnp.arange(ticks))
    return jax.tree.map(lambda a, b: jnp.concatenate([a[None], b]), first, records)


def emulate(test: Test, accuracy: Accuracy | None = None) -> Run:
    """The test as it would be if the interface were perfect, at the ticks of the test."""
    specimen = getattr(test.rig, "specimen", None)
    if specimen is None:
        raise AnalysisError(
            "emulate: the rig has no model of its specimen, so there is no ideal to compare with; "
            "give the test a virtual rig, or compare two runs"
        )
    test.prepared()  # for its checks
    accuracy = accuracy or Accuracy(**getattr(test.numerical, "ideal", {}))
    coupled = Coupled(test.numerical, specimen, test.excitation, test.shape)
    records = jax.tree.map(
        np.asarray, _integrate(coupled, accuracy.method, test.dt, accuracy.substeps, test.tick_count)
    )
    z, force = records["displacement"], records["force"]
    records |= {"command": z, "achieved_displacement": z, "measured_displacement": z}
    records |= {"specimen_force": force, "measured_force": force}
    times = np.arange(test.tick_count + 1) * test.dt
    data = dataset(test, times, records, {"mode": "emulate", "title": test.title, "seed": test.seed})
    finite = all(np.isfinite(values).all() for values in records.values())
    return Run(test, "emulate", data, Outcome.FINISHED if finite else Outcome.NOT_FINITE)
