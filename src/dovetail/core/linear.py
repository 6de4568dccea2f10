r"""Linear model of a flow about an operating point, its modes and its frequency response.

.. math:: \delta\dot x = A\,\delta x + B\,\delta u, \qquad \delta y = C\,\delta x + D\,\delta u

The matrices are computed by forward-mode differentiation, exact to rounding. States, inputs and outputs are
raveled to vectors and keep their names, for example `"arm.velocity[2]"`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

from dovetail.core.block import Flow, Input, State, Time
from dovetail.core.errors import UnknownNameError
from dovetail.core.programs import jit_unoptimised
from dovetail.core.shapes import shapes


@dataclasses.dataclass(frozen=True)
class Modes:
    """Modes of a linear model, slowest first: one for each real eigenvalue and each complex pair."""

    eigenvalues: np.ndarray  # [rad/s], (n,), imaginary part zero or positive
    frequencies: np.ndarray  # [Hz], (n,), undamped: |eigenvalue| / 2 pi
    damping: np.ndarray  # ratio, (n,); 1 for decaying real eigenvalues, NaN where the eigenvalue is zero
    shapes: np.ndarray  # (states, n), complex, largest component 1

    @property
    def stable(self) -> bool:
        """Whether every motion decays."""
        return bool(np.all(self.eigenvalues.real < 0))


class LinearModel(eqx.Module):
    """Linear model with named states, inputs and outputs."""

    A: jax.Array
    B: jax.Array
    C: jax.Array
    D: jax.Array
    states: tuple[str, ...] = eqx.field(static=True)
    inputs: tuple[str, ...] = eqx.field(static=True)
    outputs: tuple[str, ...] = eqx.field(static=True)

    def frequency_response(self, w: Any, output: str | None = None, input: str | None = None) -> jax.Array:
        """Return G(iw) = C (iw - A)^-1 B + D at angular frequencies w [rad/s].

        The shape is w.shape + (outputs, inputs). A name selects one output or input and drops its axis.
        """
        w = jnp.asarray(w, dtype=float)
        eye = jnp.eye(self.A.shape[0])
        b = self.B.astype(complex)
        g = jnp.vectorize(
            lambda w: self.C @ jnp.linalg.solve(1j * w * eye - self.A, b) + self.D, signature="()->(m,k)"
        )(w)
        if input is not None:
            g = g[..., _index("input", input, self.inputs)]
            return jnp.asarray(g if output is None else g[..., _index("output", output, self.outputs)])
        return jnp.asarray(g if output is None else g[..., _index("output", output, self.outputs), :])

    def modes(self) -> Modes:
        """Return frequencies, damping ratios and shapes."""
        return modes(self.A)


def linearise(flow: Flow, x: State = None, u: Input = None, *, t: Time = 0.0) -> LinearModel:
    """Return the linear model of a flow about a state (default: `flow.init()`) and input, at a time."""
    x = flow.init() if x is None else x
    y = shapes(_output, flow, t, x, u)
    traced = any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves((flow, x, u, t)))
    a, b, c, d = (_matrices if traced else _compiled_matrices)(flow, x, u, t)
    return LinearModel(a, b, c, d, names(x, "x"), names(u, "u"), names(y, "y"))


def _output(flow: Flow, t: Time, x: State, u: Input) -> Any:
    return flow.output(t, x, u)


@eqx.filter_jit
def state_matrix(flow: Flow, x: State, u: Input, t: Time = 0.0) -> Float[Array, "n n"]:
    """Return the matrix A only: sufficient for poles and step sizes, and compiled much faster."""
    flat_x, to_x = ravel_pytree(x)
    A: jax.Array = jax.jacfwd(lambda x: ravel_pytree(flow.derivative(t, to_x(x), u))[0])(flat_x)
    return A


def _matrices(flow: Flow, x: State, u: Input, t: Time) -> tuple[jax.Array, ...]:
    """Return A, B, C and D; in one compiled call a hundred times faster than separate evaluation."""
    flat_x, to_x = ravel_pytree(x)
    flat_u, to_u = ravel_pytree(u)

    def rate(x: jax.Array, u: jax.Array) -> jax.Array:
        return ravel_pytree(flow.derivative(t, to_x(x), to_u(u)))[0]

    def output(x: jax.Array, u: jax.Array) -> jax.Array:
        return ravel_pytree(flow.output(t, to_x(x), to_u(u)))[0]

    return (
        *jax.jacfwd(rate, argnums=(0, 1))(flat_x, flat_u),
        *jax.jacfwd(output, argnums=(0, 1))(flat_x, flat_u),
    )


_compiled_matrices = jit_unoptimised(_matrices)


def modes(A: Any) -> Modes:
    """Return the modes of x' = A x, slowest first.

    >>> float(modes([[0.0, 1.0], [-100.0, -2.0]]).damping[0])
    0.1
    """
    values, vectors = np.linalg.eig(np.asarray(A, dtype=float))
    upper = np.flatnonzero(values.imag >= 0)
    order = upper[np.lexsort((values[upper].real, np.abs(values[upper])))]
    values, vectors = values[order].astype(complex), vectors[:, order].astype(complex)
    size = np.abs(values)
    damping = np.where(size > 0, -values.real / np.where(size > 0, size, 1.0), np.nan)
    largest = vectors[np.argmax(np.abs(vectors), axis=0), np.arange(len(order))]
    return Modes(values, size / (2 * np.pi), damping, vectors / largest)


def names(tree: Any, root: str) -> tuple[str, ...]:
    """Return a name for each number in a pytree, in raveled order."""
    result: list[str] = []
    for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]:
        stem = jax.tree_util.keystr(path, simple=True, separator=".") or root
        shape = jnp.shape(leaf)
        indices = [f"[{','.join(map(str, i))}]" for i in np.ndindex(*shape)] if shape else [""]
        result += [stem + index for index in indices]
    return tuple(result)


def _index(role: str, name: str, names: tuple[str, ...]) -> int:
    if name not in names:
        raise UnknownNameError(role, name, names)
    return names.index(name)
