r"""The delay equation of a whole test: numerical part, predictor, transfer system, specimen, sensor.

Each axis j imposes on the specimen the motion :math:`u_j = G_j(s)\,e^{-s\tau_j}\,K(s)\,z_j`, with G a
rational transfer function and K the predictor's taps, :math:`K = \sum_i w_i e^{-s t_i}`. The specimen answers
with the force that drives the numerical substructure:

.. math:: \dot x = A x + B F, \quad z = C x, \qquad
          \dot x_s = A_s x_s + B_s [u, \dot u, \ddot u], \quad F = C_s x_s + D_s [u, \dot u, \ddot u]

Every signal is a sum of delayed states; adding, shifting and differentiating such sums gives the matrices of
a `DelayEquation`. Rates of the imposed motion come from the states, never from numerical differentiation. If
the force would depend on its own delayed value the equation is neutral, and an `AnalysisError` says so.
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

Taps = Sequence[tuple[float, float]]  # (weight, delay [s]) of a predictor; ((1.0, 0.0),) is none


def linear_loop(
    numerical: StateSpace,
    specimen: StateSpace,
    transfer: LinearTransfer | Sequence[LinearTransfer],
    *,
    sensor: LinearTransfer | None = None,
    taps: Taps | Sequence[Taps] = ((1.0, 0.0),),
) -> DelayEquation:
    """The delay equation of a linear hybrid test with n axes.

    Parameters
    ----------
    numerical
        Interface force (n,) in, interface displacement (n,) out; no direct feed-through.
    specimen
        Imposed displacement, velocity, acceleration (3 n,) in, force on the numerical substructure (n,) out.
    transfer
        Demand to imposed motion, with its delay; one for all axes or one each. May hold all axes in one
        `LinearTransfer` with coefficients per axis.
    sensor
        Force to measured force, the same for all axes; its delay counts too. Ideal by default.
    taps
        Weights and delays of a predictor acting on the demand, the same for all axes or one list each.
    """
    n = numerical.C.shape[0]
    _check(numerical, specimen, n)
    actuators, predictors = _per_axis(transfer, n), _taps_per_axis(taps, n)
    parts = [StateSpace.of(actuator) for actuator in actuators]
    cell = StateSpace.of(sensor) if sensor is not None else None
    x, *inner, x_s, x_m = _states(
        numerical.order, *(part.order for part in parts), specimen.order, n * cell.order if cell else 0
    )
    delays = [float(actuator.delay) for actuator in actuators]
    axes = [_Axis(*of) for of in zip(parts, inner, predictors, delays, strict=True)]

    A, B, C = numerical.A, numerical.B, numerical.C
    kick = C @ A @ B  # of the force in the numerical acceleration
    z, z_rate = x.times(C), x.times(C @ A)
    z_rate2 = x.times(C @ A @ A)  # plus kick F, added below where it is needed
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
    """Both substructures joined directly and cut at the force: the force used in, the force exerted out.

    A delay of the motion on its way to the specimen, the same on all axes, is one of the force on its way back. What
    passes at once is the inertia of the specimen over that of the numerical substructure; where it is not zero the
    delay equation is neutral, and `switching` takes it all the same.
    """
    n = numerical.C.shape[0]
    _check(numerical, specimen, n)
    A, B, C = numerical.A, numerical.B, numerical.C
    motion = np.vstack([C, C @ A, C @ A @ A])
    kick = np.vstack([np.zeros((2 * n, n)), C @ A @ B])  # of the force in the motion
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
    """A vector signal as a sum of delayed states: {delay: matrix}."""

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
    """The states of parts of those sizes, one below another."""
    rows = np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1])
    return [_Form({0.0: own}) for own in rows]


@dataclasses.dataclass(frozen=True)
class _Axis:
    """The way of one axis from the numerical interface to the specimen."""

    part: StateSpace  # of the actuator
    inner: _Form  # its states
    taps: Taps
    delay: float  # [s]

    def sent(self, signal: _Form) -> _Form:
        """A signal of the interface as it reaches the actuator: predicted, and late."""
        return signal.tapped(self.taps, self.delay)

    def imposed(self, z: _Form, z_rate: _Form, z_rate2: _Form) -> tuple[_Form, _Form, _Form]:
        """Displacement, velocity and acceleration of the specimen for a demand and its rates."""
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
        """How much of a delayed numerical acceleration is in the imposed one, at most."""
        return float(self.part.D[0, 0]) * sum(abs(w) for w, _ in self.taps)

    def rate(self, z: _Form) -> _Form:
        """Rate of the actuator's states for a demand."""
        return self.inner.times(self.part.A) + self.sent(z).times(self.part.B)


def _require_retarded(inertia: np.ndarray, direct: np.ndarray, kick: np.ndarray) -> None:
    """Raise where the force would depend on its own past: through inertia, delayed acceleration and kick."""
    loop = np.abs(inertia) @ direct @ np.abs(kick)
    require_retarded(float(np.abs(np.linalg.eigvals(loop)).max(initial=0.0)), "linear_loop")
    if np.any(loop):
        raise AnalysisError(
            "linear_loop: a delayed acceleration acts through the specimen from one axis on another, so the "
            "force depends on its own past; model the actuators' roll-off, which makes the equation retarded"
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
            f"linear_loop.transfer: got {len(transfer)}; must be one, or one for each of {n} axes"
        )
    return list(transfer)


def _taps_per_axis(taps: Taps | Sequence[Taps], n: int) -> list[Taps]:
    given: Any = taps  # which of the two shows in what the first holds
    if np.ndim(given[0][0]) == 0:
        return [given] * n
    if len(taps) != n:
        raise ParameterError(
            f"linear_loop.taps: got {len(taps)} lists; must be one, or one for each of {n} axes"
        )
    return list(given)


def _check(numerical: StateSpace, specimen: StateSpace, n: int) -> None:
    if numerical.B.shape[1] != n:
        raise ParameterError(
            f"linear_loop.numerical: takes {numerical.B.shape[1]} forces and shows {n} displacements; "
            "must be equal"
        )
    if specimen.D.shape != (n, 3 * n):
        raise ParameterError(
            f"linear_loop.specimen: D has shape {specimen.D.shape}; must be {(n, 3 * n)}, forces against "
            "displacements, velocities and accelerations"
        )
    if np.any(numerical.D) or np.any(numerical.C @ numerical.B):
        raise AnalysisError(
            "linear_loop.numerical: a force moves or kicks the interface at once (D or C B is not zero), so "
            "it has no mass there; give the interface a mass, or analyse the sampled loop "
            "(stability.loop_poles)"
        )
