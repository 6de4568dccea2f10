r"""Delays at which a linear loop loses or regains stability.

The loop is cut where it is delayed. The response of the open loop is :math:`L(s) = C(s - A)^{-1}B + D`, and the loop
with a delay has the roots of :math:`\det(I - e^{-s\tau}L(s)) = 0`. A pair of roots is on the imaginary axis where an
eigenvalue :math:`\mu` of :math:`L(j\omega)` has modulus one, at :math:`\tau = (\arg\mu + 2\pi k)/\omega`. With
increasing delay the pair moves to the right if :math:`|\mu|` decreases with frequency, and to the left if it
increases, for every turn k [Cooke, van den Driessche 1986]. Therefore

1. `unit_gain` finds all these frequencies, and whether the gain decreases or increases at each;
2. the growing roots without delay are counted (`eigenvalues`); each crossing to the right adds two, each crossing to
   the left removes two;
3. the critical delay is the first delay with growing roots. Intervals of larger delay without growing roots are stable
   intervals too.

D is not zero if the specimen has mass (neutral equation); with a spectral radius of one or more, any delay
destabilises.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dovetail.core.errors import AnalysisError, ConvergenceError
from dovetail.stability.crossing import RootCrossing
from dovetail.stability.delay_equation import DelayEquation
from dovetail.stability.eigenvalues import growing, growing_steps
from dovetail.stability.state_space import StateSpace
from dovetail.stability.unit_gain import UnitGain, on_the_axis, unit_gains

MAX_CROSSINGS = 10_000  # largest number of crossings in the search for stable intervals


@dataclass(frozen=True)
class StabilitySwitch(RootCrossing):
    """Pair of roots that reaches the imaginary axis at a delay [s]; its error follows from the gain residual."""

    before: int  # unstable roots at a slightly shorter delay
    after: int  # unstable roots at a slightly longer delay


@dataclass(frozen=True)
class StabilitySwitches:
    """Effect of a common delay on a loop."""

    gains: tuple[UnitGain, ...]
    unstable: int  # number of growing roots without delay
    gain_at_infinity: float  # spectral radius of D; one or more: any delay destabilises

    def roots(self, delay: float) -> int:
        """Return the number of unstable roots at a delay [s]; negative for a lead."""
        if self.gain_at_infinity >= 1 and delay > 0:
            raise AnalysisError("the loop gain at high frequency is one or more: any delay destabilises")
        return self.unstable + 2 * sum(gain.sense * gain.passed(delay) for gain in self.gains)

    def ordered(self) -> Iterator[StabilitySwitch]:
        """Iterate over all crossings at a delay of zero or more, ascending; endless if there is a crossing."""
        count, turns = self.unstable, [0] * len(self.gains)
        while self.gains:
            which = min(range(len(turns)), key=lambda i: self.gains[i].delay(turns[i]))
            gain = self.gains[which]
            delay = gain.delay(turns[which])
            turns[which] += 1
            if delay == 0.0 and not gain.falling:
                continue  # not counted, see UnitGain.passed
            after = count + 2 * gain.sense
            if after < 0:
                raise ConvergenceError(
                    f"crossings of the imaginary axis: {after} unstable roots beyond {delay:.6g} s, so a destabilising "
                    "crossing was missed. The loop is badly scaled or undamped: add some damping"
                )
            yield StabilitySwitch(delay, gain.omega, gain.residual / gain.omega, gain.falling, count, after)
            count = after

    def stable_delays(self, up_to: float = np.inf) -> list[tuple[float, float]]:
        """Return the intervals of delay [s] without unstable roots, ascending; the last one may be infinite."""
        if self.gain_at_infinity >= 1:
            return [(0.0, 0.0)] if self.unstable == 0 else []
        intervals: list[tuple[float, float]] = []
        start = 0.0 if self.unstable == 0 else None
        # each frequency adds or removes one pair per turn, and the frequencies that add pairs are higher: with more
        # pairs than frequencies the loop cannot become stable again
        forever = 2 * len(self.gains)
        for number, switch in enumerate(self.ordered()):
            if start is None and (
                switch.parameter > up_to or switch.after > forever or number > MAX_CROSSINGS
            ):
                return intervals
            if start is not None and switch.after > 0:
                if switch.parameter > start or not intervals:
                    intervals.append((start, switch.parameter))
                start = None
            elif start is None and switch.after == 0:
                start = switch.parameter
        return intervals if start is None else [*intervals, (start, np.inf)]

    def critical(self) -> tuple[float, float]:
        """Return the first delay [s] at which stability is lost and its frequency [rad/s]; infinite and NaN if none."""
        if self.unstable or self.gain_at_infinity >= 1:
            return 0.0, np.nan
        first = next((switch for switch in self.ordered() if switch.after > 0), None)
        return (first.parameter, first.omega) if first else (np.inf, np.nan)

    def margin(self) -> float:
        """Return the additional delay [s] until instability; negative: excess delay. The loop includes its delay."""
        if not self.unstable:
            return self.critical()[0]
        leads = sorted({g.delay(-turn) for g in self.gains for turn in range(1, 4)}, reverse=True)
        for i, lead in enumerate(leads):
            beyond = leads[i + 1] if i + 1 < len(leads) else 2 * lead
            if self.roots(0.5 * (lead + beyond)) == 0:
                return lead
        return -np.inf


def stability_switches(
    loop: StateSpace | DelayEquation, dt: float | None = None, *, unstable: int | None = None
) -> StabilitySwitches:
    """Return the crossings of a loop whose delayed signals all have the same delay.

    Parameters
    ----------
    loop
        Open loop: delayed signal in, signal to be delayed out. Or a delay equation; all its delays are then taken as
        one common delay.
    dt
        Sample time [s] of a sampled loop: its matrices advance it by one step.
    unstable
        Number of unstable roots without additional delay (default: counted).
    """
    cut = opened(loop) if isinstance(loop, DelayEquation) else loop
    if dt is not None:
        gains = [
            UnitGain(2 * float(np.arctan(gain.omega)) / dt, gain.phase, gain.falling, gain.residual)
            for gain in unit_gains(on_the_axis(cut))
        ]
        return StabilitySwitches(
            tuple(gains), growing_steps(cut.A + cut.B @ cut.C) if unstable is None else unstable, 0.0
        )
    at_infinity = float(np.abs(np.linalg.eigvals(cut.D)).max(initial=0.0))
    inside = np.eye(len(cut.D)) - cut.D
    if np.linalg.cond(inside) > 1e12:
        raise AnalysisError(
            "the inertia of the specimen cancels the inertia of the numerical substructure, so the motion of the "
            "interface is undetermined; increase the mass of one of them"
        )
    if unstable is None:
        unstable = growing(cut.A + cut.B @ np.linalg.solve(inside, cut.C))
    return StabilitySwitches(tuple(unit_gains(cut)) if at_infinity < 1 else (), unstable, at_infinity)


def critical_delay(loop: StateSpace | DelayEquation) -> float:
    """Return the smallest common delay [s] of all delayed terms at which stability is lost.

    Infinite if stability is never lost; zero if the loop is unstable without delay. Only the matrices of an equation
    matter, not its present delays.
    """
    return stability_switches(loop).critical()[0]


def critical_lead(loop: StateSpace | DelayEquation) -> float:
    """Return the smallest common lead [s], negative, of all delayed terms at which stability is lost.

    Minus infinite if stability is never lost; zero if the loop is unstable without delay. A negative delay is
    non-causal; interpret the result as the phase margin with a perfect predictor.
    """
    switching = stability_switches(loop)
    return 0.0 if switching.unstable else max((gain.delay(-1) for gain in switching.gains), default=-np.inf)


def switching_delays(loop: StateSpace | DelayEquation, *, turns: int = 1) -> list[StabilitySwitch]:
    """Return all common delays, ascending, with a pair on the imaginary axis; `turns` delays per frequency."""
    switching = stability_switches(loop)
    listed = [
        StabilitySwitch(delay, g.omega, g.residual / g.omega, g.falling, before, before + 2 * g.sense)
        for g in switching.gains
        for delay in map(g.delay, range(turns))
        for before in [switching.roots(delay)]
    ]
    return sorted(listed, key=lambda switch: switch.parameter)


def opened(equation: DelayEquation) -> StateSpace:
    """Return a delay equation cut where it is delayed, with all delays taken as one."""
    n = equation.order
    if not equation.taus.size:
        return StateSpace(equation.A0, np.zeros((n, 1)), np.zeros((1, n)), np.zeros((1, 1)))
    scaled, d = equation._scaled()
    U, sizes, Vh = np.linalg.svd(scaled.As.sum(axis=0))
    rank = max(int(np.sum(sizes > 1e-13 * sizes[0])), 1)
    root = np.sqrt(sizes[:rank])
    return StateSpace(scaled.A0, U[:, :rank] * root, root[:, None] * Vh[:rank], np.zeros((rank, rank)))
