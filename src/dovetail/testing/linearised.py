r"""A test as linear equations: both substructures at rest, and one tick of the whole loop cut at the measured force.

.. math:: x_{k+1} = A x_k + B w_k, \qquad y_k = C x_k, \qquad w_k = y_k

with the measured force y and what of it the feedback is given, w. Closed, the poles of :math:`A + BC` are those of the
test as it will run; open, it tells what an extra delay would do (`stability.switching`). Every part counts with its
sampling; a compensator that learns counts as what it starts with, start-up behind it; limits, dead zones and
quantisers count as not there; a schedule counts as it ends.

A specimen without a slope at rest (:math:`F = -c|v|^{0.5}\,\mathrm{sign}\,v`) has no such equations. It is taken as
the straight line nearest to its force over the motion of the ideal, :math:`F \approx -K z - C \dot z` by least
squares [Caughey 1963]: what holds, holds for motion of that size.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

from dovetail.core.errors import AnalysisError
from dovetail.core.linear import linearise
from dovetail.core.programs import once
from dovetail.core.shapes import shapes
from dovetail.specimens import Specimen
from dovetail.specimens.base import Memoryless
from dovetail.stability import DelayEquation, Poles, StateSpace, linear_loop
from dovetail.stability.sampled import poles_of
from dovetail.testing import schedule
from dovetail.testing.hybrid_loop import Driven, follow, lead, start
from dovetail.testing.memory_estimate import in_words, left
from dovetail.testing.rig import Rig
from dovetail.transfer.linear import LinearTransfer

if TYPE_CHECKING:
    from dovetail.testing.test import Test

MOTION = ("displacement", "velocity", "acceleration")
MATRICES = 4  # of a loop's states by its states, at a time: the matrix, its work space, the vectors


class StraightLine(Memoryless):
    """Force proportional to displacement and velocity, all axes on all."""

    stiffness: jax.Array  # [N/m] (axes, axes)
    damping: jax.Array  # [N s/m] (axes, axes)

    def output(self, t, x, u):
        z, v = (jnp.atleast_1d(u[name]) for name in ("displacement", "velocity"))
        force = -self.stiffness @ z - self.damping @ v
        return {"force": force.reshape(jnp.shape(u["displacement"]))}


def with_slope(test: Test) -> tuple[Test, list[str]]:
    """The test with a specimen that has a slope at rest: its own if it has one; and what to say if not."""
    if not isinstance(test.rig, Rig):
        return test, []
    specimen = test.rig.specimen
    model = linear_specimen(specimen, test.shape)
    if all(np.isfinite(matrix).all() for matrix in (model.A, model.B, model.C, model.D)):
        return test, []
    ideal = test.emulate().data
    z, v, force = (
        ideal[name].values.reshape(ideal.sizes["time"], -1)
        for name in ("displacement", "velocity", "measured_force")
    )
    sizes = [float(np.sqrt(np.mean(signal**2))) for signal in (z, v)]
    if not all(0 < size < np.inf for size in sizes) or not np.isfinite(force).all():
        raise AnalysisError(
            "the specimen's force has no slope at rest, and the ideal motion, about which it would be linearised, is "
            "none or not finite; give the test an excitation, or judge it by its rehearsal"
        )
    regressors = np.hstack([z / sizes[0], v / sizes[1]])
    found, *_ = np.linalg.lstsq(regressors, force, rcond=1e-9)
    axes = z.shape[1]
    line = StraightLine(jnp.asarray(-found[:axes].T / sizes[0]), jnp.asarray(-found[axes:].T / sizes[1]))
    unexplained = float(np.sqrt(np.mean((force - regressors @ found) ** 2) / max(np.mean(force**2), 1e-300)))
    said = (
        "the specimen's force has no slope at rest: it is taken as the straight line nearest to it over the ideal "
        f"motion of {1e3 * sizes[0]:.3g} mm and {1e3 * sizes[1]:.3g} mm/s rms, {_listed(line.stiffness)} N/m and "
        f"{_listed(line.damping)} N s/m, which leaves {100 * unexplained:.2g} % of the force; a smaller or larger "
        "motion meets another line"
    )
    rig = dataclasses.replace(test.rig, specimen=line)
    return dataclasses.replace(test, rig=rig), [said]


def _listed(matrix: jax.Array) -> str:
    return ", ".join(f"{value:.3g}" for value in np.ravel(matrix))


def delay_equation(test: Test) -> DelayEquation:
    """The equation that the substructures form when the motion reaches the specimen late.

    Both are linearised at rest. The delay is a millisecond, to be set with `DelayEquation.with_delays`.
    """
    return linear_loop(*linear_parts(test), LinearTransfer([1.0], [1.0], 1e-3))


def linear_parts(test: Test) -> tuple[StateSpace, StateSpace]:
    """Numerical substructure (force in, displacement out) and specimen (motion in, force out) at rest."""
    shape = test.shape
    driven = Driven(test.numerical, test.excitation)
    numerical = linearise(driven, driven.init(), np.zeros(shape))
    shown = _places(numerical.outputs, "displacement")
    free = np.zeros((len(shown), numerical.B.shape[1]))
    specimen = test.rig.specimen if isinstance(test.rig, Rig) else None
    if specimen is None:
        raise AnalysisError("the rig has no model of its specimen, so the loop cannot be analysed")
    parts = (
        StateSpace(numerical.A, numerical.B, np.asarray(numerical.C)[shown, :], free),
        linear_specimen(specimen, shape),
    )
    if not all(np.isfinite(m).all() for part in parts for m in (part.A, part.B, part.C, part.D)):
        raise AnalysisError(
            "a substructure's derivative is not finite at rest, so it has no linear model there; judge the test by its "
            "rehearsal"
        )
    return parts


def linear_specimen(specimen: Specimen, shape: tuple[int, ...]) -> StateSpace:
    """A specimen at rest: displacement, velocity and acceleration in, force out."""
    motion = {name: np.zeros(shape) for name in MOTION}
    model = linearise(specimen, specimen.init(), motion)
    inputs = [i for name in MOTION for i in _places(model.inputs, name)]
    force = _places(model.outputs, "force")
    A, B, C, D = map(np.asarray, (model.A, model.B, model.C, model.D))
    return StateSpace(A, B[:, inputs], C[force, :], D[force, :][:, inputs])


def _places(names: tuple[str, ...], signal: str) -> np.ndarray:
    return np.array([i for i, name in enumerate(names) if name.split("[")[0] == signal])


def at_rest(test: Test) -> Test:
    """What an analysis at rest takes a test for."""
    return small(with_slope(test)[0])


def small(test: Test) -> Test:
    """The same of a test whose specimen has a slope at rest: for small signals, learning put by."""
    return dataclasses.replace(test, rig=test.rig.small_signal(), compensator=test.compensator.frozen())


def tick_matrices(test: Test) -> tuple[Float[Array, "n n"], Float[Array, "n m"], Float[Array, "y n"]]:
    """A, B, C of one tick of a prepared test at rest, cut at the measured force."""
    state, _ = start(test)
    state["compensator"] = test.compensator.running(state["compensator"])
    state["feedback"] = test.feedback.running(state["feedback"])
    watch = state.pop("watch")  # it looks on and has no part in the dynamics
    moving, fixed = eqx.partition(state, eqx.is_inexact_array)
    flat, restore = ravel_pytree(moving)
    last = jnp.asarray(test.tick_count - 1)  # where every schedule has arrived

    def advance(vector, felt):
        now = schedule.apply(test.schedule, test, last * test.dt + test.dt) if test.schedule else test
        x = {**eqx.combine(restore(vector), fixed), "watch": watch}
        led = lead(now, x, last)
        rig, reading = now.rig.step(last * test.dt, test.dt, x["rig"], led["command"]["command"])
        after, _ = follow(now, x, last, led, {**reading, "measured_force": felt.reshape(test.shape)})
        after = {**after, "rig": rig}
        del after["watch"]
        return ravel_pytree(eqx.filter(after, eqx.is_inexact_array))[0], jnp.ravel(reading["measured_force"])

    force = jnp.ravel(state["reading"]["measured_force"])
    (A, B), (C, _) = jax.jacfwd(advance, argnums=(0, 1))(flat, force)
    return A, B, C


_compiled = once(tick_matrices)


def sampled_loop(test: Test) -> StateSpace:
    """One tick of the whole loop at rest, as it is at the end of the test, cut at the measured force."""
    return prepared_loop(at_rest(test.checked()).sized())


def prepared_loop(prepared: Test) -> StateSpace:
    """The same of a test that was made ready for it: at rest, and sized."""
    size = sum(np.size(leaf) for leaf in jax.tree.leaves(shapes(start, prepared)[0]))
    if MATRICES * 8 * size**2 > left():
        raise AnalysisError(
            f"the loop has {size:,} states at {prepared.rate:g} Hz, one for each tick of its delays; their matrices "
            f"take {in_words(MATRICES * 8 * size**2)} of memory where {in_words(left())} are left: lower the rate"
        )
    try:
        hash(tuple(jax.tree.leaves(eqx.partition(prepared, eqx.is_array)[1])))
        found = _compiled(prepared)
    except TypeError:  # a part that cannot be told from others at a glance: compiled for this test alone
        found = jax.jit(lambda: tick_matrices(prepared))()
    A, B, C = (np.asarray(matrix) for matrix in found)
    if not all(np.isfinite(matrix).all() for matrix in (A, B, C)):
        raise AnalysisError(
            "the derivative of a tick is not finite at rest (a root of zero, a norm of zero, a switch), so the loop "
            "has no poles there; judge the test by its rehearsal"
        )
    return StateSpace(A, B, C, np.zeros((C.shape[0], B.shape[1])))


def sampled_poles(test: Test) -> Poles:
    """Poles of one tick of the whole loop at rest."""
    cut = sampled_loop(test)
    return poles_of(cut.A + cut.B @ cut.C, test.dt, test.duration)
