r"""The delays at which a linear loop gains or loses stability: one list, from which every verdict follows.

Cut the loop where it is delayed: what goes in comes out as :math:`L(s) = C(s - A)^{-1}B + D`, and the loop with a
delay has the roots of :math:`\det(I - e^{-s\tau}L(s)) = 0`. A pair of them is on the imaginary axis where an
eigenvalue :math:`\mu` of :math:`L(j\omega)` has modulus one, at :math:`\tau = (\arg\mu + 2\pi k)/\omega`. As the delay
grows the pair moves to the right where :math:`|\mu|` falls with frequency, and to the left where it rises, whatever
the turn k [Cooke, van den Driessche 1986]. So

1. `unit_gain` finds all these frequencies, and whether the gain falls or rises at each;
2. without delay the roots that grow are counted (`eigenvalues`); each crossing to the right adds two, each to the
   left takes two;
3. the critical delay is the first at which there are any. Stretches beyond in which there are none again are islands.

D is not zero where the specimen has mass (the equation is neutral); a spectral radius of one or more means that any
delay destabilises.
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

MANY = 10_000  # crossings looked at before islands are no longer sought


@dataclass(frozen=True)
class RootSwitch(RootCrossing):
    """A pair of roots that reaches the imaginary axis at a delay [s]; the error is what the gain's residual leaves."""

    before: int  # unstable roots at a slightly shorter delay
    after: int  # and at a slightly longer one


@dataclass(frozen=True)
class Switches:
    """All that a common delay does to a loop."""

    gains: tuple[UnitGain, ...]
    unstable: int  # roots without delay that grow
    gain_at_infinity: float  # spectral radius of D; one or more: any delay destabilises

    def roots(self, delay: float) -> int:
        """Number of unstable roots at a delay [s]; negative: at a lead."""
        if self.gain_at_infinity >= 1 and delay > 0:
            raise AnalysisError(
                "the loop gain at high frequency is one or more: any delay destabilises at once"
            )
        return self.unstable + 2 * sum(gain.sense * gain.passed(delay) for gain in self.gains)

    def ordered(self) -> Iterator[RootSwitch]:
        """Every crossing at a delay of zero or more, ascending; without end if there is one."""
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
                    f"crossings of the imaginary axis: {after} unstable roots beyond {delay:.6g} s; one that "
                    "destabilises was missed. The loop is badly scaled, or undamped to rounding: give it some damping"
                )
            yield RootSwitch(delay, gain.omega, gain.residual / gain.omega, gain.falling, count, after)
            count = after

    def stable_delays(self, up_to: float = np.inf) -> list[tuple[float, float]]:
        """Stretches of delay [s] without unstable root, ascending, the last one possibly endless."""
        if self.gain_at_infinity >= 1:
            return [(0.0, 0.0)] if self.unstable == 0 else []
        found: list[tuple[float, float]] = []
        start = 0.0 if self.unstable == 0 else None
        # each frequency brings or takes one pair a turn, and those that bring are the faster ones: with more pairs
        # than frequencies none can be the last to go
        forever = 2 * len(self.gains)
        for number, switch in enumerate(self.ordered()):
            if start is None and (switch.parameter > up_to or switch.after > forever or number > MANY):
                return found
            if start is not None and switch.after > 0:
                if switch.parameter > start or not found:
                    found.append((start, switch.parameter))
                start = None
            elif start is None and switch.after == 0:
                start = switch.parameter
        return found if start is None else [*found, (start, np.inf)]

    def critical(self) -> tuple[float, float]:
        """First delay [s] at which stability is lost, and the frequency [rad/s] there; infinite, NaN if none."""
        if self.unstable or self.gain_at_infinity >= 1:
            return 0.0, np.nan
        first = next((switch for switch in self.ordered() if switch.after > 0), None)
        return (first.parameter, first.omega) if first else (np.inf, np.nan)

    def margin(self) -> float:
        """Delay [s] that may be added; negative: that must be taken away. Of a loop that has its delay in it."""
        if not self.unstable:
            return self.critical()[0]
        leads = sorted({g.delay(-turn) for g in self.gains for turn in range(1, 4)}, reverse=True)
        for i, lead in enumerate(leads):
            beyond = leads[i + 1] if i + 1 < len(leads) else 2 * lead
            if self.roots(0.5 * (lead + beyond)) == 0:
                return lead
        return -np.inf


def switches(
    loop: StateSpace | DelayEquation, dt: float | None = None, *, unstable: int | None = None
) -> Switches:
    """The crossings of a loop that is delayed in one place, for all its delayed signals alike.

    Parameters
    ----------
    loop
        Cut open: what is delayed goes in, what will be delayed comes out. Or a delay equation, whose delays are then
        taken for one and the same.
    dt
        [s] of one step, for a loop that is sampled: its matrices advance it by a step.
    unstable
        Number of its unstable roots as it is, if it is known; counted otherwise.
    """
    cut = opened(loop) if isinstance(loop, DelayEquation) else loop
    if dt is not None:
        gains = [
            UnitGain(2 * float(np.arctan(gain.omega)) / dt, gain.phase, gain.falling, gain.residual)
            for gain in unit_gains(on_the_axis(cut))
        ]
        return Switches(
            tuple(gains), growing_steps(cut.A + cut.B @ cut.C) if unstable is None else unstable, 0.0
        )
    at_infinity = float(np.abs(np.linalg.eigvals(cut.D)).max(initial=0.0))
    inside = np.eye(len(cut.D)) - cut.D
    if np.linalg.cond(inside) > 1e12:
        raise AnalysisError(
            "the specimen's inertia cancels that of the numerical substructure: joined directly, nothing says how "
            "the interface moves; give either more mass"
        )
    if unstable is None:
        unstable = growing(cut.A + cut.B @ np.linalg.solve(inside, cut.C))
    return Switches(tuple(unit_gains(cut)) if at_infinity < 1 else (), unstable, at_infinity)


def critical_delay(loop: StateSpace | DelayEquation) -> float:
    """Smallest common delay [s] of all delayed terms at which stability is lost.

    Infinite if it never is; zero if the loop is unstable without delay. The delays that an equation has now do not
    matter, only its matrices.
    """
    return switches(loop).critical()[0]


def critical_lead(loop: StateSpace | DelayEquation) -> float:
    """Smallest common lead [s], negative, of all delayed terms at which stability would be lost.

    Minus infinite if it never is; zero if the loop is unstable without delay. An exact lead is no delay equation, as
    it would need the future: read it as the phase margin of a loop with an exact predictor.
    """
    switching = switches(loop)
    return 0.0 if switching.unstable else max((gain.delay(-1) for gain in switching.gains), default=-np.inf)


def switching_delays(loop: StateSpace | DelayEquation, *, turns: int = 1) -> list[RootSwitch]:
    """All common delays, in ascending order, at which a pair is on the axis, `turns` of each frequency."""
    switching = switches(loop)
    listed = [
        RootSwitch(delay, g.omega, g.residual / g.omega, g.falling, before, before + 2 * g.sense)
        for g in switching.gains
        for delay in map(g.delay, range(turns))
        for before in [switching.roots(delay)]
    ]
    return sorted(listed, key=lambda switch: switch.parameter)


def opened(equation: DelayEquation) -> StateSpace:
    """A delay equation cut where it is delayed, all delays taken for one."""
    n = equation.order
    if not equation.taus.size:
        return StateSpace(equation.A0, np.zeros((n, 1)), np.zeros((1, n)), np.zeros((1, 1)))
    scaled, d = equation._scaled()
    U, sizes, Vh = np.linalg.svd(scaled.As.sum(axis=0))
    rank = max(int(np.sum(sizes > 1e-13 * sizes[0])), 1)
    root = np.sqrt(sizes[:rank])
    return StateSpace(scaled.A0, U[:, :rank] * root, root[:, None] * Vh[:rank], np.zeros((rank, rank)))
