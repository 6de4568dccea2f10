"""A test computed again and again with other numbers: what a rehearsal, an ideal and an outlook compute, and no more.

The command line reads, checks, prepares, records and writes a test; here one that was checked is put through the same
compiled programs with other numbers in it. So nothing is compiled while a number changes, and the answers are those of
the command line. Shapes stay: a delay that moves has room for its longest. Tests that are rehearsed in continuous time,
and simulations, go the long way.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.app.prepared import Prepared
from dovetail.assess.margins import growths_of
from dovetail.core.errors import AnalysisError, DovetailError
from dovetail.stability import Switches, open_loop, switches
from dovetail.testing import Outcome
from dovetail.testing.assessment import Stability, lateness, of_matrices, open_at_rest
from dovetail.testing.continuous import Accuracy, integrate
from dovetail.testing.coupled import ideal_system
from dovetail.testing.limit_monitor import Watch, with_stale
from dovetail.testing.linearised import linear_parts, linear_specimen, prepared_loop, small
from dovetail.testing.rehearse import in_pieces_of
from dovetail.testing.rig import Rig
from dovetail.testing.step_checks import RESOLVED, fewest_steps

Values = Mapping[str, float]
WANTED = ("displacement", "command", "achieved_displacement", "measured_displacement", "measured_force")


@dataclasses.dataclass(frozen=True)
class Motion:
    """Signals at the ticks from t = 0 on, until the run ended, and how it did."""

    signals: Mapping[str, np.ndarray]
    dt: float
    outcome: Outcome

    @property
    def times(self) -> np.ndarray:
        """Times of the samples [s]."""
        return np.arange(len(self.signals["displacement"])) * self.dt


class Swift:
    """A checked test with the paths at which its numbers will change, and how many ticks of it are computed."""

    def __init__(self, test: Any, paths: Sequence[str], ticks: int):
        self.ticks = min(ticks, test.tick_count)
        self.test = dataclasses.replace(test, duration=self.ticks * test.dt, record_every=1)
        self.whole = test
        self.shape = test.shape
        self.sampled = test.rig is not None and test.equations() is None
        self.stale = test.rig is not None and test.limits.stale is None
        if self.sampled:
            self._loop = Prepared(self.test, paths, self._sized)
        self.linear = self.sampled and self._has_slope()
        if self.linear:
            self._tick = Prepared(test, paths, lambda one: small(one).sized(self.shape))
        self.ideals = isinstance(test.rig, Rig)
        if self.ideals:
            self._system = Prepared(self.test, paths, self._coupled)
        self._ideal: tuple[list[bytes], Motion | None] = ([], None)
        self._last: tuple[dict[str, float], Motion] | None = None
        self._variant: tuple[dict[str, float], Any] | None = None
        self._delays: tuple[list[bytes], Switches] | None = None

    def variant(self, values: Values) -> Any:
        """The whole test with these values."""
        if self._variant is None or self._variant[0] != values:
            self._variant = (dict(values), self.whole.with_values(**values))
        return self._variant[1]

    def _sized(self, test: Any) -> Any:
        sized = test.sized(self.shape)
        if not self.stale:
            return sized
        return dataclasses.replace(sized, limits=dataclasses.replace(sized.limits, stale=1.0))

    def _coupled(self, test: Any) -> Any:
        return ideal_system(test, test.rig.specimen), Watch.of(test, "emulate")

    def _has_slope(self) -> bool:
        rig = self.test.rig
        if not isinstance(rig, Rig) or open_at_rest(self.test):
            return False
        model = linear_specimen(rig.specimen, self.shape)
        return all(np.isfinite(matrix).all() for matrix in (model.A, model.B, model.C, model.D))

    def response(self, values: Values) -> Motion:
        """The rehearsal with these values, until it meets a limit, or for as many ticks as are computed."""
        if self._last is None or self._last[0] != values:
            self._last = (dict(values), self._rehearsed(values))
        return self._last[1]

    def _rehearsed(self, values: Values) -> Motion:
        if not self.sampled:
            test = self.test.with_values(**values)
            run = test.rehearse() if test.rig is not None else test.simulate()
            signals = {name: run.data[name].values for name in WANTED if name in run.data}
            return Motion(signals, test.dt, run.outcome)
        test, prepared = self.variant(values), self._loop.of(values)
        if self.stale:
            stale = jnp.asarray(with_stale(test, test.USUAL).limits.stale)
            prepared = dataclasses.replace(prepared, limits=dataclasses.replace(prepared.limits, stale=stale))
        records, first, _, outcome = in_pieces_of(prepared, None, keep=False)
        found = records.joined(first)
        ending = None
        if outcome is not Outcome.NOT_FINITE and "achieved_displacement" in found and self.ideals:
            ending = test.rig.specimen.ending(found["achieved_displacement"])
        last = ending[0] + 1 if ending is not None else None
        kept = {name: found[name][:last] for name in WANTED if name in found}
        return Motion(kept, test.dt, Outcome[ending[1].upper()] if ending is not None else outcome)

    def ideal(self, values: Values) -> Motion | None:
        """The ideal with these values: the last one, where nothing that it depends on has changed."""
        if not self.ideals:
            return None
        system, watch = self._system.of(values)
        asked = _bytes((system, watch))
        if asked != self._ideal[0]:
            self._ideal = (asked, self._emulated(values, system, watch))
        return self._ideal[1]

    def knows_ideal(self, values: Values) -> bool:
        """Whether the ideal with these values is there already."""
        return not self.ideals or _bytes(self._system.of(values)) == self._ideal[0]

    def _emulated(self, values: Values, system: Any, watch: Watch) -> Motion | None:
        accuracy, dt = Accuracy(**self.test.numerical.ideal), self.test.dt
        seen, records = integrate(system, watch, accuracy.method, dt, accuracy.substeps, self.ticks)
        contact = records.get("contact_time")
        if contact is not None and fewest_steps(contact, dt / accuracy.substeps) < RESOLVED:
            run = self.test.with_values(**values).ideal()  # with shorter steps
            return (
                None
                if run is None
                else Motion({"displacement": run.data.displacement.values}, dt, run.outcome)
            )
        outcome = Outcome.from_code(int(seen["code"]))
        last = self.ticks if outcome is Outcome.FINISHED else int(seen["tick"])
        return Motion({"displacement": np.asarray(records["displacement"])[: last + 1]}, dt, outcome)

    def outlook(self, values: Values) -> Stability:
        """Would it work with these values? Raises `AnalysisError` where the question has no answer."""
        test = self.variant(values)
        if not self.linear:
            return test.stability()
        cut = prepared_loop(self._tick.of(values))
        known, remarks = lateness(test)
        found, _, said = of_matrices(known, cut, lambda: self._switches(test), test.dt, test.duration)
        return dataclasses.replace(found, remarks=(*remarks, *said))

    def _switches(self, test: Any) -> Switches:
        """Where the substructures lose stability by a delay: the last answer, where these are the same."""
        joined = open_loop(*linear_parts(test))
        asked = [np.asarray(matrix).tobytes() for matrix in (joined.A, joined.B, joined.C, joined.D)]
        if self._delays is None or self._delays[0] != asked:
            self._delays = (asked, switches(joined))
        return self._delays[1]

    def growths(self, many: Sequence[Values]) -> np.ndarray:
        """Growth [1/s] of the sampled loop with each of many values, in one go; NaN where it has none."""
        if self.linear:
            try:
                return growths_of([self._tick.of(values) for values in many])
            except AnalysisError:
                pass  # one of them has no poles
        return np.array([self._growth(values) for values in many])

    def _growth(self, values: Values) -> float:
        try:
            return self.outlook(values).growth_rate
        except DovetailError:
            return math.nan


def _bytes(tree: Any) -> list[bytes]:
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(tree) if eqx.is_array(leaf)]


def share(part: np.ndarray, whole: np.ndarray) -> float:
    """Rms of one signal over that of another; not known where that is at rest."""
    size = float(np.sqrt(np.mean(np.square(whole)))) if whole.size else 0.0
    return float(np.sqrt(np.mean(np.square(part)))) / size if size > 0 else math.nan
