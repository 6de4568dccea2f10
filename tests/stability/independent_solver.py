r"""A second opinion on delays, which shares nothing with what it judges: physics in, verdict out.

The numerical part is a chain of masses by its modes, :math:`N(s) = \sum_i \phi_i^2/(s^2 + 2\zeta_i\omega_i s +
\omega_i^2)` at the interface; the specimen is :math:`P(s) = k + cs + ms^2`, or a spring of which a share relaxes.

- *Crossings*: :math:`|N P|^2 = 1` is a polynomial in :math:`\omega^2`, in 200 decimal digits. Its positive roots are
  counted by Sturm's chain, so none can be missed; a claimed one is a change of sign within a part in ten million.
- *What follows*: phases and senses from the same polynomials; the joined structure is passive, hence stable.
- *Simulation*: the delay equation stepped in the time domain, exact but for a cubic through the past force.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from decimal import Decimal, localcontext

import numpy as np
import scipy.linalg

DIGITS = 200
NEAR = 1e-7  # relative: within this a claimed frequency must be a true one


@dataclass(frozen=True)
class Case:
    """A chain of masses with springs between them and to the ground, and what is tested at one of them."""

    mass: np.ndarray  # [kg] (n,)
    stiffness: np.ndarray  # [N/m] (n, n)
    damping_ratio: np.ndarray  # (n,) of each mode, slowest first
    at: int  # mass of the interface, from 0
    kind: str  # "spring", "storey" or "relaxing"
    k: float  # [N/m]
    c: float = 0.0  # [N s/m]
    m: float = 0.0  # [kg]
    share: float = 0.0  # of the force that relaxes
    tau: float = 1.0  # [s] of the relaxation

    def modes(self) -> tuple[np.ndarray, np.ndarray]:
        """Frequencies [rad/s], and mass-normalised shapes in columns."""
        squares, shapes = scipy.linalg.eigh(self.stiffness, np.diag(self.mass))
        return np.sqrt(squares), shapes


def draw(rng: np.random.Generator, masses: int, kind: str, at: int | None = None) -> Case:
    """A lightly damped chain with a random specimen, of a size that may or may not be destabilised."""
    mass = np.exp(rng.uniform(-1.5, 1.5, masses))
    between = 1e4 * np.exp(rng.uniform(-2, 2, masses))  # to the neighbour below, the first to the ground
    grounded = 1e4 * np.exp(rng.uniform(-3, 1, masses)) * (rng.random(masses) < 0.4)
    K = np.diag(between + np.append(between[1:], 0.0) + grounded)
    K -= np.diag(between[1:], 1) + np.diag(between[1:], -1)
    ratio = np.exp(rng.uniform(np.log(5e-4), np.log(0.1), masses))
    at = int(rng.integers(masses)) if at is None else at
    k = 1 / np.linalg.inv(K)[at, at] * np.exp(rng.uniform(-4, 2))
    slow = np.sqrt(scipy.linalg.eigh(K, np.diag(mass), eigvals_only=True)[0])
    if kind == "storey":  # now and then heavier than what the interface moves
        m = mass[at] * np.exp(rng.uniform(-5, 0.2))
        return Case(mass, K, ratio, at, kind, k, 2 * rng.uniform(0, 0.05) * np.sqrt(k * m), m)
    if kind == "relaxing":
        return Case(mass, K, ratio, at, kind, k, share=rng.uniform(0, 0.9), tau=rng.uniform(0.1, 10) / slow)
    return Case(mass, K, ratio, at, kind, k, k / slow * rng.choice([0.0, 1.0]) * 10 ** rng.uniform(-4, -1))


class Judge:
    """What the delay does to one case."""

    def __init__(self, case: Case):
        self.case = case
        omega, shapes = case.modes()
        self.scale = float(np.exp(np.mean(np.log(omega))))  # unit of frequency
        with localcontext() as context:
            context.prec = DIGITS
            w = [Decimal(x) for x in omega / self.scale]
            modes = [
                [x * x, 2 * Decimal(z) * x, Decimal(1)] for x, z in zip(w, case.damping_ratio, strict=True)
            ]
            den, num = [Decimal(1)], [Decimal(0)]
            for shape, mode in zip(shapes[case.at], modes, strict=True):
                num = _add(_times(num, mode), [Decimal(shape) ** 2 * x for x in den])
                den = _times(den, mode)
            unit = Decimal(self.scale)
            k, c, m = Decimal(case.k) / unit**2, Decimal(case.c) / unit, Decimal(case.m)
            force, memory = [k, c, m], [Decimal(1)]
            if case.kind == "relaxing":
                tau = Decimal(case.tau) * unit
                force, memory = [k * (1 - Decimal(case.share)), k * tau], [Decimal(1), tau]
            # lowest power first; L = -num/den
            self.num, self.den = _stripped(_times(num, force)), _stripped(_times(den, memory))
            self.gap = _stripped(
                _add(_square(self.num), [-x for x in _square(self.den)])
            )  # |L| > 1 where positive
            self.heavy = len(self.num) == len(self.den) and abs(self.num[-1]) >= abs(self.den[-1])

    def crossing_count(self) -> int:
        """How often |L| passes one between rest and infinite frequency: Sturm's theorem."""
        with localcontext() as context:
            context.prec = DIGITS
            chain = [self.gap, [i * x for i, x in enumerate(self.gap)][1:]]
            while len(chain[-1]) > 1:
                rest = _remainder(chain[-2], chain[-1])
                if not rest:
                    break
                chain.append(rest)
            low, high = ([p[i] for p in chain] for i in (0, -1))
            return _changes(low) - _changes(high)

    def sense(self, omega: float) -> int:
        """1 where |L| falls through one at a frequency [rad/s], -1 where it rises, 0 where it does neither."""
        with localcontext() as context:
            context.prec = DIGITS
            below, above = (
                _value(self.gap, (Decimal(omega / self.scale) * (1 + side)) ** 2)
                for side in (Decimal(-NEAR), Decimal(NEAR))
            )
        return 0 if (below > 0) == (above > 0) else (1 if below > 0 else -1)

    def loop(self, omega: float) -> complex:
        """L(j omega), force returned to the numerical part per force; by modes."""
        case, s = self.case, 1j * omega
        frequencies, shapes = case.modes()
        receptance = np.sum(
            shapes[case.at] ** 2 / (s**2 + 2 * case.damping_ratio * frequencies * s + frequencies**2)
        )
        relaxed = case.share / (1 + case.tau * s) if case.kind == "relaxing" else 0.0
        return complex(-receptance * (case.k * (1 - relaxed) + case.c * s + case.m * s**2))

    def first_loss(self, frequencies: list[float]) -> float:
        """First delay [s] at which stability is lost, given all frequencies that cross.

        The joined structure is passive: it starts without unstable root, and each falling crossing brings a pair.
        """
        down = [w for w in frequencies if self.sense(w) > 0]
        return min(((np.angle(self.loop(w)) % (2 * np.pi)) / w for w in down), default=np.inf)

    def pairs(self, frequencies: list[float], delay: float) -> int:
        """Unstable pairs at a delay [s], given all frequencies that cross."""
        count = 0
        for w in frequencies:
            first = (np.angle(self.loop(w)) % (2 * np.pi)) / w
            if delay > first:
                count += self.sense(w) * (1 + int((delay - first) * w / (2 * np.pi)))
        return count

    def grows(self, delay: float, fastest: float) -> float:
        """Growth [1/s] of a random start after a long time, at a delay [s]; `fastest` [rad/s] is to be resolved."""
        A, b, c, g = self._equations()
        steps = int(np.clip(np.ceil(fastest * delay / 0.15), 8, 4000))
        h = delay / steps
        # x' = A x + b w with w a cubic over the step, in powers of the step's share
        n = len(A)
        whole = np.zeros((n + 4, n + 4))
        whole[:n, :n], whole[:n, n] = A * h, b * h
        whole[n : n + 3, n + 1 :] = np.eye(3)
        exact = scipy.linalg.expm(whole)
        through = np.vander([-1.0, 0.0, 1.0, 2.0], 4, increasing=True)
        weights = (exact[:n, n:] * [1.0, 1.0, 2.0, 6.0]) @ np.linalg.inv(through)
        M = np.zeros((n + steps + 2,) * 2)  # state, and the force of the last samples, newest first
        M[:n, :n] = exact[:n, :n]
        M[:n, [n + steps + 1, n + steps, n + steps - 1, n + steps - 2]] = weights
        M[n] = c @ M[:n]
        M[n, n + steps - 1] += g
        M[n + 1 :, n:-1] = np.eye(steps + 1)
        scale = scipy.linalg.matrix_balance(M, permute=False, separate=True)[1][0]
        M = M / scale[:, None] * scale
        x, power, grown, passed = np.random.default_rng(1).standard_normal(len(M)), M, 0.0, 0
        power_log = 0.0
        for _ in range(34):  # 2^34 steps by doubling; the growth is read between the last two
            y = power @ x
            size = np.linalg.norm(y)
            grown, passed = np.log(size / np.linalg.norm(x)) + power_log, passed + 1
            x = y / size
            power, power_log = power @ power, 2 * power_log
            largest = np.abs(power).max()
            power, power_log = power / largest, power_log + np.log(largest)
            if abs(grown) > 60:
                break
        return grown / (2.0 ** (passed - 1) * h)

    def _equations(self):
        """x' = A x + b w, force = c x + g w with w the force of a delay ago."""
        case, n = self.case, len(self.case.mass)
        omega, shapes = case.modes()
        weighted = case.mass[:, None] * shapes
        C = weighted @ np.diag(2 * case.damping_ratio * omega) @ weighted.T
        own = 1 if case.kind == "relaxing" else 0
        A = np.zeros((2 * n + own,) * 2)
        A[:n, n : 2 * n] = np.eye(n)
        A[n : 2 * n, :n], A[n : 2 * n, n : 2 * n] = (
            -case.stiffness / case.mass[:, None],
            -C / case.mass[:, None],
        )
        b = np.zeros(len(A))
        b[n + case.at] = 1 / case.mass[case.at]
        c = -case.m * A[n + case.at]
        c[case.at] -= case.k
        c[n + case.at] -= case.c
        if own:
            A[-1, case.at], A[-1, -1] = 1 / case.tau, -1 / case.tau
            c[-1] = case.k * case.share
        return A, b, c, -case.m / case.mass[case.at]


def _add(p, q):
    short, long = sorted((p, q), key=len)
    return [x + short[i] if i < len(short) else x for i, x in enumerate(long)]


def _times(p, q):
    out = [Decimal(0)] * (len(p) + len(q) - 1)
    for i, x in enumerate(p):
        for j, y in enumerate(q):
            out[i + j] += x * y
    return out


def _square(p):
    """|p(j w)|^2 in powers of w^2."""
    even = [x * (-1) ** i for i, x in enumerate(p[0::2])]
    odd = [x * (-1) ** i for i, x in enumerate(p[1::2])]
    return _add(_times(even, even), [Decimal(0), *_times(odd, odd)] if odd else [Decimal(0)])


def _remainder(p, q):
    """Minus the remainder of a division, scaled to a largest coefficient of one."""
    rest = list(p)
    while len(rest) >= len(q):
        factor = rest[-1] / q[-1]
        shift = len(rest) - len(q)
        rest = [x - factor * q[i - shift] if i >= shift else x for i, x in enumerate(rest)][:-1]
    largest = max((abs(x) for x in rest), default=Decimal(0))
    if largest < Decimal(10) ** (-DIGITS // 2) * max(abs(x) for x in p):
        return []
    return _stripped([-x / largest for x in rest])


def _stripped(p):
    """Without the zeros of highest power."""
    while len(p) > 1 and p[-1] == 0:
        p = p[:-1]
    return p


def _changes(values):
    signs = [x > 0 for x in values if x != 0]
    return sum(a != b for a, b in itertools.pairwise(signs))


def _value(p, x):
    total = Decimal(0)
    for coefficient in reversed(p):
        total = total * x + coefficient
    return total
