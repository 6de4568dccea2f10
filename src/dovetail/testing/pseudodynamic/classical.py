r"""Classical pseudo-dynamic test: central difference method with mass, damping and measured restoring force.

.. math:: u_{i+1} = \left[\frac{M}{h^2} + \frac{C}{2h}\right]^{-1}
          \left\{F_i - R_i + \frac{2M}{h^2}u_i - \left[\frac{M}{h^2} - \frac{C}{2h}\right]u_{i-1}\right\}

The displacement is predicted and imposed, the force is measured at rest, and the motion is corrected.
`core.structures.CentralDifference` is the same recursion in displacement, velocity and acceleration. M, C and the
stiffness of the simulated part are those of the numerical substructure, which must be linear with the displacements
and velocities of the interface as its only states.
Source: [Bolien 2018, eqs 2.4 to 2.8]; [Takanashi et al. 1975].
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import ParameterError
from dovetail.core.linear import linearise
from dovetail.core.structures import CentralDifference, PredictorCorrector, StructuralMotion, Structure
from dovetail.testing.hybrid_loop import Driven

if TYPE_CHECKING:
    from dovetail.testing.test import Test


@dataclasses.dataclass(frozen=True)
class Classical:
    """Numerical substructure of a test as mass, damping and stiffness."""

    structure: Structure  # its restoring force is that of the simulated part
    driven: Driven
    method: PredictorCorrector
    shape: tuple[int, ...]
    _load: Any = dataclasses.field(init=False, repr=False, default=None)  # compiled in `__post_init__`
    _correct: Any = dataclasses.field(init=False, repr=False, default=None)

    @staticmethod
    def from_test(test: Test, method: PredictorCorrector | None = None) -> Classical:
        """Return mass, damping and stiffness of the numerical substructure of a test.

        Raises
        ------
        ParameterError
            If it has other states than the displacements and velocities of the interface.
        """
        driven, shape = Driven(test.numerical, test.excitation), test.shape
        force = jnp.zeros(shape)
        model = linearise(driven, driven.init(), force)
        n = int(np.prod(shape, dtype=int))
        rows = {
            name: [i for i, out in enumerate(model.outputs) if out.split("[")[0] == name]
            for name in ("displacement", "velocity", "acceleration")
        }
        outputs = np.asarray(model.C)[rows["displacement"] + rows["velocity"]]
        if model.A.shape[0] != 2 * n or np.linalg.matrix_rank(outputs) < 2 * n:
            raise ParameterError(
                f'pseudodynamic.scheme: "classical" needs a numerical substructure with {n} displacements and {n} '
                f'velocities; {type(test.numerical).__name__} has {model.A.shape[0]} states. Use "stepwise"'
            )
        acceleration = np.asarray(model.C)[rows["acceleration"]] @ np.linalg.inv(outputs)
        mass = np.linalg.inv(np.asarray(model.D)[rows["acceleration"]])
        stiffness, damping = -mass @ acceleration[:, :n], -mass @ acceleration[:, n:]
        matrix = jnp.asarray(stiffness)
        structure = Structure(mass, damping, lambda x, v: matrix @ x)
        return Classical(structure, driven, method or CentralDifference(), shape)

    def load(self, t) -> jax.Array:
        """Return the load of the excitation on the structure at t [N]."""
        return self._load(jnp.asarray(t, dtype=float))

    def __post_init__(self):
        at_rest = jax.tree.map(jnp.zeros_like, self.driven.init())
        zero = jnp.zeros(self.shape)

        def load(t):
            acceleration = self.driven.output(t, at_rest, zero)["acceleration"]
            return self.structure.mass @ jnp.ravel(acceleration)

        object.__setattr__(self, "_load", eqx.filter_jit(load))
        object.__setattr__(self, "_correct", eqx.filter_jit(self._correction))

    def start(self, force: np.ndarray) -> StructuralMotion:
        """Return the motion at t = 0 under the first force of the specimen."""
        first = self.driven.output(0.0, self.driven.init(), jnp.asarray(force).reshape(self.shape))
        x, v = (jnp.ravel(first[name]) for name in ("displacement", "velocity"))
        restoring = self.structure.force(x, v) - jnp.ravel(jnp.asarray(force))
        return self.structure.start(x, v, self.load(0.0), restoring)

    def predict(self, h: float, motion: StructuralMotion) -> tuple[np.ndarray, np.ndarray]:
        """Return the displacement to impose and the predicted velocity."""
        x, v = (np.asarray(value).reshape(self.shape) for value in self.method.predict(h, motion))
        return x, v

    def correct(self, t: float, h: float, motion: StructuralMotion, force: np.ndarray) -> StructuralMotion:
        """Return the motion at t + h, from the force of the specimen at the predicted displacement."""
        return self._correct(h, motion, self.load(t + h), jnp.ravel(jnp.asarray(force)))

    def _correction(self, h, motion, load, force):
        x, v = self.method.predict(h, motion)
        measured = self.structure.force(x, v) - force
        return self.method.correct(self.structure, h, motion, load, measured)
