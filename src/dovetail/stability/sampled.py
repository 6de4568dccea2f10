r"""Poles of the sampled loop, with the measured force held over each step.

The numerical substructure is advanced by one step under a held force, :math:`x_{k+1}=\Phi x_k+\Gamma F_k`. The
demand reaches the specimen with the delay :math:`\tau=(d+f)\,\Delta t`, and the force of the specimen at the sample
is held over the next step. The hold adds half a sample of delay: the critical delay decreases by :math:`\Delta t/2`.

The state is augmented with the last d demands. The fraction f of a step is exact, because the demand between samples
is known under a held force. Poles are eigenvalues of the one-step matrix, stable inside the unit circle.
`loop_poles` computes the same matrix by automatic differentiation of any step function, with any compensator and any
rig.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import numpy as np
import scipy
from jax.flatten_util import ravel_pytree

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.stability.eigenvalues import eigenvalues
from dovetail.stability.state_space import StateSpace

MIN_CHANGE = 0.01  # smallest relative change of a motion during a test that counts as growth or decay


@dataclass(frozen=True)
class Poles:
    """Poles of a sampled loop, largest modulus first."""

    values: np.ndarray  # complex
    dt: float  # [s] time step of the matrix
    errors: np.ndarray  # error of each pole; a pole within its error of the unit circle is neutral

    @property
    def neutral(self) -> np.ndarray:
        """Poles of motions that neither grow nor decay: memory of a hysteretic specimen, a free body."""
        return self.values[~self._is_decisive]

    @property
    def dominant(self) -> complex:
        """Pole of largest modulus among those that grow or decay; the first pole if all are neutral."""
        return complex(self.values[int(np.argmax(self._is_decisive))])

    @property
    def _is_decisive(self) -> np.ndarray:
        return np.abs(np.abs(self.values) - 1.0) > self.errors

    @property
    def radius(self) -> float:
        """Modulus of the dominant pole."""
        return abs(self.dominant)

    @property
    def stable(self) -> bool:
        """True if every pole that is not neutral lies inside the unit circle."""
        return self.radius < 1

    @property
    def growth(self) -> float:
        """Growth rate [1/s] of the dominant motion."""
        return float(np.log(max(self.radius, 1e-300)) / self.dt)

    @property
    def omega(self) -> float:
        """Frequency [rad/s] of the dominant pole, below half the sampling rate."""
        return float(abs(np.angle(self.dominant)) / self.dt)


def sampled_loop(
    numerical: StateSpace,
    specimen: np.ndarray | StateSpace,
    *,
    tau: float,
    dt: float,
    method: str = "exact",
    hold: str = "held",
) -> np.ndarray:
    """Return the one-step matrix of the sampled loop.

    Parameters
    ----------
    numerical
        System from force (n,) to the imposed signal (r,): displacement, or displacement and velocity.
    specimen
        Force on the numerical substructure per imposed signal, (n, r): for a spring [[-k_s]]. Or a `StateSpace` with
        states; its input is interpolated linearly between samples.
    tau, dt
        Delay and sample time [s].
    method
        Integration of the numerical substructure: "exact", or "rk4" for the matrix of that method.
    hold
        "held": the force of the last sample acts over the step. "extrapolated": the force is extrapolated by half a
        sample, F + (F - F_before)/2, which cancels the hold to first order.
    """
    if not tau >= 0:
        raise ParameterError(f"sampled_loop.tau: got {tau:g} s; expected a delay of zero or more")
    rig = specimen if isinstance(specimen, StateSpace) else StateSpace.memoryless(specimen)
    samples = tau / dt
    full_steps = int(np.floor(samples + 1e-9))
    part = max(samples - full_steps, 0.0)
    Phi, Gamma = one_step(numerical, dt, method)
    # signal a fraction of a step before the next sample, from the state and force at this sample
    Phi_f, Gamma_f = one_step(numerical, (1 - part) * dt, method) if part > 0 else (Phi, Gamma)
    E, G = numerical.C @ Phi_f, numerical.C @ Gamma_f
    return _augmented_matrix(Phi, Gamma, E, G, rig, full_steps, dt, hold)


def sampled_poles(numerical: StateSpace, specimen: np.ndarray | StateSpace, **options: Any) -> Poles:
    """Return the poles of the sampled loop; options as for `sampled_loop`."""
    return poles_of(sampled_loop(numerical, specimen, **options), options["dt"])


def sampled_critical_delay(
    numerical: StateSpace, specimen: np.ndarray | StateSpace, *, dt: float, up_to: float, **options: Any
) -> float:
    """Return the first delay [s] at which the sampled loop is unstable; infinite if there is none up to `up_to`."""

    def growth(tau: float) -> float:
        return sampled_poles(numerical, specimen, tau=float(tau), dt=dt, **options).growth

    if growth(0.0) >= 0:
        return 0.0
    grid = np.arange(0.0, up_to + dt / 2, dt / 2)
    last = 0.0
    for tau in grid[1:]:
        if growth(tau) >= 0:
            return float(scipy.optimize.brentq(growth, last, tau, xtol=1e-12))
        last = tau
    return np.inf


def loop_poles(step: Callable[[Any], Any], state: Any, *, dt: float = 1.0, steps: int = 1) -> Poles:
    """Return the poles of any sampled loop from its one-step function.

    Parameters
    ----------
    step
        State to next state, differentiable by JAX; the state is any pytree.
    state
        State at which to linearise: at rest, or a point of a motion.
    dt
        Sample time [s].
    steps
        Number of steps per matrix: the period of a loop whose map varies from step to step, such as a loop with a
        ring buffer or several rates.

    Integers and keys in the state (a counter, a buffer index) are carried unchanged.
    """
    moving, fixed = eqx.partition(state, eqx.is_inexact_array)
    flat, restore = ravel_pytree(moving)
    if flat.size == 0:
        raise AnalysisError("loop_poles.state: contains no floating-point arrays, so the loop has no poles")

    def advance(vector: jax.Array) -> jax.Array:
        state = eqx.combine(restore(vector), fixed)
        for _ in range(steps):
            state = step(state)
        return ravel_pytree(eqx.filter(state, eqx.is_inexact_array))[0]

    matrix = np.asarray(jax.jit(jax.jacfwd(advance))(flat))
    if not np.isfinite(matrix).all():
        raise AnalysisError(
            "loop_poles.state: the derivative of the step is not finite at this state (for example a square root or "
            "norm of zero, or a limit); linearise at another state"
        )
    return poles_of(matrix, dt * steps)


def one_step(system: StateSpace, dt: float, method: str = "exact") -> tuple[np.ndarray, np.ndarray]:
    """Return matrices (Phi, Gamma) that advance a system by dt [s] under a held input."""
    n, m = system.B.shape
    M = np.zeros((n + m, n + m))
    M[:n, :n], M[:n, n:] = system.A * dt, system.B * dt
    if method == "exact":
        transition = scipy.linalg.expm(M)
    elif method == "rk4":
        eye = np.eye(n + m)
        transition = eye + M @ (eye + M / 2 @ (eye + M / 3 @ (eye + M / 4)))
    else:
        raise ParameterError(f'sampled_loop.method: got "{method}"; expected exact or rk4')
    return transition[:n, :n], transition[:n, n:]


def _ramp_matrices(system: StateSpace, dt: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return exact matrices for an input that varies linearly from its old to its new value."""
    n, m = system.B.shape
    M = np.zeros((n + 2 * m, n + 2 * m))
    M[:n, :n], M[:n, n : n + m] = system.A * dt, system.B * dt
    M[n : n + m, n + m :] = np.eye(m)
    transition = scipy.linalg.expm(M)
    return transition[:n, :n], transition[:n, n : n + m] - transition[:n, n + m :], transition[:n, n + m :]


def _augmented_matrix(Phi, Gamma, E, G, rig: StateSpace, whole: int, dt: float, hold: str) -> np.ndarray:
    """Matrix of [x, force, previous force, specimen, w_0 ... w_d]; w_i is the signal i samples ago."""
    n, f = Gamma.shape
    r, ns = E.shape[0], rig.order
    sizes = [n, f, f, ns, *([r] * (whole + 1))]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    block = [slice(a, b) for a, b in itertools.pairwise(starts)]
    M = np.zeros((starts[-1], starts[-1]))
    X, F, F_before, S, W = block[0], block[1], block[2], block[3], block[4:]
    if hold == "held":
        acting = [(F, 1.0)]
    elif hold == "extrapolated":
        acting = [(F, 1.5), (F_before, -0.5)]
    else:
        raise ParameterError(f'sampled_loop.hold: got "{hold}"; expected held or extrapolated')
    M[X, X], M[W[0], X] = Phi, E
    for which, share in acting:
        M[X, which] = share * Gamma
        M[W[0], which] = share * G
    for i in range(1, whole + 1):
        M[W[i], W[i - 1]] = np.eye(r)
    M[F_before, F] = np.eye(f)
    imposed = M[W[whole]].copy()  # imposed signal at the next sample as a function of this state
    if ns:
        Phi_s, before, after = _ramp_matrices(rig, dt)
        M[S, S] = Phi_s
        M[S, W[whole]] += before
        M[S] += after @ imposed
    M[F] = rig.C @ M[S] + rig.D @ imposed
    return M


def poles_of(matrix: np.ndarray, dt: float, duration: float | None = None) -> Poles:
    """Return the poles of a matrix that advances a loop by dt [s], in a test of a given duration [s], if any.

    A pole is neutral if rounding cannot separate it from the unit circle and if its motion changes by less than
    `MIN_CHANGE` within the test.
    """
    values, errors = eigenvalues(matrix)
    if duration is not None:
        errors = np.minimum(errors, MIN_CHANGE * dt / duration)
    order = np.argsort(-np.abs(values))
    return Poles(values[order], dt, errors[order])
