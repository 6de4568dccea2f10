"""Would this test work? The delay the loop tolerates, the delay it has, and what its ticks do."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from dovetail.compensation import MeasuredForce, NoCompensation
from dovetail.core.errors import AnalysisError, ConvergenceError
from dovetail.stability import Poles, StateSpace, Switches, open_loop, switches
from dovetail.stability.eigenvalues import growing_steps
from dovetail.stability.linearity import NOT_LINEAR, departure_from_linear, sine
from dovetail.stability.sampled import poles_of
from dovetail.testing.linearised import linear_parts, linear_specimen, sampled_loop, with_slope
from dovetail.testing.rig import Rig

if TYPE_CHECKING:
    from dovetail.testing.test import Test

ROOTS = 40  # of the sampled loop that are told, slowest first
VANISHED = 1e-9  # modulus of a pole whose motion is gone within a tick
LARGEST = 600  # states of a loop with more ticks of delay that are tried in a second
JOINED_UNSTABLE = "the substructures joined directly are unstable: no rig can help"
MASS_LEAVES_NONE = "the specimen's mass leaves no margin: any delay destabilises"


@dataclasses.dataclass(frozen=True)
class Stability:
    """The answer to *would this test work*.

    The critical delay belongs to the substructures alone: the pure delay between demand and force at which the loop
    first loses stability, in continuous time; beyond it there may be islands of delay in which it is stable again.
    Growth rate and margin belong to the test as it will run: sampled, with its actuator, sensor, compensator and held
    force. A positive growth means unstable; the margin is what delay could be added, or must be taken away.
    """

    critical_delay: float  # [s]; infinite if no delay destabilises the loop
    frequency: float  # [Hz] at which it would go unstable
    delay: float  # [s] the rig's own, at low frequency, less nothing for the compensator
    growth_rate: float  # [1/s] of the dominant pole of the sampled loop
    pole_frequency: float  # [Hz] of that pole
    half_tick: float  # [s] what holding the force over a tick costs
    remarks: tuple[str, ...] = ()
    near_rest: bool = False  # the specimen is not linear: all this holds for small motion only
    margin: float = (
        math.nan
    )  # [s] extra delay that the loop as it runs bears; negative: by how much it is too late
    sensor_delay: float = 0.0  # [s] of the force sensor, at low frequency
    command_hold: float = 0.0  # [s] what the staircase of a held command costs
    islands: tuple[
        tuple[float, float], ...
    ] = ()  # [s] stretches beyond the critical delay that are stable again
    compensated: bool = False  # something in the loop makes up for delay: a compensator, a model of the force
    roots: tuple[complex, ...] = ()  # [1/s] of the sampled loop as it will run, rightmost first: log z / dt

    @property
    def stable(self) -> bool:
        """True if the sampled loop, as it will run, decays."""
        return self.growth_rate < 0

    @property
    def lateness(self) -> float:
        """All delay between demand and force [s]: of the rig, its force sensor, the held command and the held force."""
        return self.delay + self.sensor_delay + self.command_hold + self.half_tick

    @property
    def island(self) -> tuple[float, float] | None:
        """The stretch of stable delays beyond the critical one in which the loop is, if it is in one."""
        return next((island for island in self.islands if island[0] < self.lateness < island[1]), None)

    def _repr_html_(self) -> str:
        from dovetail.report.notebook import stability_html

        return stability_html(self)

    def __str__(self) -> str:
        if math.isinf(self.critical_delay):
            critical = "no delay destabilises this loop"
        elif math.isnan(self.critical_delay):
            critical = "critical delay not known"
        else:
            where = "" if math.isnan(self.frequency) else f" at {self.frequency:.3g} Hz"
            critical = f"critical delay {_ms(self.critical_delay)}{where}"
        has = "the rig's delay is not known" if math.isnan(self.delay) else f"rig has {_ms(self.delay)}"
        parts = [has]
        parts += [f"its force sensor {_ms(self.sensor_delay)}"] if self.sensor_delay else []
        parts += [f"the held command adds {_ms(self.command_hold)}"] if self.command_hold else []
        delays = ", ".join([*parts, f"the held force adds {_ms(self.half_tick)}"])
        verdict = "stable" if self.stable else "unstable"
        rate = f"the sampled loop is {verdict}: {self.growth_rate:+.3g} 1/s at {self.pole_frequency:.3g} Hz"
        lines = [f"{critical}; {delays}", rate + self._left()]
        if math.isnan(self.growth_rate):  # an open loop, which has neither
            lines = [delays]
        return "\n".join([*lines, *self.remarks])

    def _left(self) -> str:
        """What the margin says, in words."""
        if not math.isfinite(self.margin):
            return "; it bears any delay" if self.margin == math.inf else ""
        return (
            f"; it bears {_ms(self.margin)} more"
            if self.margin > 0
            else f"; it is {_ms(-self.margin)} too late"
        )


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.2f} ms"


def stability(test: Test) -> Stability:
    """Analyse a test, linearised at rest.

    Critical delay and islands follow from the crossings of the loop that numerical substructure and specimen form;
    growth rate and margin from one tick of the whole loop.
    """
    known, remarks = lateness(test)
    if open_at_rest(test):
        remarks.append(
            "at rest the specimen exerts no force and the loop is open: each contact's energy counts"
        )
        if test.stepping is not None:
            remarks.append("run by creep, it has no stability to lose to a delay: the force is taken at rest")
        return dataclasses.replace(known, remarks=tuple(remarks))
    try:
        straight, said = with_slope(test)
        cut = sampled_loop(straight)
    except AnalysisError as error:
        return dataclasses.replace(known, remarks=(*remarks, str(error)))
    remarks += said
    found, poles, said = of_matrices(known, cut, lambda: delays(straight), test.dt, test.duration)
    remarks += said
    near_rest = straight is not test or _only_near_rest(test, poles.omega)
    if near_rest and straight is test:
        remarks.append(
            "the specimen is not linear: this holds for small motion about rest, and a larger motion may fare "
            "better or worse; the rehearsal tells"
        )
    return dataclasses.replace(found, near_rest=near_rest, remarks=(*remarks, *_of_islands(found)))


def lateness(test: Test) -> tuple[Stability, list[str]]:
    """What is known of a test's delays before its loop is looked at, and what to say of it."""
    delay, remarks = _lateness(test, "actuator")
    sensor_delay, said = _lateness(test, "sensor")
    known = Stability(
        critical_delay=math.nan,
        frequency=math.nan,
        delay=delay,
        growth_rate=math.nan,
        pole_frequency=math.nan,
        half_tick=test.dt / 2,
        sensor_delay=0.0 if math.isnan(sensor_delay) else sensor_delay,
        command_hold=test.dt / 2 if isinstance(test.rig, Rig) and test.rig.between_ticks == "held" else 0.0,
        compensated=not (
            isinstance(test.compensator, NoCompensation) and isinstance(test.feedback, MeasuredForce)
        ),
    )
    return known, remarks + said


def of_matrices(
    known: Stability, cut: StateSpace, delays: Callable[[], Switches], dt: float, duration: float
) -> tuple[Stability, Poles, list[str]]:
    """What a loop's matrices say of its stability, its poles, and what to say of that; nothing is compiled."""
    critical, frequency, islands, said = _critical(delays)
    poles = poles_of(cut.A + cut.B @ cut.C, dt, duration)
    if len(poles.neutral):
        said.append(_of_neutral(poles))
    found = dataclasses.replace(
        known,
        critical_delay=critical,
        frequency=frequency,
        growth_rate=poles.growth,
        pole_frequency=poles.omega / (2 * math.pi),
        islands=tuple(islands),
        roots=_rightmost(poles),
    )
    return dataclasses.replace(found, margin=_margin(cut, dt, found)), poles, said


def _rightmost(poles: Poles) -> tuple[complex, ...]:
    """Exponents of the slowest motions of a sampled loop [1/s]."""
    moving = poles.values[np.abs(poles.values) > VANISHED][:ROOTS]
    return tuple(complex(value) for value in np.log(moving.astype(complex)) / poles.dt)


def delays(test: Test) -> Switches:
    """All delays at which the two substructures, joined directly but for that delay, lose or regain stability."""
    return switches(open_loop(*linear_parts(test)))


def _critical(delays: Callable[[], Switches]) -> tuple[float, float, list[tuple[float, float]], list[str]]:
    """Critical delay [s], its frequency [Hz], the islands beyond it, and what to say."""
    try:
        found = delays()
        critical, omega = found.critical()
        islands = [stretch for stretch in found.stable_delays() if stretch[0] > 0]
    except (AnalysisError, ConvergenceError) as error:
        return math.nan, math.nan, [], [str(error)]
    said = [JOINED_UNSTABLE] if found.unstable else []
    if found.gain_at_infinity >= 1:
        said.append(MASS_LEAVES_NONE)
    elif found.gain_at_infinity > 0:
        said.append(
            f"the specimen has mass, {found.gain_at_infinity:.2g} of what the interface moves: "
            "its delayed inertia counts"
        )
    return critical, omega / (2 * math.pi), islands, said


def _margin(cut: StateSpace, dt: float, found: Stability) -> float:
    """Extra delay [s] between command and measured force that the sampled loop bears; negative: that it has too much.

    It follows from the crossings of the sampled loop. A whole number of ticks can be tried, and is: the whole ticks
    below the margin must be borne.
    """
    by_difference = found.critical_delay - found.lateness
    try:
        margin = switches(cut, dt, unstable=None if found.growth_rate >= 0 else 0).margin()
    except (AnalysisError, ConvergenceError, np.linalg.LinAlgError):
        margin = math.nan
    if not found.stable:
        negative = [value for value in (margin, by_difference) if -math.inf < value < 0]
        return negative[0] if negative else -math.inf
    return _borne(cut, dt, by_difference if math.isnan(margin) else margin)


def _borne(cut: StateSpace, dt: float, margin: float) -> float:
    """The margin, or fewer whole ticks where a try shows that the loop is unstable below it."""
    if not dt < margin < math.inf:
        return margin
    whole = math.ceil(margin / dt) - 1
    for ticks in sorted({1, whole // 2, whole} - {0}):
        if cut.order + ticks * len(cut.C) > LARGEST:
            break  # too large a matrix to try
        if growing_steps(_later(cut, ticks)):
            return _borne(cut, dt, (ticks - 1) * dt)
    return margin


def _later(cut: StateSpace, ticks: int) -> np.ndarray:
    """Closed matrix of a sampled loop whose measured force is used some ticks later."""
    n, axes = cut.order, len(cut.C)
    whole = np.zeros((n + ticks * axes,) * 2)
    whole[:n, :n], whole[:n, -axes:] = cut.A, cut.B
    whole[n : n + axes, :n] = cut.C
    whole[n + axes :, n:-axes] = np.eye((ticks - 1) * axes)
    return whole


def _of_neutral(poles: Poles) -> str:
    at = sorted({round(abs(np.angle(value)) / poles.dt / (2 * math.pi), 3) for value in poles.neutral})
    if at == [0.0]:
        return "a motion neither grows nor decays: where the specimen, or a free body, comes to rest is remembered"
    return f"motions at {', '.join(f'{f:.3g}' for f in at)} Hz neither grow nor decay as far as can be told"


def _of_islands(found: Stability) -> list[str]:
    """Islands as far as they concern the test: those up to a little beyond its own delay."""
    if not found.islands:
        return []
    if found.island is not None:
        low, high = found.island
        end = f"and {_ms(high)}" if math.isfinite(high) else "and beyond"
        return [
            f"the delay of {_ms(found.lateness)} is beyond the critical one, in an island between {_ms(low)} {end} in "
            "which the loop is stable again: less delay destabilises it as well as more"
        ]
    near = [island for island in found.islands if island[0] < 2 * max(found.lateness, found.critical_delay)]
    listed = ", ".join(f"{1e3 * low:.3g} to {1e3 * high:.3g} ms" for low, high in near[:3])
    return [f"beyond the critical delay it would be stable again in islands: {listed}"] if near else []


def open_at_rest(test: Test) -> bool:
    """Whether a small motion about rest meets no force: bodies that fly towards each other, a gap.

    A memory that the force would follow, such as a latch, does not close the loop where no small motion reaches it.
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


def _only_near_rest(test: Test, omega: float) -> bool:
    """Whether the specimen is not linear in a motion of a tenth of the limit's size, at the loop's own frequency."""
    size = float(np.max(np.where(np.isfinite(test.limits.displacement), test.limits.displacement, 0.0))) / 10
    if not isinstance(test.rig, Rig) or not size > 0 or not 0 < omega < 2 * math.pi * test.rate:
        return False
    motion, dt = sine(size, omega, test.shape)
    return departure_from_linear(test.sized().rig.modelled().specimen, motion, dt) > NOT_LINEAR


def _lateness(test: Test, part: str) -> tuple[float, list[str]]:
    """Low-frequency delay of the rig's actuator or force sensor [s], that of the latest axis; what to say of it."""
    transfer = getattr(test.rig, part, None)
    if transfer is None:
        return math.nan, [
            f"the rig's delay is not known: it has no model of its {part}"
        ] if part == "actuator" else []
    try:
        linear = transfer.linear()
    except AnalysisError as error:
        return math.nan, [str(error)]
    return float(np.max(linear.low_frequency_delay)), list(linear.remarks)
