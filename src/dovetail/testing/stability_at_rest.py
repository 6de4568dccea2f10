"""Stability of a test, linearised at rest: critical delay, loop delay, delay margin and poles of the sampled loop."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from dovetail.compensation import MeasuredForce, NoCompensation
from dovetail.core.errors import AnalysisError, ConvergenceError
from dovetail.core.extensions import display
from dovetail.core.si_prefix import value_text
from dovetail.stability import Poles, StabilitySwitches, StateSpace, open_loop, stability_switches
from dovetail.stability.eigenvalues import growing_steps
from dovetail.stability.sampled import poles_of
from dovetail.testing.linearised import linear_parts, linear_specimen, sampled_loop, with_slope
from dovetail.testing.rig import Rig

if TYPE_CHECKING:
    from dovetail.testing.test import Test

MAX_POLES = 40  # largest number of poles in the result, slowest first
MIN_MODULUS = 1e-9  # modulus below which the motion of a pole decays within a tick
MAX_STATES = 600  # largest number of states for which the margin is verified with added ticks of delay
UNSTABLE_WITHOUT_DELAY = "the substructures coupled without delay are unstable: no rig can stabilise them"
NO_MARGIN_WITH_MASS = "no delay margin because of the specimen mass: any delay destabilises the loop"


@dataclasses.dataclass(frozen=True)
class LoopStability(ABC):
    """Stability of a test, linearised at rest.

    The critical delay depends on the substructures only: it is the pure delay between demand and force at which the
    continuous-time loop first loses stability. Beyond it there may be stable delay intervals. Growth rate and margin
    describe the loop as it runs: sampled, with actuator, sensor, compensator and held force. A positive growth rate
    means unstable. The margin is the delay that can be added; if negative, the delay that must be removed.
    """

    critical_delay: float  # [s]; infinite if no delay destabilises the loop
    critical_frequency: float  # [Hz] of the oscillation at the critical delay
    rig_delay: float  # [s] of the rig at low frequency, without the effect of the compensator
    growth_rate: float  # [1/s] of the dominant pole of the sampled loop
    pole_frequency: float  # [Hz] of that pole
    force_hold_delay: float  # [s] delay of holding the force over a tick
    remarks: tuple[str, ...] = ()
    small_motion_only: bool = False  # the specimen is nonlinear: valid for small motion only
    margin: float = (
        math.nan
    )  # [s] delay that can be added to the sampled loop; negative: delay that must be removed
    sensor_delay: float = 0.0  # [s] of the force sensor, at low frequency
    command_hold_delay: float = 0.0  # [s] delay of holding the command over a tick
    stable_intervals: tuple[
        tuple[float, float], ...
    ] = ()  # [s] stable delay intervals beyond the critical delay
    has_compensation: bool = False  # the loop has a compensator or a force model
    poles: tuple[
        complex, ...
    ] = ()  # [1/s] dominant poles of the sampled loop, log z / dt, largest real part first

    @property
    @abstractmethod
    def stable(self) -> bool:
        """True if the loop is stable."""

    @property
    def loop_delay(self) -> float:
        """Total delay between demand and force [s]: rig, force sensor, command hold and force hold."""
        return self.rig_delay + self.sensor_delay + self.command_hold_delay + self.force_hold_delay

    @property
    def stable_interval(self) -> tuple[float, float] | None:
        """Stable delay interval that contains the loop delay, if there is one."""
        return next(
            (interval for interval in self.stable_intervals if interval[0] < self.loop_delay < interval[1]),
            None,
        )

    def _repr_html_(self) -> str:
        return str(display("stability", self))


@dataclasses.dataclass(frozen=True)
class Stability(LoopStability):
    """Stability of a test, linearised at rest."""

    @property
    def stable(self) -> bool:
        """True if the sampled loop is stable."""
        return self.growth_rate < 0

    def __str__(self) -> str:
        if math.isinf(self.critical_delay):
            critical = "stable for any delay"
        elif math.isnan(self.critical_delay):
            critical = "critical delay not determined"
        else:
            where = "" if math.isnan(self.critical_frequency) else f" at {self.critical_frequency:.3g} Hz"
            critical = f"critical delay {value_text(self.critical_delay, 's')}{where}"
        has = (
            "rig delay not known"
            if math.isnan(self.rig_delay)
            else f"rig delay {value_text(self.rig_delay, 's')}"
        )
        parts = [has]
        parts += [f"sensor delay {value_text(self.sensor_delay, 's')}"] if self.sensor_delay else []
        parts += (
            [f"command hold {value_text(self.command_hold_delay, 's')}"] if self.command_hold_delay else []
        )
        delays = ", ".join([*parts, f"force hold {value_text(self.force_hold_delay, 's')}"])
        verdict = "stable" if self.stable else "unstable"
        rate = (
            f"sampled loop {verdict}: growth rate {self.growth_rate:+.3g} 1/s at {self.pole_frequency:.3g} Hz"
        )
        lines = [f"{critical}; {delays}", rate + self._margin_text()]
        if math.isnan(self.growth_rate):  # an open loop has no critical delay and no growth rate
            lines = [delays]
        return "\n".join([*lines, *self.remarks])

    def _margin_text(self) -> str:
        """Return the margin as text."""
        return "" if math.isnan(self.margin) or self.margin == -math.inf else f"; {margin_text(self.margin)}"


def margin_text(margin: float, up_to: float = math.inf) -> str:
    """Return a delay margin as text; `up_to` is the largest additional delay [s] that was examined."""
    if math.isnan(margin):
        return "delay margin not determined"
    if margin == math.inf:
        return (
            "no delay destabilises the loop"
            if up_to == math.inf
            else f"no limit found up to {value_text(up_to, 's')}"
        )
    if margin == -math.inf:
        return "no delay margin"
    size = value_text(abs(margin), "s")
    return f"delay margin {size}" if margin > 0 else f"exceeds the delay margin by {size}"


def stability_at_rest(test: Test) -> Stability:
    """Return the stability of a test, linearised at rest.

    Critical delay and stable intervals follow from the crossings of the loop of numerical substructure and specimen.
    Growth rate and margin follow from one tick of the complete loop.
    """
    result, remarks = loop_delays(test)
    if open_at_rest(test):
        remarks.append(
            "not determined by linear analysis: there is no contact at rest; energy is checked for each contact instead"
        )
        if test.pseudodynamic is not None:
            remarks.append(
                "in pseudo-dynamic mode delay cannot destabilise the loop: forces are measured at rest"
            )
        return dataclasses.replace(result, remarks=tuple(remarks))
    try:
        linear_test, notes = with_slope(test)
        loop = sampled_loop(linear_test)
    except AnalysisError as error:
        return dataclasses.replace(result, remarks=(*remarks, str(error)))
    remarks += notes
    result, _, notes = stability_of_matrices(
        result, loop, lambda: delays(linear_test), test.dt, test.duration
    )
    remarks += notes
    return dataclasses.replace(result, remarks=(*remarks, *_stable_interval_remarks(result)))


def loop_delays(test: Test) -> tuple[Stability, list[str]]:
    """Return the delays of rig, sensor and holds, before the loop is analysed, and remarks on them."""
    rig_delay, remarks = _low_frequency_delay(test, "actuator")
    sensor_delay, notes = _low_frequency_delay(test, "sensor")
    result = Stability(
        critical_delay=math.nan,
        critical_frequency=math.nan,
        rig_delay=rig_delay,
        growth_rate=math.nan,
        pole_frequency=math.nan,
        force_hold_delay=test.dt / 2,
        sensor_delay=0.0 if math.isnan(sensor_delay) else sensor_delay,
        command_hold_delay=test.dt / 2
        if isinstance(test.rig, Rig) and test.rig.command_hold == "zoh"
        else 0.0,
        has_compensation=not (
            isinstance(test.compensator, NoCompensation) and isinstance(test.feedback, MeasuredForce)
        ),
    )
    return result, remarks + notes


def stability_of_matrices(
    delays_only: Stability,
    loop: StateSpace,
    delays: Callable[[], StabilitySwitches],
    dt: float,
    duration: float,
) -> tuple[Stability, Poles, list[str]]:
    """Return stability, poles and remarks of a loop from its matrices; nothing is compiled."""
    critical, frequency, stable_intervals, notes = _critical(delays)
    poles = poles_of(loop.A + loop.B @ loop.C, dt, duration)
    if len(poles.neutral):
        notes.append(_neutral_pole_remark(poles))
    result = dataclasses.replace(
        delays_only,
        critical_delay=critical,
        critical_frequency=frequency,
        growth_rate=poles.growth,
        pole_frequency=poles.omega / (2 * math.pi),
        stable_intervals=tuple(stable_intervals),
        poles=_dominant_poles(poles),
    )
    return dataclasses.replace(result, margin=_margin(loop, dt, result)), poles, notes


def _dominant_poles(poles: Poles) -> tuple[complex, ...]:
    """Return the exponents of the slowest poles of a sampled loop [1/s]."""
    moving = poles.values[np.abs(poles.values) > MIN_MODULUS][:MAX_POLES]
    return tuple(complex(value) for value in np.log(moving.astype(complex)) / poles.dt)


def delays(test: Test) -> StabilitySwitches:
    """Return the delays at which the two substructures, coupled with a pure delay, lose or regain stability."""
    return stability_switches(open_loop(*linear_parts(test)))


def _critical(
    delays: Callable[[], StabilitySwitches],
) -> tuple[float, float, list[tuple[float, float]], list[str]]:
    """Return critical delay [s], its frequency [Hz], the stable intervals beyond it, and remarks."""
    try:
        result = delays()
        critical, omega = result.critical()
        stable_intervals = [stretch for stretch in result.stable_delays() if stretch[0] > 0]
    except (AnalysisError, ConvergenceError) as error:
        return math.nan, math.nan, [], [str(error)]
    notes = [UNSTABLE_WITHOUT_DELAY] if result.unstable else []
    if result.gain_at_infinity >= 1:
        notes.append(NO_MARGIN_WITH_MASS)
    elif result.gain_at_infinity > 0:
        notes.append(
            f"the specimen mass is {result.gain_at_infinity:.2g} of the mass at the interface: "
            "its delayed inertia force is included"
        )
    return critical, omega / (2 * math.pi), stable_intervals, notes


def _margin(loop: StateSpace, dt: float, result: Stability) -> float:
    """Return the delay margin [s] between command and measured force; negative: the excess delay.

    It follows from the crossings of the sampled loop. Whole ticks of delay below the margin are verified: the loop
    with these must be stable.
    """
    by_difference = result.critical_delay - result.loop_delay
    try:
        margin = stability_switches(loop, dt, unstable=None if result.growth_rate >= 0 else 0).margin()
    except (AnalysisError, ConvergenceError, np.linalg.LinAlgError):
        margin = math.nan
    if not result.stable:
        negative = [value for value in (margin, by_difference) if -math.inf < value < 0]
        return negative[0] if negative else -math.inf
    return _verified_margin(loop, dt, by_difference if math.isnan(margin) else margin)


def _verified_margin(loop: StateSpace, dt: float, margin: float) -> float:
    """Return the margin, or fewer matrix ticks if the loop is unstable with a delay below it."""
    if not dt < margin < math.inf:
        return margin
    matrix = math.ceil(margin / dt) - 1
    for ticks in sorted({1, matrix // 2, matrix} - {0}):
        if loop.order + ticks * len(loop.C) > MAX_STATES:
            break  # the matrix is too large to verify
        if growing_steps(_with_delay(loop, ticks)):
            return _verified_margin(loop, dt, (ticks - 1) * dt)
    return margin


def _with_delay(loop: StateSpace, ticks: int) -> np.ndarray:
    """Return the closed-loop matrix of a sampled loop with the measured force delayed by some ticks."""
    n, axes = loop.order, len(loop.C)
    matrix = np.zeros((n + ticks * axes,) * 2)
    matrix[:n, :n], matrix[:n, -axes:] = loop.A, loop.B
    matrix[n : n + axes, :n] = loop.C
    matrix[n + axes :, n:-axes] = np.eye((ticks - 1) * axes)
    return matrix


def _neutral_pole_remark(poles: Poles) -> str:
    at = sorted({round(abs(np.angle(value)) / poles.dt / (2 * math.pi), 3) for value in poles.neutral})
    if at == [0.0]:
        return "a pole is neutral: the rest position of the specimen or of a free body is arbitrary"
    return f"poles at {', '.join(f'{f:.3g}' for f in at)} Hz are neutral within rounding"


def _stable_interval_remarks(result: Stability) -> list[str]:
    """Return a remark on the stable delay intervals up to twice the loop delay."""
    if not result.stable_intervals:
        return []
    if result.stable_interval is not None:
        delay, low, high = (value_text(time, "s") for time in (result.loop_delay, *result.stable_interval))
        end = f"above {low}" if math.isinf(result.stable_interval[1]) else f"from {low} to {high}"
        return [
            f"the loop delay of {delay} exceeds the critical delay and lies in a stable delay "
            f"interval {end}: less delay destabilises the loop as well as more"
        ]
    near = [
        interval
        for interval in result.stable_intervals
        if interval[0] < 2 * max(result.loop_delay, result.critical_delay)
    ]
    listed = ", ".join(f"{1e3 * low:.3g} to {1e3 * high:.3g} ms" for low, high in near[:3])
    return [f"stable delay intervals beyond the critical delay: {listed}"] if near else []


def open_at_rest(test: Test) -> bool:
    """True if a small motion about rest causes no force, for example with a gap before contact.

    A memory of the specimen, such as the impact speed, does not close the loop if no small motion reaches it.
    """
    specimen = test.rig.specimen if isinstance(test.rig, Rig) else None
    if specimen is None:
        return False
    try:
        physical = linear_specimen(specimen, test.shape)
    except (AnalysisError, AttributeError):
        return False
    reached = physical.B
    answers = [physical.D]
    for _ in range(physical.order):
        answers.append(physical.C @ reached)
        reached = physical.A @ reached
    return not any(np.any(answer) for answer in answers)


def _low_frequency_delay(test: Test, part: str) -> tuple[float, list[str]]:
    """Return the low-frequency delay of the actuator or force sensor [s], the largest of all axes, and remarks."""
    transfer = getattr(test.rig, part, None)
    if transfer is None:
        return math.nan, [
            f"rig delay not known: the rig has no model of its {part}"
        ] if part == "actuator" else []
    try:
        linear = transfer.linear()
    except AnalysisError as error:
        return math.nan, [str(error)]
    return float(np.max(linear.low_frequency_delay)), list(linear.remarks)
