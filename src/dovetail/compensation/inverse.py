r"""Inverse-model compensation: the command is the demand filtered with the inverse of an actuator model.

The inverse needs derivatives of the demand. The numerical substructure provides them (its acceleration is its
right-hand side), so nothing is differentiated and the combination is proper [1]_ [2]_:

* `SecondOrderInverse`, for :math:`k_t/(m_t s^2 + c_t s + k_t)`:
  :math:`z_p = z + (c_t/k_t)\,\dot z + (m_t/k_t)\,\ddot z` (the *virtual junction*);
* `FirstOrderInverse`, for :math:`b/(s + a_0)`: :math:`z_p = (\dot z + a_0 z)/b`;
* `InverseModel`, for any identified :math:`b(s)/a(s)` with a relative degree of at most two.

The model is constant during the test. Effects that it does not contain (friction, dead zone, a delay that varies with
frequency) remain. Unlike a predictor, the inverse is accurate for a demand with kinks.

A zero in the right half-plane cannot be inverted, because the inverse would be unstable. `make_inverse` with
`approximate` replaces each such zero by its delay at low frequency, and predicts over this delay.

References
----------
.. [1] Gawthrop, Wallace and Wagg, Earthquake Eng. Struct. Dyn. 34(6), 687-703, 2005 (virtual junction).
.. [2] Wallace, PhD thesis, University of Bristol, 2006, sections 4.4 and 6.9.
"""

from __future__ import annotations

from typing import Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from dovetail.compensation.base import Compensator
from dovetail.compensation.cascade import Cascade
from dovetail.compensation.forward_prediction import ForwardPrediction
from dovetail.core import Parameter, kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.transfer.linear import LinearTransfer
from dovetail.transfer.transfer_function import TransferFunction


@kind("second-order-inverse")
class SecondOrderInverse(Compensator):
    r"""Inverse of a mass, damper and spring, :math:`z_p = z + (c/k)\,\dot z + (m/k)\,\ddot z`."""

    mass: Parameter = parameter("kg", "mass of the actuator model", at_least=0.0)
    damping: Parameter = parameter("N s/m", "damping of the actuator model", at_least=0.0)
    stiffness: Parameter = parameter("N/m", "stiffness of the actuator model", above=0.0)

    @classmethod
    def from_omega(cls, omega: ArrayLike, damping: ArrayLike) -> Self:
        """Create the inverse from an undamped natural angular frequency [rad/s] and a damping ratio."""
        omega, damping = jnp.asarray(omega, dtype=float), jnp.asarray(damping, dtype=float)
        return cls(mass=jnp.asarray(1.0), damping=2.0 * damping * omega, stiffness=omega**2)

    def init(self) -> State:
        return ()

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        force = self.mass * u["acceleration"] + self.damping * u["velocity"]
        return x, {"command": u["displacement"] + force / self.stiffness}

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        s = 1j * jnp.asarray(omega)
        return 1.0 + (self.damping * s + self.mass * s**2) / self.stiffness


@kind("first-order-inverse")
class FirstOrderInverse(Compensator):
    """Inverse of b/(s + a0), z_p = (z' + a0 z)/b."""

    a0: Parameter = parameter("1/s", "pole of the actuator model", at_least=0.0)
    b: Parameter = parameter("1/s", "gain of the actuator model", above=0.0)

    def init(self) -> State:
        return ()

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        return x, {"command": (u["velocity"] + self.a0 * u["displacement"]) / self.b}

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        return (1j * jnp.asarray(omega) + self.a0) / self.b


@kind("inverse-model")
class InverseModel(Compensator):
    r"""Inverse of an identified model b(s)/a(s), split into derivatives of the demand and a stable filter.

    .. math:: \frac{a(s)}{b(s)} = p_0 + p_1 s + s^2\,\frac{h(s)}{b(s)}

    The first two terms use displacement and velocity of the numerical substructure, the last filters its
    acceleration; the poles of the filter are the zeros of the model. With this split slow motion is exact, and the
    filter contributes a small part, however fast the zeros. Coefficients are static, from the highest power of s
    down, and equal for all actuators.
    """

    numerator: tuple[float, ...] = eqx.field(static=True, converter=lambda c: tuple(map(float, c)))
    denominator: tuple[float, ...] = eqx.field(static=True, converter=lambda c: tuple(map(float, c)))

    def __check_init__(self) -> None:
        b, a = self.numerator, self.denominator
        if not a or not b or a[0] == 0.0 or b[0] == 0.0:
            raise ParameterError(
                "InverseModel: got a leading coefficient that is zero or missing; remove its power"
            )
        degree = len(a) - len(b)
        if degree < 0:
            raise ParameterError(
                f"InverseModel: got a numerator of order {len(b) - 1} and a denominator of order {len(a) - 1}; "
                "expected a numerator of at most the order of the denominator"
            )
        if degree > 2:
            raise AnalysisError(
                f"InverseModel: got {degree} more poles than zeros, so the inverse needs derivative {degree} of the "
                "demand; the numerical substructure provides two. Identify a simpler model"
            )
        _check_stable_inverse(np.asarray(b))

    @property
    def _split(self) -> tuple[float, float, np.ndarray]:
        """Coefficients p0, p1 and those of h(s)."""
        a, b = np.asarray(self.denominator), np.asarray(self.numerator)
        p0 = a[-1] / b[-1]
        p1 = ((a[-2] if len(a) > 1 else 0.0) - p0 * (b[-2] if len(b) > 1 else 0.0)) / b[-1]
        remainder = np.polysub(a, np.polymul([p1, p0], b))  # its last two coefficients are zero
        return p0, p1, remainder[:-2] if len(remainder) > 2 else np.zeros(1)

    @property
    def _filter(self) -> TransferFunction:
        h = np.trim_zeros(self._split[2], "f")
        return TransferFunction(
            jnp.asarray(h if h.size else [0.0]), jnp.asarray(self.numerator), shape=self.shape
        )

    @property
    def _direct(self) -> bool:
        """True if the filter is a constant factor: a model without zeros."""
        return len(self.numerator) == 1

    def init(self) -> State:
        return () if self._direct else self._filter.init()

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        p0, p1, h = self._split
        command = p0 * u["displacement"] + p1 * u["velocity"]
        if self._direct:
            return x, {"command": command + h[-1] / self.numerator[0] * u["acceleration"]}
        x, filtered = self._filter.step(t, dt, x, u["acceleration"])
        return x, {"command": command + filtered}

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        s = 1j * jnp.asarray(omega)
        return jnp.polyval(jnp.array(self.denominator), s) / jnp.polyval(jnp.array(self.numerator), s)


def make_inverse(
    model: LinearTransfer, *, approximate: bool = False, order: int = 4, window: int = 10
) -> Compensator:
    """Return the compensator for a model of the transfer system: its inverse, and a prediction over its delay.

    Parameters
    ----------
    model : LinearTransfer
        Identified transfer system of one actuator, for example `actuator.linear()`.
    approximate : bool
        Replace zeros in the right half-plane by their delay at low frequency; otherwise they raise an error.
    order, window : int
        Order and window of the prediction, if the model has a delay.

    Raises
    ------
    AnalysisError
        If the inverse is unstable or needs a third derivative.

    Examples
    --------
    >>> from dovetail.transfer import LinearTransfer
    >>> make_inverse(LinearTransfer([166.5], [1.0, 169.3])).numerator
    (166.5,)
    """
    b, delay = np.trim_zeros(model.numerator, "f"), float(model.delay)
    if approximate:
        b, zero_delay = _without_unstable_zeros(b)
        delay += zero_delay
    inverse = InverseModel(numerator=tuple(b), denominator=tuple(model.denominator))
    return (
        inverse
        if delay == 0.0
        else Cascade((inverse, ForwardPrediction(jnp.asarray(delay), order=order, window=window)))
    )


def _check_stable_inverse(numerator: ArrayLike) -> None:
    zeros = np.roots(np.asarray(numerator))
    unstable = zeros[zeros.real >= 0.0]
    if unstable.size:
        zero = unstable[np.argmax(unstable.real)]
        text = f"{zero.real:+.4g}" if abs(zero.imag) < 1e-9 * abs(zero) else f"{zero:.4g}"
        delay = float(np.sum(1.0 / unstable).real) if np.all(unstable != 0) else np.inf
        raise AnalysisError(
            f"the model has a zero at {text} 1/s, in the right half-plane: its exact inverse is unstable. "
            f"Invert the other factors and predict over the delay of the zero, {1e3 * delay:.3g} ms: "
            "make_inverse(model, approximate=True)"
        )


def _without_unstable_zeros(numerator: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the numerator without zeros in the right half-plane, with the same gain at rest, and their delay [s]."""
    zeros = np.roots(numerator)
    unstable = zeros[zeros.real > 0.0]
    stable = np.atleast_1d(np.poly(zeros[zeros.real <= 0.0])).real
    return stable * numerator[-1] / stable[-1], float(np.sum(1.0 / unstable).real)
