r"""Delay equation of a complete test: numerical substructure, predictor, transfer system, specimen, sensor.

Each axis j imposes on the specimen the motion :math:`u_j = G_j(s)\,e^{-s\tau_j}\,K(s)\,z_j`, with G a rational
transfer function and K the taps of the predictor, :math:`K = \sum_i w_i e^{-s t_i}`. The specimen returns the
force that acts on the numerical substructure:

.. math:: \dot x = A x + B F, \quad z = C x, \qquad
          \dot x_s = A_s x_s + B_s [u, \dot u, \ddot u], \quad F = C_s x_s + D_s [u, \dot u, \ddot u]

Every signal is a sum of delayed states. Adding, delaying and differentiating these sums gives the matrices of a
`DelayEquation`. Rates of the imposed motion are computed from the states, without numerical differentiation. If
the force depends on its own delayed value, the equation is neutral and an `AnalysisError` is raised.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.stability.delay_equation import DelayEquation
from dovetail.stability.neutral import require_retarded
from dovetail.stability.state_space import StateSpace
from dovetail.transfer.linear import LinearTransfer

Taps = Sequence[tuple[float, float]]  # (weight, delay [s]) of a predictor; ((1.0, 0.0),) without predictor


def linear_loop(
    numerical: StateSpace,
    specimen: StateSpace,
    transfer: LinearTransfer | Sequence[LinearTransfer],
    *,
    sensor: LinearTransfer | None = None,
    taps: Taps | Sequence[Taps] = ((1.0, 0.0),),
) -> DelayEquation:
    """Return the delay equation of a linear hybrid test with n axes.

    Parameters
    ----------
    numerical
        System from interface force (n,) to interface displacement (n,), without direct feed-through.
    specimen
        System from imposed displacement, velocity, acceleration (3 n,) to force on the numerical substructure (n,).
    transfer
        System from demand to imposed motion, with its delay; one for all axes or one per axis. One
        `LinearTransfer` with coefficients per axis is accepted too.
    sensor
        System from force to measured force, the same for all axes, including its delay (default: ideal).
    taps
        Weights and delays of a predictor on the demand; one list for all axes or one per axis.
    """
    n = numerical.C.shape[0]
    _check(numerical, specimen, n)
    actuators, predictors = _per_axis(transfer, n), _taps_per_axis(taps, n)
    parts = [StateSpace.from_transfer_function(actuator) for actuator in actuators]
    cell = StateSpace.from_transfer_function(sensor) if sensor is not None else None
    x, *inner, x_s, x_m = _states(
        numerical.order, *(part.order for part in parts), specimen.order, n * cell.order if cell else 0
    )
    delays = [float(actuator.delay) for actuator in actuators]
    axes = [_Axis(*of) for of in zip(parts, inner, predictors, delays, strict=True)]

    A, B, C = numerical.A, numerical.B, numerical.C
    kick = C @ A @ B  # contribution of the force to the numerical acceleration
    z, z_rate = x.times(C), x.times(C @ A)
    z_rate2 = x.times(C @ A @ A)  # without kick F, which is added below
    motions = [axis.imposed(z.row(j), z_rate.row(j), z_rate2.row(j)) for j, axis in enumerate(axes)]
    displacement, velocity, acceleration = zip(*motions, strict=True)
    _require_retarded(specimen.D[:, 2 * n :], np.diag([axis.direct for axis in axes]), kick)

    force = x_s.times(specimen.C) + _stack([*displacement, *velocity, *acceleration]).times(specimen.D)
    felt = force if cell is None else _measured(force, cell, x_m, n)
    felt = felt.late(float(sensor.delay) if sensor is not None else 0.0)
    kicked = felt.times(kick)
    complete = [a + axes[j].sent(kicked.row(j)).times(axes[j].part.D) for j, a in enumerate(acceleration)]
    imposed = _stack([*displacement, *velocity, *complete])

    rates = [x.times(A) + felt.times(B)]
    rates += [axis.rate(z.row(j)) for j, axis in enumerate(axes)]
    rates.append(x_s.times(specimen.A) + imposed.times(specimen.B))
    if cell is not None:
        rates.append(x_m.times(np.kron(np.eye(n), cell.A)) + force.times(np.kron(np.eye(n), cell.B)))
    every = _stack([rate for rate in rates if rate.rows])
    return DelayEquation(every.terms.get(0.0, np.zeros((every.rows, every.rows))), every.delayed())


def open_loop(numerical: StateSpace, specimen: StateSpace) -> StateSpace:
    """Return both substructures joined directly and cut at the force: from force used to force exerted.

    A motion delay that is equal on all axes is equivalent to a delay of the force. The direct feed-through is the
    inertia of the specimen over the inertia of the numerical substructure. If it is not zero, the delay equation is
    neutral; `switching` accepts it.
    """
    n = numerical.C.shape[0]
    _check(numerical, specimen, n)
    A, B, C = numerical.A, numerical.B, numerical.C
    motion = np.vstack([C, C @ A, C @ A @ A])
    kick = np.vstack([np.zeros((2 * n, n)), C @ A @ B])  # contribution of the force to the motion
    rest = np.zeros((numerical.order, specimen.order))
    return StateSpace(
        np.block([[A, rest], [specimen.B @ motion, specimen.A]]),
        np.vstack([B, specimen.B @ kick]),
        np.hstack([specimen.D @ motion, specimen.C]),
        specimen.D @ kick,
    )


def _measured(force: _Form, cell: StateSpace, x_m: _Form, n: int) -> _Form:
    return x_m.times(np.kron(np.eye(n), cell.C)) + force.times(np.kron(np.eye(n), cell.D))


class _Form:
    """Vector signal as a sum of delayed states: {delay: matrix}."""

    def __init__(self, terms: dict[float, np.ndarray]):
        self.terms = terms

    @property
    def rows(self) -> int:
        return next(iter(self.terms.values())).shape[0]

    def times(self, matrix: np.ndarray) -> _Form:
        return _Form({delay: matrix @ M for delay, M in self.terms.items()})

    def row(self, j: int) -> _Form:
        return _Form({delay: M[j : j + 1] for delay, M in self.terms.items()})

    def late(self, delay: float) -> _Form:
        return _Form({delay + d: M for d, M in self.terms.items()}) if delay else self

    def tapped(self, taps: Taps, delay: float) -> _Form:
        total = _Form({})
        for weight, when in taps:
            total += _Form({d: weight * M for d, M in self.late(delay + when).terms.items()})
        return total

    def __add__(self, other: _Form) -> _Form:
        terms = dict(self.terms)
        for delay, M in other.terms.items():
            terms[delay] = terms.get(delay, 0.0) + M
        return _Form(terms)

    def delayed(self) -> list[tuple[np.ndarray, float]]:
        return [(M, delay) for delay, M in self.terms.items() if delay > 0]


def _states(*sizes: int) -> list[_Form]:
    """Return the state vectors of parts of the given sizes, stacked."""
    rows = np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1])
    return [_Form({0.0: own}) for own in rows]


@dataclasses.dataclass(frozen=True)
class _Axis:
    """Path of one axis from the numerical interface to the specimen."""

    part: StateSpace  # of the actuator
    inner: _Form  # its states
    taps: Taps
    delay: float  # [s]

    def sent(self, signal: _Form) -> _Form:
        """Return an interface signal at the actuator: predicted and delayed."""
        return signal.tapped(self.taps, self.delay)

    def imposed(self, z: _Form, z_rate: _Form, z_rate2: _Form) -> tuple[_Form, _Form, _Form]:
        """Return displacement, velocity and acceleration imposed on the specimen for a demand and its rates."""
        demand, demand_rate, demand_rate2 = self.sent(z), self.sent(z_rate), self.sent(z_rate2)
        a, b, c, d = self.part.A, self.part.B, self.part.C, self.part.D
        velocity = self.inner.times(c @ a) + demand.times(c @ b) + demand_rate.times(d)
        acceleration = (
            self.inner.times(c @ a @ a)
            + demand.times(c @ a @ b)
            + demand_rate.times(c @ b)
            + demand_rate2.times(d)
        )
        return self.inner.times(c) + demand.times(d), velocity, acceleration

    @property
    def direct(self) -> float:
        """Bound on the contribution of a delayed numerical acceleration to the imposed acceleration."""
        return float(self.part.D[0, 0]) * sum(abs(w) for w, _ in self.taps)

    def rate(self, z: _Form) -> _Form:
        """Return the rate of the actuator states for a demand."""
        return self.inner.times(self.part.A) + self.sent(z).times(self.part.B)


def _require_retarded(inertia: np.ndarray, direct: np.ndarray, kick: np.ndarray) -> None:
    """Raise if the force depends on its own delayed value, through inertia, delayed acceleration and `kick`."""
    loop = np.abs(inertia) @ direct @ np.abs(kick)
    require_retarded(float(np.abs(np.linalg.eigvals(loop)).max(initial=0.0)), "linear_loop")
    if np.any(loop):
        raise AnalysisError(
            "linear_loop: a delayed acceleration acts through the specimen from one axis on another, so the "
            "equation is neutral; include the roll-off of the actuators, which makes the equation retarded"
        )


def _stack(forms: Sequence[_Form]) -> _Form:
    delays = sorted({delay for form in forms for delay in form.terms})
    width = next(iter(forms[0].terms.values())).shape[1]
    blank = lambda form: np.zeros((form.rows, width))  # noqa: E731
    return _Form({d: np.vstack([form.terms.get(d, blank(form)) for form in forms]) for d in delays})


def _per_axis(transfer: LinearTransfer | Sequence[LinearTransfer], n: int) -> list[LinearTransfer]:
    if isinstance(transfer, LinearTransfer):
        return [transfer.axis(j) for j in range(n)]
    if len(transfer) != n:
        raise ParameterError(
            f"linear_loop.transfer: got {len(transfer)} transfer systems; expected 1 or {n} (one per axis)"
        )
    return list(transfer)


def _taps_per_axis(taps: Taps | Sequence[Taps], n: int) -> list[Taps]:
    given: Any = taps  # one list of pairs, or one list per axis
    if np.ndim(given[0][0]) == 0:
        return [given] * n
    if len(taps) != n:
        raise ParameterError(f"linear_loop.taps: got {len(taps)} lists; expected 1 or {n} (one per axis)")
    return list(given)


def _check(numerical: StateSpace, specimen: StateSpace, n: int) -> None:
    if numerical.B.shape[1] != n:
        raise ParameterError(
            f"linear_loop.numerical: got {numerical.B.shape[1]} forces and {n} displacements; "
            "expected equal numbers"
        )
    if specimen.D.shape != (n, 3 * n):
        raise ParameterError(
            f"linear_loop.specimen: D has shape {specimen.D.shape}; expected {(n, 3 * n)}, from displacements, "
            "velocities and accelerations to forces"
        )
    if np.any(numerical.D) or np.any(numerical.C @ numerical.B):
        raise AnalysisError(
            "linear_loop.numerical: a force changes displacement or velocity of the interface instantly (D or C B is "
            "not zero); add mass at the interface, or analyse the sampled loop "
            "(stability.loop_poles)"
        )
