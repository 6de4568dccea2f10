"""Would this test work? The delay the loop tolerates, the delay it has, and the poles of its ticks."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import AnalysisError
from dovetail.core.linear import linearise
from dovetail.specimens import Specimen
from dovetail.stability import DelayEquation, Poles, StateSpace, linear_loop, loop_poles, switching_delays
from dovetail.stability.linearity import NOT_LINEAR, departure_from_linear, sine
from dovetail.stability.margin import unit_gains
from dovetail.testing.loop import Driven, start, tick
from dovetail.testing.room import in_words, left
from dovetail.transfer.linear import LinearTransfer

if TYPE_CHECKING:
    from dovetail.testing.test import Test

MOTION = ("displacement", "velocity", "acceleration")
MATRICES = 4  # of a loop's states by its states, at a time: the matrix, its work space, the vectors


@dataclasses.dataclass(frozen=True)
class Stability:
    """The answer to *would this test work*.

    The critical delay belongs to the substructures alone: the pure delay between demand and force at which
    the loop loses stability, in continuous time. The growth rate belongs to the test as it will run:
    sampled, with its actuator, its compensator and its held force. Positive means unstable.
    """

    critical_delay: float  # [s]; infinite if no delay destabilises the loop
    frequency: float  # [Hz] at which it would go unstable
    delay: float  # [s] the rig's own, at low frequency, less nothing for the compensator
    growth_rate: float  # [1/s] of the dominant pole of the sampled loop
    pole_frequency: float  # [Hz] of that pole
    half_tick: float  # [s] what holding the force over a tick costs
    remarks: tuple[str, ...] = ()
    near_rest: bool = False  # the specimen is not linear: all this holds for small motion only

    @property
    def stable(self) -> bool:
        """True if the sampled loop, as it will run, decays."""
        return self.growth_rate < 0

    @property
    def margin(self) -> float:
        """Critical delay less the rig's and the held force's [s]; negative where they exceed it."""
        return self.critical_delay - self.delay - self.half_tick

    def __str__(self) -> str:
        if math.isinf(self.critical_delay):
            critical = "no delay destabilises this loop"
        elif math.isnan(self.critical_delay):
            critical = "critical delay not known"
        else:
            where = "" if math.isnan(self.frequency) else f" at {self.frequency:.3g} Hz"
            critical = f"critical delay {_ms(self.critical_delay)}{where}"
        verdict = "stable" if self.stable else "unstable"
        rate = f"the sampled loop is {verdict}: {self.growth_rate:+.3g} 1/s at {self.pole_frequency:.3g} Hz"
        rig = "the rig's delay is not known" if math.isnan(self.delay) else f"rig has {_ms(self.delay)}"
        delays = f"{rig}, the held force adds {_ms(self.half_tick)}"
        lines = [f"{critical}; {delays}", rate]
        if math.isnan(self.growth_rate):  # an open loop, which has neither
            lines = [delays]
        return "\n".join([*lines, *self.remarks])


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.2f} ms"


def stability(test: Test) -> Stability:
    """Analyse a test, linearised at rest.

    The critical delay follows from the characteristic roots of the delay equation that numerical
    substructure and specimen form; the growth rate from the eigenvalues of one tick of the whole loop.
    """
    transfer, remarks = _transfer(test)
    delay = float(np.max(transfer)) if transfer is not None else math.nan
    if _open_at_rest(test):
        open_loop = "at rest the specimen exerts no force and the loop is open: each contact's energy counts"
        said = [*remarks, open_loop]
        if test.stepping is not None:
            said.append("run by creep, it has no stability to lose to a delay: the force is taken at rest")
        return Stability(math.nan, math.nan, delay, math.nan, math.nan, test.dt / 2, tuple(said))
    critical, frequency, said = _critical(test)
    poles = sampled_poles(test)
    near_rest = _only_near_rest(test, poles.frequency)
    if near_rest:
        said.append(
            "the specimen is not linear: this holds for small motion about rest, and a larger motion may fare "
            "better or worse; the rehearsal tells"
        )
    return Stability(
        critical_delay=critical,
        frequency=frequency,
        delay=delay,
        growth_rate=poles.growth,
        pole_frequency=poles.frequency / (2 * math.pi),
        half_tick=test.dt / 2,
        remarks=(*remarks, *said),
        near_rest=near_rest,
    )


def _open_at_rest(test: Test) -> bool:
    """Whether a small motion about rest meets no force: bodies that fly towards each other, a gap.

    A memory that the force would follow, such as a latch, does not close the loop where no small motion reaches it.
    """
    specimen = getattr(test.rig, "specimen", None)
    if specimen is None:
        return False
    try:
        physical = _linear_specimen(specimen, test.shape)
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
    if not hasattr(test.rig, "specimen") or not size > 0 or not 0 < omega < 2 * math.pi * test.rate:
        return False
    motion, dt = sine(size, omega, test.shape)
    return departure_from_linear(test.prepared().rig.specimen, motion, dt) > NOT_LINEAR


def _transfer(test: Test) -> tuple[np.ndarray | None, list[str]]:
    """Low-frequency delay of the actuator [s], by axis."""
    actuator = getattr(test.rig, "actuator", None)
    if actuator is None:
        return None, ["the rig's delay is not known: it has no model of its actuator"]
    try:
        linear = actuator.linear()
    except AnalysisError as error:
        return None, [str(error)]
    return np.atleast_1d(linear.low_frequency_delay), list(linear.remarks)


def _critical(test: Test) -> tuple[float, float, list[str]]:
    """Critical pure delay of the two substructures joined directly [s] and its frequency [Hz]."""
    try:
        equation = delay_equation(test)
        if not equation.with_delays(0.0).stable():
            return 0.0, math.nan, ["the substructures joined directly are unstable: no rig can help"]
        crossings = switching_delays(equation)
    except AnalysisError as error:
        return _by_phase_margin(test, str(error))
    if not crossings:
        return math.inf, math.nan, []
    return crossings[0].parameter, crossings[0].frequency / (2 * math.pi), []


def _by_phase_margin(test: Test, why: str) -> tuple[float, float, list[str]]:
    """The same where there is no delay equation to solve: a specimen with mass makes it neutral."""
    try:
        numerical, specimen = linear_parts(test)
    except AnalysisError:
        return math.nan, math.nan, [why]
    if specimen.order or specimen.D.shape != (1, 3):
        return math.nan, math.nan, [why]
    A, B, C = numerical.A, numerical.B, numerical.C
    k, c, m = specimen.D[0]
    gain = m * (C @ A @ B).item()  # of a delayed acceleration, at high frequency
    if abs(gain) >= 1:
        return 0.0, math.nan, ["the specimen's mass leaves no margin: any delay destabilises"]
    joined = A + B @ (k * C + c * C @ A + m * C @ A @ A) / (1 - gain)
    if np.linalg.eigvals(joined).real.max() >= 0:
        return 0.0, math.nan, ["the substructures joined directly are unstable: no rig can help"]

    def loop(s):
        s = np.asarray(s)
        inner = np.linalg.solve(s[..., None, None] * np.eye(len(A)) - A, B)
        return -(k + c * s + m * s**2) * (C @ inner)[..., 0, 0]

    rates = np.abs(np.linalg.eigvals(A))
    omega = np.geomspace(1e-2 * rates[rates > 0].min(), 1e2 * rates.max(), 8001)
    nearest = min(unit_gains(loop, omega), key=lambda found: found.delay, default=None)
    if nearest is None:
        return math.inf, math.nan, []
    said = "the specimen has mass, so the critical delay is by phase margin"
    return nearest.delay, nearest.frequency / (2 * math.pi), [said]


def delay_equation(test: Test) -> DelayEquation:
    """The equation that the substructures form when the motion reaches the specimen late.

    Both are linearised at rest. The delay is a millisecond, to be set with `DelayEquation.with_delays`.
    """
    return linear_loop(*linear_parts(test), LinearTransfer([1.0], [1.0], 1e-3))


def linear_parts(test: Test) -> tuple[StateSpace, StateSpace]:
    """Numerical substructure (force in, displacement out) and specimen (motion in, force out) at rest."""
    shape = test.shape
    driven = Driven(test.numerical, test.excitation)
    numerical = linearise(driven, driven.init(), jnp.zeros(shape))
    shown = _places(numerical.outputs, "displacement")
    free = np.zeros((len(shown), numerical.B.shape[1]))

    specimen = getattr(test.rig, "specimen", None)
    if specimen is None:
        raise AnalysisError("the rig has no model of its specimen, so the loop cannot be analysed")
    return StateSpace(numerical.A, numerical.B, numerical.C[shown, :], free), _linear_specimen(
        specimen, shape
    )


def _linear_specimen(specimen: Specimen, shape: tuple[int, ...]) -> StateSpace:
    motion = {name: jnp.zeros(shape) for name in MOTION}
    model = linearise(specimen, specimen.init(), motion)
    inputs = [i for name in MOTION for i in _places(model.inputs, name)]
    force = _places(model.outputs, "force")
    return StateSpace(model.A, model.B[:, inputs], model.C[force, :], model.D[force, :][:, inputs])


def _places(names: tuple[str, ...], signal: str) -> np.ndarray:
    return np.array([i for i, name in enumerate(names) if name.split("[")[0] == signal])


def sampled_poles(test: Test) -> Poles:
    """Poles of one tick of the whole loop at rest, as it is at the end of the test.

    Every part counts with its sampling; a compensator that learns counts as what it starts with, start-up
    behind it; limits, dead zones and quantisers count as not there.
    """
    prepared = dataclasses.replace(
        test, rig=test.rig.small_signal(), compensator=test.compensator.frozen()
    ).prepared()
    state, _ = start(prepared)
    size = sum(np.size(leaf) for leaf in jax.tree.leaves(state))
    if MATRICES * 8 * size**2 > left():
        raise AnalysisError(
            f"the loop has {size:,} states at {test.rate:g} Hz, one for each tick of its delays; their matrices take "
            f"{in_words(MATRICES * 8 * size**2)} of memory where {in_words(left())} are left: lower the rate"
        )
    state["compensator"] = prepared.compensator.running(state["compensator"])
    state["feedback"] = prepared.feedback.running(state["feedback"])
    watch = state.pop("watch")  # it looks on and has no part in the dynamics
    last = jnp.asarray(prepared.tick_count - 1)  # where every schedule has arrived

    def advance(x):
        after, _ = tick(prepared, {**x, "watch": watch}, last)
        del after["watch"]
        return after

    return loop_poles(advance, state, dt=test.dt)
