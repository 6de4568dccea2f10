"""Fast repeated computation of a test: rehearsal, reference solution and stability for changed numbers.

The command line reads, validates, prepares, records and writes a test. Here one validated test runs through the same
compiled programs with other numbers, so a changed number needs no compilation and the results equal those of the
command line. Array sizes are fixed: a delay slider has a buffer for its largest value. Tests with `sampling = "none"`
and simulations are computed completely each time.
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
from dovetail.assess.margins import growth_rates_of_prepared
from dovetail.core.advance import advance
from dovetail.core.clock import Simulated
from dovetail.core.errors import AnalysisError, DovetailError
from dovetail.core.keep import Rows
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.stability import StabilitySwitches, open_loop, stability_switches
from dovetail.testing import Outcome, Reference, Rehearse
from dovetail.testing.assessment import Assessment, has_linear_specimen, is_adaptive, linear_assessment
from dovetail.testing.continuous import continuous_system
from dovetail.testing.limit_monitor import LimitMonitor
from dovetail.testing.limits import with_frozen_sensor_limit
from dovetail.testing.linearised import linear_parts, prepared_loop, small_signal_test
from dovetail.testing.memory_estimate import chunk_length
from dovetail.testing.recorder import Records
from dovetail.testing.rig import Rig
from dovetail.testing.stability_at_rest import loop_delays, open_at_rest, stability_of_matrices

Values = Mapping[str, float]
SIGNALS = (
    *("displacement", "command", "achieved_displacement", "measured_displacement", "measured_force"),
    *("penetration", "normal_force", "feedback_force", "velocity", "contact_gate"),
)


@dataclasses.dataclass(frozen=True)
class Motion:
    """Signals at the ticks from t = 0 to the end of the run, and the outcome."""

    signals: Mapping[str, np.ndarray]
    dt: float
    outcome: Outcome

    @property
    def times(self) -> np.ndarray:
        """Times of the samples [s]."""
        return np.arange(len(self.signals["displacement"])) * self.dt

    def recording(self, every: int) -> Recording:
        """Return every n-th sample as a recording."""
        signals = {
            name: RecordedSignal(values[::every], ("time", *("axis", "part")[: values.ndim - 1]))
            for name, values in self.signals.items()
        }
        return Recording(signals, {"time": RecordedSignal(self.times[::every], ("time",))})


class FastRerun:
    """Validated test, the paths at which its numbers change, and the number of ticks to compute."""

    def __init__(self, test: Any, paths: Sequence[str], ticks: int):
        self.ticks = min(ticks, test.tick_count)
        self.test = dataclasses.replace(test, duration=self.ticks * test.dt, record_every=1)
        self.full_test = test
        self.shape = test.shape
        self.sampled = test.rig is not None and test.sampling == "rate"
        self.default_frozen_sensor = test.rig is not None and test.limits.frozen_sensor is None
        if self.sampled:
            self._loop = Prepared(self.test, paths, self._with_shapes)
        self.linear = self.sampled and self._is_linear()
        if self.linear:
            self._tick = Prepared(test, paths, lambda one: small_signal_test(one).with_shapes(self.shape))
        self.has_reference_model = isinstance(test.rig, Rig)
        if self.has_reference_model:
            self._system = Prepared(self.test, paths, self._coupled_system)
        self._reference: tuple[list[bytes], Motion | None] = ([], None)
        self._last: tuple[dict[str, float], Motion] | None = None
        self._variant: tuple[dict[str, float], Any] | None = None
        self._delays: tuple[list[bytes], StabilitySwitches] | None = None

    def variant(self, values: Values) -> Any:
        """Return the complete test with these values."""
        if self._variant is None or self._variant[0] != values:
            self._variant = (dict(values), self.full_test.with_values(**values))
        return self._variant[1]

    def _with_shapes(self, test: Any) -> Any:
        sized = test.with_shapes(self.shape)
        if not self.default_frozen_sensor:
            return sized
        return dataclasses.replace(sized, limits=dataclasses.replace(sized.limits, frozen_sensor=1.0))

    def _coupled_system(self, test: Any) -> Any:
        return Reference().coupled(test), Reference().monitor(test)

    def _is_linear(self) -> bool:
        rig = self.test.rig
        if not isinstance(rig, Rig) or open_at_rest(self.test) or is_adaptive(self.test):
            return False
        return has_linear_specimen(self.test)

    def response(self, values: Values) -> Motion:
        """Rehearse the test with these values until a limit or the last computed tick."""
        if self._last is None or self._last[0] != values:
            self._last = (dict(values), self._rehearse(values))
        return self._last[1]

    def _rehearse(self, values: Values) -> Motion:
        if not self.sampled:
            test = self.test.with_values(**values)
            run = test.rehearse() if test.rig is not None else test.simulate()
            signals = {name: run.recording[name].values for name in SIGNALS if name in run.recording}
            return Motion(signals, test.dt, run.outcome)
        test, prepared = self.variant(values), self._loop.with_values(values)
        if self.default_frozen_sensor:
            frozen_sensor = jnp.asarray(with_frozen_sensor_limit(test, Rehearse()).limits.frozen_sensor)
            prepared = dataclasses.replace(
                prepared, limits=dataclasses.replace(prepared.limits, frozen_sensor=frozen_sensor)
            )
        records = Records()
        outcome = Outcome.from_code(Rehearse().record(prepared, records)[1])
        signals = records.to_arrays()
        ending = None
        if (
            outcome is not Outcome.NOT_FINITE
            and "achieved_displacement" in signals
            and self.has_reference_model
        ):
            ending = test.rig.specimen.end_event(signals["achieved_displacement"])
        last = ending[0] + 1 if ending is not None else None
        recorded = {name: signals[name][:last] for name in SIGNALS if name in signals}
        return Motion(recorded, test.dt, Outcome[ending[1].upper()] if ending is not None else outcome)

    def reference(self, values: Values) -> Motion | None:
        """Return the reference solution with these values; the cached one if it does not depend on the change."""
        if not self.has_reference_model:
            return None
        system, monitor = self._system.with_values(values)
        key = _bytes((system, monitor))
        if key != self._reference[0]:
            self._reference = (key, self._compute_reference(values, system, monitor))
        return self._reference[1]

    def has_reference(self, values: Values) -> bool:
        """Return whether the reference solution with these values is cached."""
        return not self.has_reference_model or _bytes(self._system.with_values(values)) == self._reference[0]

    def _compute_reference(self, values: Values, system: Any, monitor: LimitMonitor) -> Motion | None:
        flow, dt = continuous_system(self.test, system), self.test.dt
        records, size = Records(), chunk_length(self.ticks, *Reference.chunks)
        _, code = advance(flow, Simulated(dt, self.ticks), monitor, Rows(), records, size)
        signals = records.to_arrays()
        recorded = {name: signals[name] for name in SIGNALS if name in signals}
        return Motion(recorded, dt, Outcome.from_code(code))

    def stability(self, values: Values) -> Assessment:
        """Assess the stability with these values.

        Raises
        ------
        AnalysisError
            If stability is not determined.
        """
        test = self.variant(values)
        if not self.linear:
            return test.stability()
        cut = prepared_loop(self._tick.with_values(values))
        delays, remarks = loop_delays(test)
        stability, _, more_remarks = stability_of_matrices(
            delays, cut, lambda: self._switches(test), test.dt, test.duration
        )
        at_rest = dataclasses.replace(stability, remarks=(*remarks, *more_remarks))
        return linear_assessment(at_rest, test)

    def _switches(self, test: Any) -> StabilitySwitches:
        """Return the delays at which stability changes; cached while the substructures stay the same."""
        joined = open_loop(*linear_parts(test))
        key = [np.asarray(matrix).tobytes() for matrix in (joined.A, joined.B, joined.C, joined.D)]
        if self._delays is None or self._delays[0] != key:
            self._delays = (key, stability_switches(joined))
        return self._delays[1]

    def growth_rates(self, many: Sequence[Values]) -> np.ndarray:
        """Return the growth rate [1/s] of the sampled loop for several sets of values; NaN if not determined."""
        if self.linear:
            try:
                return growth_rates_of_prepared([self._tick.with_values(values) for values in many])
            except AnalysisError:
                pass  # not determined for one of them: compute one by one
        return np.array([self._growth(values) for values in many])

    def _growth(self, values: Values) -> float:
        try:
            return self.variant(values).stability(quick=True).growth_rate
        except DovetailError:
            return math.nan


def _bytes(tree: Any) -> list[bytes]:
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(tree) if eqx.is_array(leaf)]
