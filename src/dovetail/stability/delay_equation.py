r"""Characteristic roots of a linear delay equation with any number of fixed delays.

.. math:: \dot x(t) = A_0 x(t) + \sum_i A_i\,x(t-\tau_i)

has infinitely many roots of :math:`\det\Delta(\lambda)=0`, :math:`\Delta(\lambda)=\lambda I-A_0-\sum_i
A_i e^{-\lambda\tau_i}`, but only finitely many to the right of any vertical line. The roots with the largest real part
decide stability. They are computed in two steps.

1. The generator of the solution operator is collocated on Chebyshev nodes over the longest delay
   [Breda, Maset, Vermiglio 2005]. Only the delayed signals (the row space of the A_i) are stored at the nodes, so one
   delayed force needs one matrix row per node for a model of any size.
2. Each eigenvalue is refined by Newton's method on the bordered characteristic matrix, which stays well scaled unlike
   the determinant, and gets an error estimate.

The number of nodes is increased until the dominant roots no longer change.
Retarded equations only: a delayed acceleration makes the equation neutral, see `neutral`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import ArrayLike

from dovetail.core.errors import ConvergenceError, ParameterError

_EPS = np.finfo(float).eps
_LARGEST_EXPONENT = 600.0  # exp of it is finite


@dataclass(frozen=True)
class Roots:
    """Dominant characteristic roots, largest real part first; complex pairs appear as two members."""

    values: np.ndarray  # [1/s] complex
    errors: np.ndarray  # [1/s] estimated error of each root: residual and rounding over its condition
    nodes: int  # collocation nodes used

    @property
    def significant(self) -> np.ndarray:
        """Roots that rounding can separate from neutral; the others neither grow nor decay."""
        return self.values[np.abs(self.values.real) > self.errors]

    @property
    def growth(self) -> float:
        """Largest real part [1/s] of roots that grow or decay: positive if unstable; zero if all are neutral."""
        return float(self.significant[0].real) if self.significant.size else 0.0

    @property
    def omega(self) -> float:
        """Frequency [rad/s] of the dominant root."""
        return float(abs((self.significant if self.significant.size else self.values)[0].imag))

    @property
    def stable(self) -> bool:
        """True if every root that is not neutral decays."""
        return self.growth < 0


class DelayEquation:
    """Linear delay equation x'(t) = A0 x(t) + sum_i A_i x(t - tau_i).

    Parameters
    ----------
    A0
        Undelayed matrix, (n, n) [1/s].
    delayed
        Pairs (A_i, tau_i [s]); zero delays are added to A0, equal delays are merged.

    Examples
    --------
    >>> hayes = DelayEquation([[0.0]], [([[-1.0]], 1.0)])   # x' = -x(t - 1)
    >>> hayes.roots().values[0].round(6)
    np.complex128(-0.318132+1.337236j)
    """

    def __init__(self, A0: ArrayLike, delayed: Iterable[tuple[ArrayLike, float]] = ()):
        A0 = np.atleast_2d(np.asarray(A0, dtype=float))
        n = A0.shape[0]
        if A0.shape != (n, n):
            raise ParameterError(f"DelayEquation.A0: got shape {A0.shape}; must be square")
        merged: dict[float, np.ndarray] = {}
        for i, (matrix, tau) in enumerate(delayed):
            A, tau = np.atleast_2d(np.asarray(matrix, dtype=float)), float(tau)
            if A.shape != (n, n):
                raise ParameterError(f"DelayEquation.delayed[{i}]: got shape {A.shape}; must be {(n, n)}")
            if not 0 <= tau < np.inf:
                raise ParameterError(
                    f"DelayEquation.delayed[{i}]: got a delay of {tau:g} s; expected zero or more and finite. "
                    "A negative delay is non-causal: use the phase margin (stability.margin)"
                )
            merged[tau] = merged.get(tau, 0.0) + A
        self.A0 = A0 + merged.pop(0.0, 0.0)
        pairs = [(tau, A) for tau, A in sorted(merged.items()) if np.any(A)]
        self.taus = np.array([tau for tau, _ in pairs])
        self.As = np.array([A for _, A in pairs]).reshape(-1, n, n)
        if not all(np.isfinite(x).all() for x in (self.A0, self.As)):
            raise ParameterError("DelayEquation: the matrices contain non-finite values")

    @property
    def order(self) -> int:
        """Number of states."""
        return self.A0.shape[0]

    @property
    def max_delay(self) -> float:
        """Largest delay [s]."""
        return float(self.taus[-1]) if self.taus.size else 0.0

    def __repr__(self) -> str:
        return f"DelayEquation({self.order} states, {self.taus.size} delays up to {self.max_delay:.4g} s)"

    def with_delays(self, taus: ArrayLike) -> DelayEquation:
        """Return the same matrices with other delays: one for all, or one per distinct delay, ascending."""
        taus = np.broadcast_to(np.asarray(taus, dtype=float), self.taus.shape)
        return DelayEquation(self.A0, list(zip(self.As, taus, strict=True)))

    def characteristic_matrix(self, s: complex | np.ndarray) -> np.ndarray:
        """Return Delta(s), of shape s.shape + (n, n)."""
        s = np.asarray(s, dtype=complex)[..., None, None]
        late = np.tensordot(np.exp(-s[..., 0] * self.taus), self.As, 1)
        return s * np.eye(self.order) - self.A0 - late

    def characteristic_slope(self, s: complex | np.ndarray) -> np.ndarray:
        """Return dDelta/ds, of shape s.shape + (n, n)."""
        s = np.asarray(s, dtype=complex)[..., None]
        late = np.tensordot(self.taus * np.exp(-s * self.taus), self.As, 1)
        return np.eye(self.order) + late

    def radius(self, growth: float | np.ndarray = 0.0) -> np.ndarray:
        """Return a bound [1/s] on |lambda| of every root with real part at least `growth`.

        The bound is the spectral radius of |A0| + sum_i |A_i| exp(-growth tau_i); scaling of the states does not
        change it.
        """
        exponent = np.minimum(-np.multiply.outer(growth, self.taus), _LARGEST_EXPONENT)
        size = np.abs(self.A0) + np.tensordot(np.exp(exponent), np.abs(self.As), 1)
        return np.abs(np.linalg.eigvals(size)).max(axis=-1)

    def roots(self, count: int = 6, *, tolerance: float = 1e-9, max_nodes: int = 400) -> Roots:
        """Return the dominant roots, refined and converged in the number of nodes.

        Parameters
        ----------
        count
            Minimum number of roots (a complex pair is not split).
        tolerance
            Largest change of the roots between two resolutions, relative to |lambda|.
        max_nodes
            Largest number of nodes.

        Raises
        ------
        ConvergenceError
            If the dominant roots still change at `max_nodes` nodes.
        """
        scaled, _ = self._scaled()
        if not self.taus.size:
            values = np.linalg.eigvals(scaled.A0).astype(complex)
            values, errors, _ = _polish(scaled, values, 1e-2 * np.abs(values) + _EPS)
            return _sorted_roots(values, errors, 0, count)
        # exp(lambda theta) needs |lambda| tau / 2 nodes to be resolved, and about 12 more for accuracy
        nodes = int(np.clip(0.5 * self.radius() * self.max_delay, 0, 30)) + 14
        before: np.ndarray | None = None
        while nodes <= max_nodes:
            spectrum, complete = _attempt(scaled, nodes, count)
            if complete and before is not None and len(before) == len(spectrum.values):
                scale = np.maximum(np.abs(spectrum.values), 1.0 / self.max_delay)
                if np.all(np.abs(spectrum.values - before) <= tolerance * scale):
                    return spectrum
            before = spectrum.values if complete else None
            nodes = int(1.4 * nodes) + 2
        raise ConvergenceError(
            f"{self!r}: the {count} dominant roots still change at {max_nodes} nodes; reduce count, "
            "increase max_nodes, or check whether the equation is nearly neutral"
        )

    def growth(self) -> float:
        """Return the largest real part [1/s] of all non-neutral roots (see `Roots`)."""
        roots = self.roots(2)
        return roots.growth if roots.significant.size else self.roots(6).growth

    def stable(self) -> bool:
        """Return True if every root that is not neutral decays."""
        return self.growth() < 0

    def _scaled(self) -> tuple[DelayEquation, np.ndarray]:
        """Return the equation in balanced coordinates (same roots), and the scaling."""
        d = _scaling(self)
        other = object.__new__(DelayEquation)
        other.A0, other.taus = self.A0 / d[:, None] * d, self.taus
        other.As = self.As / d[:, None] * d
        return other, d


def _scaling(equation: DelayEquation) -> np.ndarray:
    """Return the diagonal scaling that balances all matrices together."""
    size = np.abs(equation.A0) + np.abs(equation.As).sum(axis=0)
    _, (scale, _) = scipy.linalg.matrix_balance(size, permute=False, separate=True)
    return scale


@lru_cache(maxsize=64)
def _chebyshev(nodes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return nodes on [-1, 0] from 0 down, barycentric weights and differentiation matrix."""
    k = np.arange(nodes + 1)
    x = np.cos(np.pi * k / nodes)
    weights = np.where((k == 0) | (k == nodes), 0.5, 1.0) * (-1.0) ** k
    gap = x[:, None] - x[None, :] + np.eye(nodes + 1)
    D = weights[None, :] / weights[:, None] / gap
    np.fill_diagonal(D, 0.0)
    np.fill_diagonal(D, -D.sum(axis=1))
    return (x - 1) / 2, weights, 2 * D


def _interpolation(nodes: int, theta: np.ndarray) -> np.ndarray:
    """Return barycentric rows: the value at theta in [-1, 0] as a combination of the node values."""
    x, weights, _ = _chebyshev(nodes)
    gap = theta[:, None] - x
    hit = gap == 0
    rows = weights / np.where(hit, 1.0, gap)
    rows /= rows.sum(axis=1, keepdims=True)
    return np.where(hit.any(axis=1, keepdims=True), hit.astype(float), rows)


def _generator(equation: DelayEquation, nodes: int) -> np.ndarray:
    """Collocated generator; unknowns are x and the delayed signals q = R x at all nodes except the first."""
    n, max_delay = equation.order, equation.max_delay
    _, sizes, rows = np.linalg.svd(equation.As.reshape(-1, n))
    rank = int(np.sum(sizes > sizes[0] * n * _EPS))
    R = rows[:rank]  # orthonormal basis of the delayed signals, A_i = (A_i R^T) R
    gains = equation.As @ R.T
    _, _, D = _chebyshev(nodes)
    D = D / max_delay
    late = np.einsum("ik,inr->nkr", _interpolation(nodes, -equation.taus / max_delay), gains)
    G = np.zeros((n + nodes * rank, n + nodes * rank))
    G[:n, :n] = equation.A0 + late[:, 0, :] @ R
    G[:n, n:] = late[:, 1:, :].reshape(n, -1)
    G[n:, :n] = np.kron(D[1:, :1], R)
    G[n:, n:] = np.kron(D[1:, 1:], np.eye(rank))
    return G


def _attempt(equation: DelayEquation, nodes: int, count: int) -> tuple[Roots, bool]:
    """Return the dominant roots at one resolution, and whether no root is missed at this resolution."""
    values = np.linalg.eigvals(_generator(equation, nodes)).astype(complex)
    values = values[values.imag >= -_EPS * np.abs(values)]  # one of each pair
    # collocation adds spurious high frequencies; the real part of a root bounds its modulus
    values = values[np.abs(values) <= 1.1 * equation.radius(values.real)]
    values = values[np.argsort(-values.real)][: count + 4]
    near = 1e-2 * np.maximum(np.abs(values), 1.0 / equation.max_delay)
    polished, errors, good = _polish(equation, values, near)
    roots = _sorted_roots(polished[good], errors[good], nodes, count)
    if not len(roots.values):
        return roots, False
    # an unresolved eigenvalue further right than the last root might hide one
    complete = len(roots.values) >= count and not np.any(values[~good].real > roots.values[-1].real)
    return roots, complete


def _sorted_roots(values: np.ndarray, errors: np.ndarray, nodes: int, count: int) -> Roots:
    """Return the roots sorted, with conjugates restored and pairs kept together."""
    real = np.abs(values.imag) <= 10 * errors + 1e-12 * np.abs(values)
    values = np.where(real, values.real, values)
    upper = values.imag >= 0
    values, errors, real = values[upper], errors[upper], real[upper]
    order = np.lexsort((values.imag, -values.real))
    out: list[complex] = []
    err: list[float] = []
    for i in order:
        if len(out) >= count:
            break
        pair = [values[i]] if real[i] else [values[i], np.conj(values[i])]
        out += pair
        err += [errors[i]] * len(pair)
    return Roots(np.array(out), np.array(err), nodes)


def _polish(
    equation: DelayEquation, start: np.ndarray, near: np.ndarray, steps: int = 12
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Newton's method on g(s), where [[Delta, b], [c^H, 0]] [v; g] = [0; 1]: g is zero where Delta is singular.

    The borders b, c are the singular vectors at the start, so the bordered matrix is regular there. Returns roots,
    error estimates, and whether each root converged within the distance `near` of its start. A multiple root is not
    moved; its error estimate covers rounding only.
    """
    s, n = np.array(start), equation.order
    U, sizes, Vh = np.linalg.svd(equation.characteristic_matrix(s))
    # a root of several independent modes has no regular border: the eigenvalue is returned unchanged
    shared = sizes[:, -2] <= 1e-9 * sizes[:, 0] if n > 1 else np.zeros(s.size, dtype=bool)
    bordered = np.zeros((s.size, n + 1, n + 1), dtype=complex)
    bordered[:, :n, n] = U[:, :, -1]
    bordered[:, n, :n] = Vh[:, -1, :]
    unit = np.zeros((s.size, n + 1, 1))
    unit[:, n] = 1.0
    last, good = np.full(s.size, np.inf), np.ones(s.size, dtype=bool)
    for _ in range(steps):
        bordered[:, :n, :n] = equation.characteristic_matrix(s)
        bordered[shared] = np.eye(n + 1)
        right = np.linalg.solve(bordered, unit)[..., 0]
        left = np.linalg.solve(bordered.transpose(0, 2, 1), unit)[..., 0]
        v, w, g = right[:, :n], left[:, :n], np.where(shared, 0.0, right[:, n])
        slope = -np.einsum("ri,rij,rj->r", w, equation.characteristic_slope(s), v)
        step = -g / np.where(slope == 0, np.inf, slope)
        good &= np.abs(s + step - start) <= near
        s = np.where(good, s + step, start)
        last = np.abs(step)
        if np.all((last <= 4 * _EPS * np.abs(s)) | ~good):
            break
    # rounding in Delta moves a root by its size over |w Delta' v|
    norms = np.linalg.norm(equation.As, axis=(1, 2))
    weights = np.exp(np.minimum(-np.multiply.outer(s.real, equation.taus), _LARGEST_EXPONENT))
    size = np.abs(s) + np.linalg.norm(equation.A0) + weights @ norms
    reach = np.linalg.norm(w, axis=1) * np.linalg.norm(v, axis=1) / np.maximum(np.abs(slope), 1e-300)
    return s, last + _EPS * size * reach, good
