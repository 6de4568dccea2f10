"""Would this test work? The delay the loop tolerates, the delay it has, and the poles of its ticks."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from dovetail.core.errors import AnalysisError
from dovetail.core.linear import LinearModel, linearise
from dovetail.stability import DelayEquation, switching_delays
from dovetail.testing.loop import Driven, start, tick

if TYPE_CHECKING:
    from dovetail.testing.test import Test


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
        else:
            critical = f"critical delay {_ms(self.critical_delay)} at {self.frequency:.3g} Hz"
        verdict = "stable" if self.stable else "unstable"
        rate = f"the sampled loop is {verdict}: {self.growth_rate:+.3g} 1/s at {self.pole_frequency:.3g} Hz"
        lines = [f"{critical}; rig has {_ms(self.delay)}, the held force adds {_ms(self.half_tick)}", rate]
        return "\n".join([*lines, *self.remarks])


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.2f} ms"


def stability(test: Test) -> Stability:
    """Analyse a test, linearised at rest.

    The critical delay follows from the characteristic roots of the delay equation that numerical
    substructure and specimen form; the growth rate from the eigenvalues of one tick of the whole loop.
    """
    prepared = test.prepared()
    transfer, remarks = _transfer(test)
    delay = float(np.max(transfer)) if transfer is not None else math.nan
    critical, frequency, said = _critical(test)
    growth, pole_frequency = _sampled(prepared)
    return Stability(
        critical, frequency, delay, growth, pole_frequency, test.dt / 2, tuple(remarks) + tuple(said)
    )


def _transfer(test: Test) -> tuple[np.ndarray | None, list[str]]:
    """Low-frequency delay of the actuator [s], by axis."""
    try:
        linear = test.rig.actuator.linear()
    except AttributeError:
        return None, ["the rig's delay is not known: it has no model of its actuator"]
    except AnalysisError as error:
        return None, [str(error)]
    return np.atleast_1d(linear.low_frequency_delay), list(linear.remarks)


def _critical(test: Test) -> tuple[float, float, list[str]]:
    """Critical pure delay of the two substructures joined directly [s] and its frequency [Hz]."""
    specimen = getattr(test.rig, "specimen", None)
    if specimen is None:
        return math.nan, math.nan, ["the critical delay is not known: the rig has no model of its specimen"]
    try:
        equation = delay_equation(test)
        if not equation.with_delays(0.0).stable():
            return 0.0, math.nan, ["the substructures joined directly are unstable: no rig can help"]
        crossings = switching_delays(equation)
    except AnalysisError as error:
        return math.nan, math.nan, [str(error)]
    if not crossings:
        return math.inf, math.nan, []
    return crossings[0].parameter, crossings[0].frequency / (2 * math.pi), []


def delay_equation(test: Test) -> DelayEquation:
    r"""The equation that the substructures form when the motion reaches the specimen late.

    With the numerical part :math:`\dot x = A x + B F`, its motion :math:`y = C x`, and the specimen
    :math:`\dot x_s = A_s x_s + B_s y(t-\tau)`, :math:`F = C_s x_s + D_s y(t-\tau)`, all linearised at rest.
    The delay is a millisecond, to be set with `DelayEquation.with_delays`.
    """
    numerical, physical = linear_parts(test)
    used = [i for i, name in enumerate(physical.inputs) if not name.startswith("acceleration")]
    inertial = [i for i in range(len(physical.inputs)) if i not in used]
    if np.any(physical.B[:, inertial]) or np.any(physical.D[:, inertial]):
        raise AnalysisError(
            "the specimen's force depends on the imposed acceleration, so the late loop is a neutral "
            "equation, which has no critical delay in this sense; judge it by the loop gain at high frequency"
        )
    rows = [numerical.outputs.index(physical.inputs[i]) for i in used]
    C = np.asarray(numerical.C)[rows]
    A, B = np.asarray(numerical.A), np.asarray(numerical.B)
    As, Bs, Cs, Ds = (np.asarray(m) for m in (physical.A, physical.B, physical.C, physical.D))
    force = [i for i, name in enumerate(physical.outputs) if name.split("[")[0] == "force"]
    Cs, Ds, Bs = Cs[force], Ds[force][:, used], Bs[:, used]
    n, m = len(A), len(As)
    now = np.block([[A, B @ Cs], [np.zeros((m, n)), As]])
    late = np.block([[B @ Ds @ C, np.zeros((n, m))], [Bs @ C, np.zeros((m, m))]])
    return DelayEquation(now, [(late, 1e-3)])


def linear_parts(test: Test) -> tuple[LinearModel, LinearModel]:
    """Numerical substructure (force in, motion out) and specimen (motion in, force out), linear at rest."""
    shape = test.shape
    driven = Driven(test.numerical, test.excitation)
    numerical = linearise(driven, driven.init(), jnp.zeros(shape))
    motion = {name: jnp.zeros(shape) for name in ("acceleration", "displacement", "velocity")}
    specimen = test.rig.specimen
    return numerical, linearise(specimen, specimen.init(), motion)


def _sampled(prepared: Test) -> tuple[float, float]:
    """Growth rate [1/s] and frequency [Hz] of the dominant pole of the sampled loop."""
    poles = loop_poles(prepared)
    pole = poles[np.argmax(np.abs(poles))]
    logarithm = np.log(complex(pole)) / prepared.dt
    return float(logarithm.real), float(abs(logarithm.imag) / (2 * math.pi))


def loop_poles(prepared: Test) -> np.ndarray:
    """Eigenvalues of one tick of the whole loop at rest: every part with its sampling, none left out."""
    return np.linalg.eigvals(np.asarray(_tick_jacobian(prepared)))


@eqx.filter_jit
def _tick_jacobian(prepared: Test) -> jax.Array:
    state, _ = start(prepared)
    watch = state.pop("watch")  # it looks on and has no part in the dynamics
    moving, fixed = eqx.partition(state, eqx.is_inexact_array)
    flat, restore = ravel_pytree(moving)

    def advance(x):
        state = {**eqx.combine(restore(x), fixed), "watch": watch}
        after, _ = tick(prepared, state, jnp.ones((), dtype=int))
        del after["watch"]
        return ravel_pytree(eqx.filter(after, eqx.is_inexact_array))[0]

    return jax.jacfwd(advance)(flat)
