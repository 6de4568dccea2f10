"""Interactive exploration: response and stability of a test for changed values, many times per second.

A request contains values by parameter path. The result contains the response and the reference solution, the tracking
error, the outcome and the stability. For a long test only the first ticks are computed, and the result states this. A
value that changes array sizes (a rate, a number of steps) needs a separate compiled test, which the result also
states.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from dovetail.app.explore_result import ExploreResult, Trace
from dovetail.app.fast_rerun import FastRerun, Motion
from dovetail.app.slider_ranges import SliderRange, slider_ranges
from dovetail.core import signals
from dovetail.core.errors import (
    DovetailError,
    Fault,
    ParameterError,
    TestFileError,
    unforeseen_error_text,
    value_or_none,
)
from dovetail.fidelity.acceptance import error_tone
from dovetail.fidelity.errors import relative_errors
from dovetail.fidelity.impacts import contact_energy, impact_log
from dovetail.testing import Test
from dovetail.testing.assessment import Assessment
from dovetail.testing.paths import declared_at, get, replace_value
from dovetail.testing.stability_at_rest import open_at_rest
from dovetail.testing.test_file import parse
from dovetail.testing.test_table import change

MAX_TICKS = 10_000  # largest number of ticks computed while a slider moves
MAX_CONTACT_TICKS = 200_000  # the same for a test without contact at rest, so that its contacts are included
MAX_RERUNS = 8  # compiled tests with other array sizes that are cached
SIGNALS = {"response": "displacement", "command": "command", "achieved": "achieved_displacement"}
Report = Callable[[str], None]


class Explorer:
    """Explorer of a test with sliders at `paths`; `table` is the test file with absolute file paths."""

    def __init__(
        self, table: Mapping[str, Any], paths: Sequence[str], source: str = "test", ticks: int = MAX_TICKS
    ):
        self.table, self.source, self.ticks = dict(table), source, ticks
        test = parse(self.table, source)
        if not isinstance(test, Test):
            raise ParameterError(f"{source}: not a test or simulation; open a file with a motion to explore")
        self.slider_ranges = {slider.path: slider for slider in slider_ranges(test, paths)}
        missing = [path for path in paths if path not in self.slider_ranges]
        if missing:
            raise TestFileError(
                source, [Fault(path, "is not a number; a slider needs a single number") for path in missing]
            )
        self._reruns: dict[tuple[tuple[str, float], ...], FastRerun] = {}
        self._traced_paths = [slider.path for slider in self.slider_ranges.values() if slider.traced]
        self.test = test
        self.reference_time = math.inf  # [s] computing time of the last reference solution
        self._second = ThreadPoolExecutor(1)

    def compute(
        self, values: Mapping[str, float], number: int = 0, wait: bool = True, report: Report | None = None
    ) -> ExploreResult:
        """Compute the test with these values, in declared units; other sliders keep their value.

        Without `wait`, a reference solution that is not cached is left for `add_reference` (`reference_pending`).
        """
        start, values = time.perf_counter(), {**self.values(), **values}
        try:
            self._check(values)
            rerun, traced_values, remarks = self._rerun(values, report)
            rerun.variant(traced_values)  # needed by all computations below
            with_reference = wait or rerun.has_reference(traced_values)
            reference = self._second.submit(self._reference, rerun, traced_values) if with_reference else None
            result = self._with_response(rerun, traced_values, ExploreResult(number, values, remarks=remarks))
            if reference is not None:
                result = self._with_reference(rerun, traced_values, result, reference.result())
            else:
                result = dataclasses.replace(result, reference_pending=True)
        except DovetailError as error:
            result = ExploreResult(number, values, fault=str(error))
        except (
            Exception
        ) as error:  # unforeseen error of a part: reported; the next request is computed as usual
            result = ExploreResult(number, values, fault=unforeseen_error_text(error))
        return dataclasses.replace(result, seconds=time.perf_counter() - start)

    def add_reference(self, result: ExploreResult) -> ExploreResult:
        """Add the reference solution to a result, or the reason why there is none."""
        try:
            rerun, traced_values, _ = self._rerun(result.values, None)
            return self._with_reference(rerun, traced_values, result, self._reference(rerun, traced_values))
        except Exception as error:  # unforeseen error of a part
            reason = str(error) if isinstance(error, DovetailError) else unforeseen_error_text(error)
            return dataclasses.replace(
                result, reference_pending=False, remarks=(*result.remarks, f"no reference solution: {reason}")
            )

    def growth_rates(self, values: Mapping[str, float], path: str, along: Sequence[float]) -> np.ndarray:
        """Return the growth rate [1/s] of the loop for several values at one path."""
        values = {**self.values(), **values}
        self._check(values)
        if self.slider_ranges[path].traced:
            rerun, traced_values, _ = self._rerun(values, None)
            return rerun.growth_rates([{**traced_values, path: value} for value in along])
        rates = []
        for value in along:
            rerun, traced_values, _ = self._rerun({**values, path: value}, None)
            rates.append(float(rerun.growth_rates([traced_values])[0]))
        return np.array(rates)

    def values(self) -> dict[str, float]:
        """Return the values of all sliders in the unchanged test."""
        return {path: slider.value for path, slider in self.slider_ranges.items()}

    def _check(self, values: Mapping[str, float]) -> None:
        faults = []
        for path, value in values.items():
            if path not in self.slider_ranges:
                faults.append(Fault(path, f"has no slider; sliders: {', '.join(self.slider_ranges)}"))
            elif (about := declared_at(self.test, path)) is not None and (fault := about.fault(value)):
                faults.append(Fault(path, fault))
        if faults:
            raise TestFileError(self.source, faults)

    def _rerun(
        self, values: Mapping[str, float], report: Report | None
    ) -> tuple[FastRerun, dict[str, float], tuple[str, ...]]:
        """Return the compiled test for these values, its traced values, and remarks."""
        fixed = tuple((path, value) for path, value in values.items() if not self.slider_ranges[path].traced)
        remarks: tuple[str, ...] = ()
        if fixed not in self._reruns:
            if report:
                report("compiling, once")
            changes = {path: value for path, value in fixed if value != self.slider_ranges[path].value}
            test = parse(change(self.table, changes, self.source), self.source) if changes else self.test
            if changes:
                remarks = (f"recompiled: {', '.join(changes)} changes array sizes",)
            while len(self._reruns) >= MAX_RERUNS:
                self._reruns.pop(next(iter(self._reruns)))
            ticks = MAX_CONTACT_TICKS if open_at_rest(test) else self.ticks  # contacts may come late
            self._reruns[fixed] = FastRerun(
                self._with_delay_buffers(test, values), self._traced_paths, max(ticks, self.ticks)
            )
        rerun = self._reruns[fixed]
        return (
            rerun,
            {path: value for path, value in values.items() if self.slider_ranges[path].traced},
            remarks,
        )

    def _with_delay_buffers(self, test: Any, values: Mapping[str, float]) -> Any:
        """Return the test with delay buffers that hold the largest delay of each delay slider."""
        for path in self._traced_paths:
            parent, _, name = path.rpartition(".")
            part = get(test, parent) if parent else test
            if name == "delay" and hasattr(part, "max_delay"):
                max_delay = max(self.slider_ranges[path].high, values[path], part.max_delay)
                test = replace_value(test, parent, dataclasses.replace(part, max_delay=max_delay))
        return test

    def _with_response(
        self, rerun: FastRerun, traced_values: dict[str, float], result: ExploreResult
    ) -> ExploreResult:
        """Compute response and stability in parallel threads."""
        stability = (
            None if rerun.full_test.rig is None else self._second.submit(_stability, rerun, traced_values)
        )
        motion = rerun.response(traced_values)
        traces = {
            name: _trace(name, signal, motion) for name, signal in SIGNALS.items() if signal in motion.signals
        }
        full_test = rerun.full_test
        remarks = result.remarks
        if rerun.ticks < full_test.tick_count:
            remarks += (f"the first {rerun.ticks * full_test.dt:.3g} of {full_test.duration:g} s",)
        result = dataclasses.replace(
            result,
            traces=traces,
            outcome=motion.outcome.value,
            completed=motion.outcome.completed,
            end_time=float(motion.times[-1]),
            computed_time=rerun.ticks * full_test.dt,
            duration=full_test.duration,
            remarks=remarks,
        )
        return (
            result
            if stability is None
            else dataclasses.replace(result, **_stability_fields(stability.result(), result))
        )

    def _reference(self, rerun: FastRerun, traced_values: dict[str, float]) -> Motion | None:
        """Return the reference solution; measure the computing time if it is not cached."""
        if rerun.has_reference(traced_values):
            return rerun.reference(traced_values)
        start = time.perf_counter()
        reference = rerun.reference(traced_values)
        self.reference_time = time.perf_counter() - start
        return reference

    def _with_reference(
        self,
        rerun: FastRerun,
        traced_values: dict[str, float],
        result: ExploreResult,
        reference: Motion | None,
    ) -> ExploreResult:
        """Add a reference solution to a result; without one, only clear `reference_pending`."""
        if reference is None:
            return dataclasses.replace(result, reference_pending=False)
        motion = rerun.response(traced_values)
        number = min(len(reference.times), len(motion.times))
        error = motion.signals["displacement"][:number] - reference.signals["displacement"][:number]
        difference = Motion({"displacement": error}, motion.dt, motion.outcome)
        traces = {
            "reference": _trace("reference", "displacement", reference),
            "error": _trace("error", "displacement", difference),
        }
        run, ideal = (one.recording(rerun.full_test.record_every) for one in (motion, reference))
        relative = value_or_none(lambda: relative_errors(run, ideal))
        logs = [value_or_none(partial(impact_log, data)) or [] for data in (run, ideal)]
        size = math.nan if relative is None else float(np.nanmax(relative.rms["e1"]))
        return dataclasses.replace(
            result,
            traces={**result.traces, **traces},
            error=size,
            error_tone=""
            if result.is_partial
            else error_tone(rerun.full_test.accept, "response_error", size),
            tracking=math.nan if relative is None else float(np.nanmax(relative.rms["e2"])),
            contacts=contact_energy(*logs),
            reference_pending=False,
        )


def _stability(rerun: FastRerun, traced_values: dict[str, float]) -> Assessment | str:
    """Return the stability, or the reason why it is not determined."""
    try:
        return rerun.stability(traced_values)
    except DovetailError as error:
        return str(error)


def _stability_fields(stability: Assessment | str, result: ExploreResult) -> dict[str, Any]:
    """Return the fields of a result that describe stability."""
    if isinstance(stability, str):
        return {"remarks": (*result.remarks, stability)}
    return {
        "stable": stability.stable if stability.is_determined else None,
        "word": stability.word,
        "validity": stability.validity,
        "stability_text": str(stability),
        "critical_delay": stability.critical_delay,
        "margin": stability.margin,
        "delay": stability.loop_delay,
        "growth": stability.growth_rate,
        "frequency": stability.pole_frequency,
        "poles": tuple((root.real, root.imag / (2 * np.pi)) for root in stability.poles),
    }


def _trace(name: str, signal: str, motion: Motion) -> Trace:
    signal_info = signals.signal(signal)
    label = {"reference": "reference solution", "error": "response error"}.get(name, signal_info.label)
    return Trace.from_signal(label, signal_info.unit, motion.times, motion.signals[signal])


def suggest_sliders(test: Any) -> list[SliderRange]:
    """Return slider ranges for the most important parameters: delay, damping, stiffness, excitation."""
    from dovetail.app.blocks import blocks

    names = (
        "delay",
        "tau",
        "c",
        "damping",
        "damping_ratio",
        "k",
        "stiffness",
        "amplitude",
        "relaxing_fraction",
        "share",
    )
    values = [
        value for block in _all(blocks(test, {})) for value in block.values if value.traced and value.number
    ]
    ranked = [value.path for name in names for value in values if value.name == name]
    others = [value.path for value in values if not value.path.startswith(("limits.", "method.", "accept."))]
    return slider_ranges(test, list(dict.fromkeys([*ranked, *others]))[:6])


def _all(blocks_: Sequence[Any]) -> list[Any]:
    return [one for block in blocks_ for one in (block, *_all(block.inner))]
