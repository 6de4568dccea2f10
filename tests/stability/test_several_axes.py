r"""Delays of tests with several axes, against the argument principle.

Masses that springs join, some of them at an interface, and a specimen at these: springs, springs with masses, or a
mass held between them. With the receptance :math:`N(s)` at the interface and the specimen's dynamic stiffness
:math:`S(s)`, by modes and by hand, the loop has the roots of :math:`f(s) = \det(I + e^{-s\tau} N(s) S(s))`. Neither N
nor S has an unstable pole, so f turns by :math:`-\pi` along the imaginary axis, from rest to infinity, for each
unstable root. What is judged are the numbers of unstable roots between any two of the crossings that are claimed.
"""

import itertools
import os
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.linalg

import dovetail as dv
from dovetail.testing.stability_at_rest import delays

KINDS = ("springs", "storeys", "middle mass")
PARTS = 16  # of many cases, so that processes can share them


@dataclass(frozen=True)
class Case:
    """Masses in a net of springs, and what is at the first of them."""

    M: np.ndarray  # [kg] (n,)
    K: np.ndarray  # [N/m] (n, n)
    ratio: np.ndarray  # (n,) damping of each mode
    axes: int
    kind: str
    k: np.ndarray  # [N/m] (axes,)
    c: np.ndarray  # [N s/m] (axes,)
    m: np.ndarray  # [kg] (axes,), or the one in the middle

    def modes(self):
        squares, shapes = scipy.linalg.eigh(self.K, np.diag(self.M))
        return np.sqrt(squares), shapes

    def test(self):
        """As a hybrid test."""
        n, (omega, shapes) = len(self.M), self.modes()
        damping = (
            self.M[:, None] * shapes @ np.diag(2 * self.ratio * omega) @ shapes.T
        )  # M^-1 C, by its modes
        damping = damping / self.M[:, None] * self.M
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-self.K / self.M[:, None], -damping]])
        at = np.eye(n)[:, : self.axes]
        numerical = dv.mechanics.StateSpaceModel(
            A, np.vstack([0 * at, at / self.M[:, None]]), np.hstack([at.T, 0 * at.T])
        )
        specimen = {
            "springs": lambda: dv.specimens.Spring(k=self.k, c=self.c),
            "storeys": lambda: dv.specimens.Storey(
                mass=self.m, stiffness=self.k, damping_ratio=self.c / (2 * np.sqrt(self.k * self.m))
            ),
            "middle mass": lambda: dv.specimens.MiddleMass(m=self.m[0], k=self.k, c=self.c),
        }[self.kind]()
        return dv.Test(numerical, dv.Rig(dv.transfer.Delay(1e-4), specimen), rate=10_000.0, duration=1.0)

    def loop(self, omega):
        """N S at each frequency [rad/s], (frequencies, axes, axes)."""
        w, shapes = self.modes()
        s = 1j * omega[:, None, None]
        at = shapes[: self.axes]
        N = np.einsum("im,jm,fm->fij", at, at, 1 / (s[..., 0] ** 2 + 2 * self.ratio * w * s[..., 0] + w**2))
        force = self.k + self.c * s[..., 0]
        S = force[:, :, None] * np.eye(self.axes)
        if self.kind == "storeys":
            S = S + self.m * np.eye(self.axes) * s**2
        if self.kind == "middle mass":
            own = self.m[0] * s**2 + force.sum(axis=1)[:, None, None]
            S = S - force[:, :, None] * force[:, None, :] / own
        return N @ S

    @property
    def heavy(self):
        """Whether the specimen's inertia alone returns as much as it is given."""
        return self.kind == "storeys" and np.max(self.m / self.M[: self.axes]) >= 1

    def unstable(self, delay):
        """Unstable roots at a delay [s]."""
        w, _ = self.modes()
        own, rate = np.sqrt(self.k.sum() / self.m[0]), np.max(self.c / self.M[: self.axes])
        fast = 40 * max(w.max(), own, rate)
        end = (
            2 * np.pi * np.ceil(fast * delay / (2 * np.pi)) / delay
        )  # the inertia returned there has no phase
        widths = np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 25)])
        near = [x * (1 + side * z * widths) for x, z in zip(w, self.ratio, strict=True) for side in (-1, 1)]
        whole = [np.geomspace(1e-4 * w.min(), end, 2000), np.arange(0.0, end, 0.2 / delay)]
        new = np.unique(np.clip(np.concatenate([*whole, *near]), 0.0, end))
        omega, f = np.zeros(0), np.zeros(0)
        for _ in range(60):  # halve every step over which f turns too far to be sure of its sense
            omega, f = np.append(omega, new), np.append(f, self.determinant(new, delay))
            order = np.argsort(omega)
            omega, f = omega[order], f[order]
            turned = np.angle(f[1:] / f[:-1])
            wide = np.abs(turned) > 0.4
            if not wide.any():
                break
            new = 0.5 * (omega[:-1] + omega[1:])[wide]
        count = -turned.sum() / np.pi
        assert abs(count - round(count)) < 0.1, f"{count} roots"
        return round(count)

    def determinant(self, omega, delay):
        """f at frequencies [rad/s]."""
        return np.linalg.det(
            np.eye(self.axes) + np.exp(-1j * omega * delay)[:, None, None] * self.loop(omega)
        )


def drawn(number, seed):
    """Two to six masses, two or three of them at the interface, lightly damped."""
    rng = np.random.default_rng([seed, number])
    n = int(rng.integers(2, 7))
    axes, kind = int(rng.integers(2, min(n, 3) + 1)), KINDS[number % 3]
    springs = 1e4 * np.exp(rng.uniform(-2, 2, (n, n))) * (rng.random((n, n)) < 0.5)
    springs = np.triu(springs, 1) + np.triu(springs, 1).T
    K = np.diag(springs.sum(axis=1) + 1e4 * np.exp(rng.uniform(-2, 2, n))) - springs
    M, ratio = np.exp(rng.uniform(-1.5, 1.5, n)), np.exp(rng.uniform(np.log(1e-3), np.log(0.1), n))
    k = np.diag(K)[:axes] * np.exp(rng.uniform(-4, 1, axes))
    m = M[:axes] * np.exp(rng.uniform(-5, 0.2, axes))
    return Case(M, K, ratio, axes, kind, k, 2 * np.exp(rng.uniform(-7, -2, axes)) * np.sqrt(k * m), m)


def faults(case):
    """What is wrong in the verdict on a case, and of what kind it was."""
    found = delays(case.test())
    critical = found.critical()[0]
    if case.heavy:
        return ([] if critical == 0.0 else [f"heavy specimen, yet {critical:g} s"]), {"heavy": 1}
    crossings = [switch.parameter for switch in itertools.islice(found.ordered(), 8)]
    period = 2 * np.pi / case.modes()[0].min()
    # between each two of the first crossings, on either side of the critical delay, and if there is none, anywhere
    tried = [0.5 * (a + b) for a, b in itertools.pairwise([0.0, *crossings]) if b - a > 1e-6 * b]
    tried += [0.1 * period, 0.7 * period, 3 * period] if not crossings else [0.97 * critical, 1.03 * critical]
    wrong = [
        f"{found.roots(delay)} unstable roots claimed at {delay:g} s, {case.unstable(delay)} there"
        for delay in tried
        if np.isfinite(delay) and found.roots(delay) != case.unstable(delay)
    ]
    if np.isfinite(critical) and case.unstable(0.97 * critical):
        wrong.append(f"critical delay {critical:g} s is not the first")
    return wrong, {"finite": int(np.isfinite(critical)), "more": len(crossings)}


def judged(seed, numbers):
    wrong, seen = [], Counter()
    for number in numbers:
        found, kind = faults(drawn(number, seed))
        wrong += [f"{seed}, {number}: {text}" for text in found]
        seen.update(kind)
    assert not wrong, "\n".join(wrong)
    return seen


def test_roots_of_loops_with_several_axes_are_those_that_the_argument_principle_counts():
    seen = judged(5, range(15))
    assert seen["finite"] > 8


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_nor_is_a_crossing_false_or_missed_in_a_thousand_of_them(part):
    count = int(os.environ.get("DOVETAIL_AXES", "1000"))
    seen = judged(6, range(part, count, PARTS))
    assert seen["finite"] > 0.3 * count / PARTS
