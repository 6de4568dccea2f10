r"""Actuator with its own controller: the inner loop, which a hybrid test uses as it is.

With the plant :math:`P = b/a` and the controller :math:`C = p/q`, both in continuous time, the transfer function from
demand to displacement is :math:`\frac{CP}{1+CP} = \frac{p b}{q a + p b}`, discretised exactly. Controllers of test rigs
run much faster than the outer loop, so their sampling is neglected.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import kind
from dovetail.core.errors import ParameterError
from dovetail.transfer.closed_loop import ClosedLoop
from dovetail.transfer.controller import Controller
from dovetail.transfer.lag import hold
from dovetail.transfer.transfer_function import TransferFunction


@kind("inner-loop")
class InnerLoop(ClosedLoop):
    """Closed loop of a controller and a plant with unity feedback: `InnerLoop(Proportional(1.0), plant)`."""

    controller: Controller
    plant: TransferFunction
    hold: str = hold()

    def __check_init__(self) -> None:
        if not isinstance(self.plant, TransferFunction) or not isinstance(self.controller, Controller):
            return  # placeholder while JAX rebuilds the tree
        p, q = self.controller.polynomials()
        b, a = self.plant.numerator, self.plant.denominator
        if len(p) + len(b) > len(q) + len(a):
            raise ParameterError(
                f"InnerLoop: {type(self.controller).__name__} differentiates, so the plant's numerator must have a "
                f"lower order than its denominator; got order {len(b) - 1} over {len(a) - 1}"
            )

    def closed_loop(self) -> TransferFunction:
        """Return the transfer function of the closed loop from demand to displacement."""
        numerator, open_denominator = self._open()
        missing = len(open_denominator) - len(numerator)
        padded = jnp.concatenate([jnp.zeros((missing, *numerator.shape[1:])), numerator])
        axes = (1,) * (padded.ndim - open_denominator.ndim)
        denominator = open_denominator.reshape(*open_denominator.shape, *axes) + padded
        return TransferFunction(numerator, denominator, self.hold, shape=self.shape)

    def _open(self) -> tuple[jax.Array, jax.Array]:
        p, q = self.controller.polynomials()
        return _multiply(p, self.plant.numerator), _multiply(q, self.plant.denominator)

    def critical_gains(self, axis: int = 0) -> np.ndarray:
        r"""Return the factors on the controller gain at which the loop of an axis changes stability, increasing.

        On the boundary :math:`a(i\omega) + \lambda b(i\omega) = 0` for a real factor: the crossings are the
        real roots of :math:`\mathrm{Im}\,a\bar b = 0`.
        """
        b, a = ((c := _columns(np.asarray(p)))[min(axis, len(c) - 1)] for p in self._open())
        imaginary = np.imag(np.convolve(_at_i_omega(a), np.conj(_at_i_omega(b))))
        roots = np.roots(imaginary) if np.any(imaginary) else np.array([0.0])
        omega = np.unique(np.abs(roots[np.abs(roots.imag) <= 1e-6 * (1 + np.abs(roots))].real).round(12))
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = -np.real(np.polyval(a, 1j * omega) / np.polyval(b, 1j * omega))
        return np.sort(factors[np.isfinite(factors) & (factors > 0)])

    def remedy(self, axis: int) -> str:
        critical = self.critical_gains(axis)
        nearest = [*critical[critical < 1][-1:], *critical[critical > 1][:1]]
        if not nearest:
            return "no positive factor on the controller gain makes it stable; change the controller"
        return f"stability changes at controller gain factors of {' or '.join(f'{f:.3g}' for f in nearest)}"


def _multiply(p: jax.Array, q: jax.Array) -> jax.Array:
    """Return the product of polynomials along the first axis."""
    axes = np.broadcast_shapes(p.shape[1:], q.shape[1:])
    q = q.reshape(len(q), *(1,) * (len(axes) + 1 - q.ndim), *q.shape[1:])
    product = jnp.zeros((len(p) + len(q) - 1, *axes))
    for i in range(len(p)):
        product = product.at[i : i + len(q)].add(p[i] * q)
    return product


def _columns(coefficients: np.ndarray) -> np.ndarray:
    return coefficients.reshape(len(coefficients), -1).T


def _at_i_omega(coefficients: np.ndarray) -> np.ndarray:
    """Return the coefficients in omega of a polynomial in s, for s = i omega."""
    powers = np.arange(len(coefficients) - 1, -1, -1)
    return np.asarray(coefficients * 1j**powers)
