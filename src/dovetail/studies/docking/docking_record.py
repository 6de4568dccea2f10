"""Recorded docking: signals, log of impacts, energies and ending."""

from __future__ import annotations

import dataclasses

import equinox as eqx
import jax
import numpy as np

from dovetail.core.advance import advance
from dovetail.core.block import Time
from dovetail.core.clock import SelfTimed
from dovetail.core.errors import AnalysisError
from dovetail.core.keep import Rows
from dovetail.mechanics.geometry import ZONES
from dovetail.studies.docking.docking_steps import (
    DOCKED,
    GOING,
    LEFT,
    CountImpacts,
    DockingSystem,
    advance_to_end,
    energy,
)
from dovetail.testing.recorder import Records

ENDINGS = {
    GOING: "Not finished: the probe was in the drogue at the end time.",
    DOCKED: "Docked: the probe's tip reached the bottom of the docking cylinder.",
    LEFT: "Separated without docking: the probe left the drogue.",
}


@dataclasses.dataclass(frozen=True)
class LoggedImpact:
    """Impact from first contact to separation."""

    start: float  # [s]
    duration: float  # [s]
    zone: str
    speed_in: float  # [m/s] approach speed at first contact
    speed_out: float  # [m/s] speed of the bodies along the normal at separation, negative
    peak_force: float  # [N] along the normal
    peak_depth: float  # [m]

    @property
    def restitution(self) -> float:
        """Rebound speed over approach speed; above 1 the impact generated energy."""
        return -self.speed_out / self.speed_in

    def __str__(self) -> str:
        return (
            f"{self.start:8.4f} s  zone {self.zone:<10} {self.speed_in:7.4f} -> {self.speed_out:8.4f} m/s  "
            f"{self.peak_force:7.1f} N  {1e3 * self.peak_depth:.4f} mm  {1e3 * self.duration:.2f} ms"
        )


@dataclasses.dataclass(frozen=True)
class DockingRecord:
    """Signals over time at variable steps, with derived results."""

    traces: dict[str, np.ndarray]
    ending: int

    @property
    def time(self) -> np.ndarray:
        """Times of the samples [s]."""
        return self.traces["t"]

    @property
    def docked(self) -> bool:
        """True if the probe reached the bottom."""
        return self.ending == DOCKED

    @property
    def impacts(self) -> list[LoggedImpact]:
        """Impacts that began and ended, in order."""
        r = self.traces
        edges = np.diff((r["penetration"] > 0).astype(int))
        starts, ends = np.flatnonzero(edges == 1) + 1, np.flatnonzero(edges == -1) + 1
        log = []
        for a in starts.tolist():
            later = ends[ends > a]
            if not later.size:
                break
            b = int(later[0])
            log.append(
                LoggedImpact(
                    start=_crossing(r, a),
                    duration=_crossing(r, b) - _crossing(r, a),
                    zone=ZONES[int(r["zone"][a])],
                    speed_in=float(r["impact_speed"][a]),
                    speed_out=float(r["body_rate"][b]),
                    peak_force=float(r["normal_force"][a:b].max()),
                    peak_depth=float(r["penetration"][a:b].max()),
                )
            )
        return log

    @property
    def first(self) -> LoggedImpact:
        """First impact: the only one that two models have in common."""
        log = self.impacts
        if not log:
            raise AnalysisError("the docking has no impact; move the probe off the axis or increase `until`")
        return log[0]

    @property
    def balance(self) -> np.ndarray:
        """Sum of kinetic, stored and dissipated energy [J]; constant if no energy is generated."""
        return energy(self.traces)

    @property
    def energy_ratio(self) -> float:
        """Energy balance at the end over energy balance at the start."""
        balance = self.balance
        return float(balance[-1] / balance[0])

    def __str__(self) -> str:
        lines = [f"{ENDINGS[self.ending]} {self.time[-1]:.3f} s, {len(self.impacts)} impacts"]
        lines += [f"  {impact}" for impact in self.impacts]
        r = self.traces
        lines.append(
            f"  energy {self.balance[0]:.5f} J at the start, {self.balance[-1]:.5f} J at the end "
            f"({self.energy_ratio:.4f}): kinetic {r['kinetic'][-1]:.3f}, impacts {r['impact_heat'][-1]:.3f}, "
            f"friction {r['friction_dissipation'][-1]:.3f}"
        )
        return "\n".join(lines)


def _crossing(r: dict[str, np.ndarray], i: int) -> float:
    """Return the time at which the penetration was zero between samples i - 1 and i."""
    t0, t1, d0, d1 = r["t"][i - 1], r["t"][i], r["penetration"][i - 1], r["penetration"][i]
    return float(t0 + (t1 - t0) * d0 / (d0 - d1))


def record(docking: DockingSystem, until: float = 20.0, chunk: int = 2000) -> DockingRecord:
    """Simulate a docking to its end, or to `until` [s], and record all samples."""
    records = Records()
    _, ending = advance(docking, SelfTimed(until), docking.monitor, Rows(), records, chunk)
    return DockingRecord(records.to_arrays(), ending)


@eqx.filter_jit
def outcomes(dockings: DockingSystem, until: Time) -> dict[str, jax.Array]:
    """Return ending, number of impacts and end time [s] of a batch (a docking with batched leaves)."""

    def one(docking: DockingSystem) -> dict[str, jax.Array]:
        end = advance_to_end(docking, docking.monitor, CountImpacts(), until, max_steps=200_000)
        return {"ending": end.monitor.code, "impacts": end.kept.impacts, "time": end.t}

    return eqx.filter_vmap(one)(dockings)
