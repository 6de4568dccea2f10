r"""Inverse-model compensation: command what makes a modelled actuator do what is asked.

The inverse of an actuator needs derivatives of the demand. The numerical substructure knows them (its
acceleration is its right-hand side), so nothing is differentiated and the combination is proper
[1]_ [2]_:

* `SecondOrderInverse`, for :math:`k_t/(m_t s^2 + c_t s + k_t)`:
  :math:`z_p = z + (c_t/k_t)\,\dot z + (m_t/k_t)\,\ddot z` (the *virtual junction*);
* `FirstOrderInverse`, for :math:`b/(s + a_0)`: :math:`z_p = (\dot z + a_0 z)/b`;
* `InverseModel`, for any identified :math:`b(s)/a(s)` with a relative degree of at most two.

The model is fixed during the test; what it does not represent (friction, dead zone, a delay that changes
with frequency) remains. A demand with kinks is no difficulty, unlike for a predictor.

A zero in the right half-plane cannot be inverted: the inverse would be unstable. `inverse_of` then offers the
way out: each such zero is exchanged for the delay it is worth at low frequency, and the delay is predicted.

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
from dovetail.core import kind, parameter
from dovetail.core.block import Input, Output, State, Time
from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.transfer.linear import LinearTransfer
from dovetail.transfer.transfer_function import TransferFunction


@kind("second-order-inverse")
class SecondOrderInverse(Compensator):
    r"""Inverse of a mass, damper and spring, :math:`z_p = z + (c/k)\,\dot z + (m/k)\,\ddot z`."""

    mass: jax.Array = parameter("kg", "mass of the actuator's model", at_least=0.0)
    damping: jax.Array = parameter("N s/m", "its damping", at_least=0.0)
    stiffness: jax.Array = parameter("N/m", "its stiffness", above=0.0)

    @classmethod
    def of(cls, omega: ArrayLike, damping: ArrayLike) -> Self:
        """Of an undamped natural angular frequency [rad/s] and a damping ratio."""
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

    a0: jax.Array = parameter("1/s", "pole of the actuator's model", at_least=0.0)
    b: jax.Array = parameter("1/s", "its gain", above=0.0)

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
    acceleration; its poles are the model's zeros. Split so, the slow motion is exact and the filter does the
    small rest, however fast the zeros. Coefficients are fixed when it is built, from the highest power of s
    down, and serve all actuators.
    """

    numerator: tuple[float, ...] = eqx.field(static=True, converter=lambda c: tuple(map(float, c)))
    denominator: tuple[float, ...] = eqx.field(static=True, converter=lambda c: tuple(map(float, c)))

    def __check_init__(self):
        b, a = self.numerator, self.denominator
        if not a or not b or a[0] == 0.0 or b[0] == 0.0:
            raise ParameterError(
                "InverseModel: a leading coefficient is zero or missing; leave its power out"
            )
        degree = len(a) - len(b)
        if degree < 0:
            raise ParameterError(
                f"InverseModel: the numerator's order {len(b) - 1} is above the denominator's {len(a) - 1}; "
                "no actuator does that"
            )
        if degree > 2:
            raise AnalysisError(
                f"InverseModel: {degree} more poles than zeros, so the inverse needs derivative number "
                f"{degree} of the demand; the numerical substructure gives two. Identify a simpler model"
            )
        _refuse_unstable_inverse(b)

    @property
    def _split(self) -> tuple[float, float, np.ndarray]:
        """p0, p1 and the coefficients of h(s)."""
        a, b = np.asarray(self.denominator), np.asarray(self.numerator)
        p0 = a[-1] / b[-1]
        p1 = ((a[-2] if len(a) > 1 else 0.0) - p0 * (b[-2] if len(b) > 1 else 0.0)) / b[-1]
        rest = np.polysub(a, np.polymul([p1, p0], b))  # its last two coefficients are zero
        return p0, p1, rest[:-2] if len(rest) > 2 else np.zeros(1)

    @property
    def _filter(self) -> TransferFunction:
        h = np.trim_zeros(self._split[2], "f")
        return TransferFunction(
            jnp.asarray(h if h.size else [0.0]), jnp.asarray(self.numerator), shape=self.shape
        )

    @property
    def _direct(self) -> bool:
        """True where the filter is a factor: a model without zeros."""
        return len(self.numerator) == 1

    def init(self) -> State:
        return () if self._direct else self._filter.init()

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        p0, p1, h = self._split
        command = p0 * u["displacement"] + p1 * u["velocity"]
        if self._direct:
            return x, {"command": command + h[-1] / self.numerator[0] * u["acceleration"]}
        x, rest = self._filter.step(t, dt, x, u["acceleration"])
        return x, {"command": command + rest}

    def response(self, omega: ArrayLike, dt: float) -> jax.Array:
        s = 1j * jnp.asarray(omega)
        return jnp.polyval(jnp.array(self.denominator), s) / jnp.polyval(jnp.array(self.numerator), s)


def inverse_of(
    model: LinearTransfer, *, approximate: bool = False, order: int = 4, window: int = 10
) -> Compensator:
    """The compensator that cancels a transfer system's model: its inverse, and prediction over its delay.

    Parameters
    ----------
    model : LinearTransfer
        The identified transfer system of one actuator, e.g. `actuator.linear()`.
    approximate : bool
        Exchange zeros in the right half-plane for the delay they are worth at low frequency, instead of
        refusing them.
    order, window : int
        Of the polynomial that predicts over the delay, if there is one.

    Raises
    ------
    AnalysisError
        If the inverse is unstable or needs a third derivative.

    Examples
    --------
    >>> from dovetail.transfer import LinearTransfer
    >>> inverse_of(LinearTransfer([166.5], [1.0, 169.3])).numerator
    (166.5,)
    """
    b, delay = np.trim_zeros(model.numerator, "f"), float(model.delay)
    if approximate:
        b, extra = _without_unstable_zeros(b)
        delay += extra
    inverse = InverseModel(numerator=tuple(b), denominator=tuple(model.denominator))
    return (
        inverse
        if delay == 0.0
        else Cascade((inverse, ForwardPrediction(jnp.asarray(delay), order=order, window=window)))
    )


def _refuse_unstable_inverse(numerator: ArrayLike) -> None:
    zeros = np.roots(np.asarray(numerator))
    bad = zeros[zeros.real >= 0.0]
    if bad.size:
        worst = bad[np.argmax(bad.real)]
        place = f"{worst.real:+.4g}" if abs(worst.imag) < 1e-9 * abs(worst) else f"{worst:.4g}"
        worth = float(np.sum(1.0 / bad).real) if np.all(bad != 0) else np.inf
        raise AnalysisError(
            f"the model has a zero at {place} 1/s, in the right half-plane: its exact inverse is unstable. "
            f"Invert the rest and predict over the {1e3 * worth:.3g} ms of delay that it is worth: "
            "inverse_of(model, approximate=True)"
        )


def _without_unstable_zeros(numerator: np.ndarray) -> tuple[np.ndarray, float]:
    """The numerator without zeros in the right half-plane, same gain at rest, and their delay [s]."""
    zeros = np.roots(numerator)
    bad = zeros[zeros.real > 0.0]
    kept = np.atleast_1d(np.poly(zeros[zeros.real <= 0.0])).real
    return kept * numerator[-1] / kept[-1], float(np.sum(1.0 / bad).real)
