r"""Linear models of a test: both substructures at rest, and one tick of the loop, opened at the measured force.

.. math:: x_{k+1} = A x_k + B w_k, \qquad y_k = C x_k, \qquad w_k = y_k

with the measured force y and the input w of the feedback. The poles of the closed loop are those of :math:`A + BC`;
the open loop gives the effect of an added delay (`stability.switching`). Every part is included with its sampling. An
adaptive compensator has its initial coefficients, after start-up. Limits, dead zones and quantisers are ignored.
Scheduled parameters have their final values.

A specimen without a slope at rest (:math:`F = -c|v|^{0.5}\,\mathrm{sign}\,v`) has no such equations. Its force is
replaced by the least-squares fit over the motion of the reference solution, :math:`F \approx -K z - C \dot z`
[Caughey 1963]; the result is valid for motion of that amplitude.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

from dovetail.core import Input, Output, State, Time
from dovetail.core.errors import AnalysisError
from dovetail.core.linear import linearise
from dovetail.core.programs import jit_unoptimised
from dovetail.core.shapes import shapes
from dovetail.core.signals import MOTION
from dovetail.specimens import Specimen
from dovetail.specimens.base import Memoryless
from dovetail.stability import DelayEquation, Poles, StateSpace, linear_loop
from dovetail.stability.sampled import poles_of
from dovetail.testing.hybrid_loop import Driven, HybridLoop
from dovetail.testing.memory_estimate import available_memory, format_size
from dovetail.testing.rig import Rig
from dovetail.testing.schedule import apply
from dovetail.transfer.linear import LinearTransfer

if TYPE_CHECKING:
    from dovetail.testing.test import Test

SCALES = 10.0 ** np.arange(
    -6, 4
)  # [m, m/s, m/s^2] sizes of motion at which a specimen is checked for linearity
LINEAR = 1e-9  # relative difference of its tangents below which a specimen is linear
MATRICES = 4  # square matrices of the size of the state in memory at once: matrix, work space, vectors


class StraightLine(Memoryless):
    """Linear specimen: force from displacement and velocity, with coupling of all axes."""

    stiffness: jax.Array  # [N/m] (axes, axes)
    damping: jax.Array  # [N s/m] (axes, axes)

    def output(self, t: Time, x: State, u: Input) -> Output:
        z, v = (jnp.atleast_1d(u[name]) for name in ("displacement", "velocity"))
        force = -self.stiffness @ z - self.damping @ v
        return {"force": force.reshape(jnp.shape(u["displacement"]))}


def with_slope(test: Test) -> tuple[Test, list[str]]:
    """Return the test with a specimen that has a slope at rest, and remarks if the specimen is replaced."""
    if not isinstance(test.rig, Rig):
        return test, []
    specimen = test.rig.specimen
    model = linear_specimen(specimen, test.shape)
    if all(np.isfinite(matrix).all() for matrix in (model.A, model.B, model.C, model.D)):
        return test, []
    reference = test.reference().data
    z, v, force = (
        reference[name].values.reshape(reference.sizes["time"], -1)
        for name in ("displacement", "velocity", "measured_force")
    )
    sizes = [float(np.sqrt(np.mean(signal**2))) for signal in (z, v)]
    if not all(0 < size < np.inf for size in sizes) or not np.isfinite(force).all():
        raise AnalysisError(
            "the specimen force has no slope at rest, and the reference motion for its linearisation is zero or not "
            "finite; give the test an excitation, or rehearse it"
        )
    regressors = np.hstack([z / sizes[0], v / sizes[1]])
    coefficients, *_ = np.linalg.lstsq(regressors, force, rcond=1e-9)
    axes = z.shape[1]
    line = StraightLine(
        jnp.asarray(-coefficients[:axes].T / sizes[0]), jnp.asarray(-coefficients[axes:].T / sizes[1])
    )
    unexplained = float(
        np.sqrt(np.mean((force - regressors @ coefficients) ** 2) / max(np.mean(force**2), 1e-300))
    )
    remark = (
        "the specimen force has no slope at rest: it is linearised over the reference motion of "
        f"{1e3 * sizes[0]:.3g} mm and {1e3 * sizes[1]:.3g} mm/s rms as {_format_list(line.stiffness)} N/m and "
        f"{_format_list(line.damping)} N s/m, with a residual of {100 * unexplained:.2g} % of the rms force; "
        "the values depend on the amplitude"
    )
    rig = dataclasses.replace(test.rig, specimen=line)
    return dataclasses.replace(test, rig=rig), [remark]


def _format_list(matrix: jax.Array) -> str:
    return ", ".join(f"{value:.3g}" for value in np.ravel(matrix))


def delay_equation(test: Test) -> DelayEquation:
    """Return the delay equation of the substructures with a delay between demand and specimen.

    Both are linearised at rest. The delay is 1 ms; set it with `DelayEquation.with_delays`.
    """
    return linear_loop(*linear_parts(test), LinearTransfer([1.0], [1.0], 1e-3))


def linear_parts(test: Test) -> tuple[StateSpace, StateSpace]:
    """Return numerical substructure (force to displacement) and specimen (motion to force), linearised at rest."""
    shape = test.shape
    driven = Driven(test.numerical, test.excitation)
    numerical = linearise(driven, driven.init(), np.zeros(shape))
    rows = np.array([i for i, name in enumerate(numerical.outputs) if name.split("[")[0] == "displacement"])
    free = np.zeros((len(rows), numerical.B.shape[1]))
    specimen = test.rig.specimen if isinstance(test.rig, Rig) else None
    if specimen is None:
        raise AnalysisError(
            "the rig has no specimen model, so there is no linear loop; give the test a simulated rig"
        )
    parts = (
        StateSpace(numerical.A, numerical.B, np.asarray(numerical.C)[rows, :], free),
        linear_specimen(specimen, shape),
    )
    if not all(np.isfinite(m).all() for part in parts for m in (part.A, part.B, part.C, part.D)):
        raise AnalysisError(
            "the derivative of a substructure is not finite at rest, so it has no linear model; rehearse the test "
            "instead"
        )
    return parts


def linear_specimen(specimen: Specimen, shape: tuple[int, ...]) -> StateSpace:
    """Return the linear model of a specimen at rest: displacement, velocity and acceleration to force."""
    return StateSpace(*(matrices[0] for matrices in _tangents_of_all_sizes(specimen, shape)))


def is_linear(specimen: Specimen, shape: tuple[int, ...]) -> bool:
    """Return whether a sized specimen has the same tangent for motion of every size."""
    return all(_same(matrices) for matrices in _tangents_of_all_sizes(specimen, shape))


def _same(matrices: np.ndarray) -> bool:
    """Return whether all matrices are equal to the first, which is at rest."""
    size = np.max(np.abs(matrices[0]), initial=0.0)
    return bool(np.max(np.abs(matrices - matrices[0]), initial=0.0) <= LINEAR * size)


def _tangents_of_all_sizes(specimen: Specimen, shape: tuple[int, ...]) -> list[np.ndarray]:
    """Return the matrices A, B, C, D of a specimen at rest, and then at points of motion of every size."""
    rng = np.random.default_rng(0)
    states = shapes(_initial_values, specimen).size
    scale = np.append(0.0, np.repeat(SCALES, 4))[:, None]
    changes, motion = (
        scale * rng.standard_normal((len(scale), size)) for size in (states, 3 * math.prod(shape))
    )
    return [np.asarray(matrix) for matrix in tangents_at(specimen, shape, changes, motion)]


def _initial_values(specimen: Specimen) -> jax.Array:
    return flat_state(specimen.init())


def flat_state(state: State) -> jax.Array:
    """Return the continuous values of a state as a vector."""
    return ravel_pytree(eqx.filter(state, eqx.is_inexact_array))[0]


@jit_unoptimised
def tangents_at(specimen: Specimen, shape: tuple[int, ...], changes: Any, motions: Any) -> tuple[Any, ...]:
    """Return the matrices A, B, C, D of a specimen at points, the point along the first axis.

    `changes` are those of the state from the initial one.
    """
    moving, fixed = eqx.partition(specimen.init(), eqx.is_inexact_array)
    initial, restore = ravel_pytree(moving)

    def evaluate(x: jax.Array, u: jax.Array) -> tuple[jax.Array, jax.Array]:
        signals = {name: part.reshape(shape) for name, part in zip(MOTION, jnp.split(u, 3), strict=True)}
        state = eqx.combine(restore(initial + x), fixed)
        force = jnp.broadcast_to(specimen.output(0.0, state, signals)["force"], shape)
        return flat_state(specimen.derivative(0.0, state, signals)), jnp.ravel(force)

    def at(x: jax.Array, u: jax.Array) -> tuple[Any, ...]:
        (A, B), (C, D) = jax.jacfwd(evaluate, argnums=(0, 1))(x, u)
        return A, B, C, D

    return jax.vmap(at)(changes, motions)


def at_rest_test(test: Test) -> Test:
    """Return the test as used in an analysis at rest."""
    return small_signal_test(with_slope(test)[0])


def small_signal_test(test: Test) -> Test:
    """Return the small-signal test, without adaptation; its specimen must have a slope at rest."""
    return dataclasses.replace(
        test, rig=test.require_rig().linear_model(), compensator=test.compensator.without_adaptation()
    )


def tick_matrices(test: Test) -> tuple[Float[Array, "n n"], Float[Array, "n m"], Float[Array, "y n"]]:
    """Return A, B, C of one tick of a prepared test at rest, opened at the measured force."""
    loop, dt = HybridLoop.from_test(test), test.dt
    state, _ = loop.start()
    running = (
        test.compensator.state_after_startup(state.compensator),
        test.feedback.state_after_startup(state.feedback),
    )
    state = eqx.tree_at(lambda x: (x.compensator, x.feedback), state, running)
    moving, fixed = eqx.partition(state, eqx.is_inexact_array)
    flat, restore = ravel_pytree(moving)
    t = (test.tick_count - 1) * dt  # where all schedules have their final values
    loop = apply(loop.schedule, loop, t + dt)

    def advance(vector: jax.Array, force: jax.Array) -> tuple[jax.Array, jax.Array]:
        x = eqx.combine(restore(vector), fixed)
        control = loop.control(t, dt, x)
        rig, reading = loop.rig.step(t, dt, x.rig, control.command["command"])
        opened = {**reading, "measured_force": force.reshape(test.shape)}
        after, _ = loop.feed_back(t, dt, x, control, rig, opened)
        return ravel_pytree(eqx.filter(after, eqx.is_inexact_array))[0], jnp.ravel(reading["measured_force"])

    force = jnp.ravel(state.reading["measured_force"])
    (A, B), (C, _) = jax.jacfwd(advance, argnums=(0, 1))(flat, force)
    return A, B, C


_compiled = jit_unoptimised(tick_matrices)


def _initial_state(loop: HybridLoop) -> State:
    return loop.start()[0]


def sampled_loop(test: Test) -> StateSpace:
    """Return one tick of the loop at rest with final scheduled values, opened at the measured force."""
    return prepared_loop(at_rest_test(test.validate()).with_shapes())


def prepared_loop(prepared: Test) -> StateSpace:
    """Return the sampled loop of a test prepared with `at_rest_test` and `with_shapes`."""
    initial = shapes(_initial_state, HybridLoop.from_test(prepared))
    size = sum(np.size(leaf) for leaf in jax.tree.leaves(initial))
    if MATRICES * 8 * size**2 > available_memory():
        raise AnalysisError(
            f"the loop has {size:,} states at {prepared.rate:g} Hz, one for each tick of its delays; its matrices "
            f"need {format_size(MATRICES * 8 * size**2)} of memory, {format_size(available_memory())} are available: "
            "lower the rate"
        )
    try:
        hash(tuple(jax.tree.leaves(eqx.partition(prepared, eqx.is_array)[1])))
        matrices = _compiled(prepared)
    except TypeError:  # a part that is not hashable: compiled for this test only
        matrices = jax.jit(lambda: tick_matrices(prepared))()
    A, B, C = (np.asarray(matrix) for matrix in matrices)
    if not all(np.isfinite(matrix).all() for matrix in (A, B, C)):
        raise AnalysisError(
            "the derivative of a tick is not finite at rest (root of zero, norm of zero, switch), so the loop has no "
            "poles; rehearse the test instead"
        )
    return StateSpace(A, B, C, np.zeros((C.shape[0], B.shape[1])))


def sampled_poles(test: Test) -> Poles:
    """Return the poles of one tick of the loop at rest."""
    cut = sampled_loop(test)
    return poles_of(cut.A + cut.B @ cut.C, test.dt, test.duration)
